"""Reads and writes the settings of a run: experiment files (TOML), `--set` and JSON.

A file changes the settings of its `preset`. The text "none" stands for no value. The experiment.toml of a run
holds all settings, so it reproduces the run.
"""

from __future__ import annotations

import json
import os
import platform
from dataclasses import fields
from importlib.metadata import version
from pathlib import Path
from types import UnionType
from typing import get_args, get_origin, get_type_hints

from spacemission_env.core.errors import SpaceMissionError
from spacemission_env.core.reading import EXPERIMENT_BYTES, Json, parse_toml, read_bytes, read_toml
from spacemission_env.version import __version__
from spacemission_train.settings.presets import DEFAULT, check_known, combine
from spacemission_train.settings.settings import EXPLOIT, Settings, SettingsError

EXPERIMENT_FILE = "experiment.toml"
NONE = "none"
COMMAND = "# command: "
LIBRARIES = ("numpy", "torch", "numba", "stable-baselines3", "sb3-contrib")


_KINDS = get_type_hints(Settings)
_WORDS = {
    int: "a whole number", float: "a number", str: "a text", bool: "true or false",
    tuple: "a list of whole numbers",
}  # fmt: skip


def read_experiment(path: str | Path) -> Json:
    """Read the settings in an experiment file; SettingsError names the file and the key."""
    table = read_toml(path, EXPERIMENT_BYTES, SettingsError, str(path))
    if not table:  # with an empty file the preset alone would train for hours
        raise SettingsError(f"{path}: the file has no settings")
    return {name: _checked(name, value, str(path)) for name, value in table.items()}


def parse_change(text: str) -> tuple[str, object]:
    """Parse one `name=value`; the value is TOML, and a text needs no quotation marks."""
    name, equals, right = (part.strip() for part in text.partition("="))
    if not equals:
        raise SettingsError(f"--set {text}: expected name=value, such as envs=64")
    check_known(name, "--set")
    value: object = right
    try:
        table = parse_toml(f"value = {right}", SettingsError, name)
        value = table["value"] if len(table) == 1 else right
    except SettingsError:
        if right != NONE and _kind(name) is not str:
            raise SettingsError(f"--set {name}: not a TOML value: {right!r}") from None
    return name, _checked(name, value, "--set")


def settings_of(preset: str | None, path: Path | None, sets: list[str], options: Json) -> Settings:
    """Make the settings of a run; `options` override `sets`, `sets` the file, and the file the preset.

    Args:
        preset: name of the preset; None: the preset in the file, else `exploit` for an exploiter, else
            `demo`.
        path: an experiment file, or None.
        sets: texts `name=value` (`parse_change`).
        options: options of the command line; None means not given.

    Raises:
        SpaceMissionError: one line that names the refused setting, and the file if the file is wrong.
    """
    file = {} if path is None else read_experiment(path)
    given = {name: value for name, value in options.items() if value is not None}
    layers = [file, dict(map(parse_change, sets)), given]
    named = [layer["preset"] for layer in layers if "preset" in layer]
    exploits = any(layer.get("exploit") for layer in layers)
    preset = preset or (named[-1] if named else EXPLOIT if exploits else DEFAULT)
    try:
        return combine(preset, layers)
    except SpaceMissionError:
        if path is not None:
            check_alone(file, path)  # if the file is wrong, raises an error that names it
        raise


def check_alone(file: Json, path: str | Path) -> Settings:
    """The settings of an experiment file without further changes; SettingsError names the file."""
    try:
        return combine(file.get("preset", EXPLOIT if file.get("exploit") else DEFAULT), [file])
    except SpaceMissionError as error:
        raise SettingsError(f"{path}: {str(error).removeprefix('settings: ')}") from None


def to_toml(settings: Settings, command: str = "") -> str:
    """An experiment file with all settings, after comments with versions, machine and command."""
    lines = [f"# {line}" for line in made_with(settings)]
    lines += [COMMAND + "".join(c if c.isprintable() else " " for c in command), ""]
    names = [setting.name for setting in fields(Settings)]
    if settings.exploit is not None:
        names.remove("opponents")  # an exploiter has none
    lines += [f"{name} = {as_toml(getattr(settings, name))}" for name in names]
    return "\n".join(lines) + "\n"


def command_of(path: str | Path) -> str:
    """Read the command in the experiment.toml of a run; empty if it has none."""
    data = read_bytes(path, EXPERIMENT_BYTES, SettingsError, str(path))
    lines = data.decode("utf-8", "replace").splitlines()
    return next((line.removeprefix(COMMAND) for line in lines if line.startswith(COMMAND)), "")


def made_with(settings: Settings) -> list[str]:
    """The versions and the machine that a run depends on, in lines."""
    return [
        f"spacemission-env {__version__}, Python {platform.python_version()}",
        ", ".join(f"{name} {version(name)}" for name in LIBRARIES),
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, {settings.threads} torch threads",
    ]


def _kind(name: str) -> type:
    # The type of a setting: int, float, str, bool or tuple.
    hint = _KINDS[name]
    return get_args(hint)[0] if isinstance(hint, UnionType) else get_origin(hint) or hint


def _checked(name: str, value: object, where: str) -> object:
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


def settings_from_json(data: object, where: str) -> Settings:
    """Read settings that `Settings.to_json` saved; a missing setting takes its default.

    Raises:
        SettingsError: a setting is unknown, or a value is not allowed.
    """
    if not isinstance(data, dict):
        raise SettingsError(f"{where}: settings: expected an object, not {type(data).__name__}")
    values = {name: _checked(name, value, f"{where}: settings") for name, value in data.items()}
    try:
        return Settings(**values)  # type: ignore[arg-type]  # `_checked` checks the types
    except SpaceMissionError as error:
        raise SettingsError(f"{where}: settings: {str(error).removeprefix('settings: ')}") from None


def as_toml(value: object) -> str:
    """Format the value of a setting for an experiment file."""
    if value is None:
        return f'"{NONE}"'
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return f"[{', '.join(map(as_toml, value))}]"
    if isinstance(value, str):  # JSON strings are TOML strings, except for this character
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return repr(value)
