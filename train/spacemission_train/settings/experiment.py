"""Reads and writes the settings of a run: experiment files (TOML), `--set` and JSON.

`preset` names the settings that a file changes; `"none"` stands for no value. A run's own experiment.toml has
every setting, so that the same run can be made from it again.
"""

from __future__ import annotations

import json
import os
import platform
from dataclasses import fields
from importlib.metadata import version
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from spacemission_env.core.errors import SpaceMissionError
from spacemission_env.core.reading import EXPERIMENT_BYTES, parse_toml, read_bytes, read_toml
from spacemission_env.version import __version__
from spacemission_train.settings.presets import check_known, combine
from spacemission_train.settings.settings import EXPLOIT, Settings, SettingsError

EXPERIMENT_FILE = "experiment.toml"
NONE = "none"
COMMAND = "# command: "
LIBRARIES = ("numpy", "torch", "numba", "stable-baselines3", "sb3-contrib")

Layer = dict[str, Any]

_KINDS = get_type_hints(Settings)
_WORDS = {
    int: "a whole number", float: "a number", str: "a text", bool: "true or false",
    tuple: "a list of whole numbers",
}  # fmt: skip


def read_experiment(path: str | Path) -> Layer:
    """The settings that an experiment file gives; SettingsError names the file and the key."""
    table = read_toml(path, EXPERIMENT_BYTES, SettingsError, str(path))
    if not table:  # a file cut to nothing would train for hours by the preset alone
        raise SettingsError(f"{path}: no setting stands in it")
    return {name: _checked(name, value, str(path)) for name, value in table.items()}


def parse_change(text: str) -> tuple[str, Any]:
    """Name and value of one `name=value`, the value in TOML; a text may stand without quotation marks."""
    name, equals, right = (part.strip() for part in text.partition("="))
    if not equals:
        raise SettingsError(f"--set {text}: expected name=value, such as envs=64")
    check_known(name, "--set")
    value: Any = right
    try:
        table = parse_toml(f"value = {right}", SettingsError, name)
        value = table["value"] if len(table) == 1 else right
    except SettingsError:
        if right != NONE and _kind(name) is not str:
            raise SettingsError(f"--set {name}: not a TOML value: {right!r}") from None
    return name, _checked(name, value, "--set")


def settings_of(preset: str | None, path: Path | None, sets: list[str], options: Layer) -> Settings:
    """The settings of a run: options win over `--set`, these over the file, that over the preset.

    Args:
        preset: of the command line; None: the file's, else exploit for an exploiter, else quick.
        path: an experiment file, or None.
        sets: `name=value` each (`parse_change`).
        options: of the command line; those that are None were not given.

    Raises:
        SpaceMissionError: one line naming what was refused, and the file where it is the file's.
    """
    file = {} if path is None else read_experiment(path)
    given = {name: value for name, value in options.items() if value is not None}
    layers = [file, dict(map(parse_change, sets)), given]
    named = [layer["preset"] for layer in layers if "preset" in layer]
    exploits = any(layer.get("exploit") for layer in layers)
    preset = preset or (named[-1] if named else EXPLOIT if exploits else "quick")
    try:
        return combine(preset, layers)
    except SpaceMissionError:
        if path is not None:
            check_alone(file, path)  # to blame the file where it is the file's fault
        raise


def check_alone(file: Layer, path: str | Path) -> Settings:
    """The settings of an experiment file alone (`read_experiment`); SettingsError names the file."""
    try:
        return combine(file.get("preset", EXPLOIT if file.get("exploit") else "quick"), [file])
    except SpaceMissionError as error:
        raise SettingsError(f"{path}: {str(error).removeprefix('settings: ')}") from None


def to_toml(settings: Settings, command: str = "") -> str:
    """An experiment file with every setting, under comments on what the run is made with."""
    lines = [f"# {line}" for line in made_with(settings)]
    lines += [COMMAND + "".join(c if c.isprintable() else " " for c in command), ""]
    names = [setting.name for setting in fields(Settings)]
    if settings.exploit is not None:
        names.remove("opponents")  # it has none
    lines += [f"{name} = {as_toml(getattr(settings, name))}" for name in names]
    return "\n".join(lines) + "\n"


def command_of(path: str | Path) -> str:
    """The command that stands in a run's experiment.toml; empty where there is none."""
    data = read_bytes(path, EXPERIMENT_BYTES, SettingsError, str(path))
    lines = data.decode("utf-8", "replace").splitlines()
    return next((line.removeprefix(COMMAND) for line in lines if line.startswith(COMMAND)), "")


def made_with(settings: Settings) -> list[str]:
    """Versions and machine that a run depends on, one a line."""
    return [
        f"spacemission-env {__version__}, Python {platform.python_version()}",
        ", ".join(f"{name} {version(name)}" for name in LIBRARIES),
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, {settings.threads} torch threads",
    ]


def _kind(name: str) -> type:
    # int, float, str, bool or tuple.
    hint = _KINDS[name]
    return get_args(hint)[0] if isinstance(hint, UnionType) else get_origin(hint) or hint


def _checked(name: str, value: Any, where: str) -> Any:
    check_known(name, where)
    if value in (None, NONE) and isinstance(_KINDS[name], UnionType):
        return None
    kind = _kind(name)
    if kind is float and type(value) is int:
        return float(value)
    if kind is tuple:
        numbers = [value] if type(value) is int and name == "players" else value
        if isinstance(numbers, list) and all(type(number) is int for number in numbers):
            return tuple(numbers)
    elif type(value) is kind:
        return value
    raise SettingsError(f"{where}: {name}: expected {_WORDS[kind]}, not {value!r}")


def settings_from_json(data: Any, where: str) -> Settings:
    """Settings saved by `Settings.to_json`; SettingsError where they do not hold together."""
    if not isinstance(data, dict) or set(data) != set(_KINDS):
        odd = sorted(set(data) ^ set(_KINDS))[0] if isinstance(data, dict) else "settings"
        raise SettingsError(f"{where}: settings: {odd!r} is missing or unknown in this version")
    values = {name: _checked(name, value, f"{where}: settings") for name, value in data.items()}
    try:
        return Settings(**values)
    except SpaceMissionError as error:
        raise SettingsError(f"{where}: settings: {str(error).removeprefix('settings: ')}") from None


def as_toml(value: Any) -> str:
    """A setting's value as it stands in an experiment file."""
    if value is None:
        return f'"{NONE}"'
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return f"[{', '.join(map(as_toml, value))}]"
    if isinstance(value, str):  # a JSON string is a TOML one, but for this character
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return repr(value)
