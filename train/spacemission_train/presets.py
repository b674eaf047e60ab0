"""Defines presets for every game, and finds the presets that a game declares itself.

The entry-point group `spacemission.games.training` names the `GameTraining` of a game. A game without one has
only the presets for every game, and the yardstick `random`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from spacemission_agents.afterstates.moves import find_afterstates
from spacemission_env.core.errors import SpaceMissionError, did_you_mean
from spacemission_env.core.game_spec import DEFAULT_GAME, GameSpec, find_game, load_of_game
from spacemission_env.core.reading import Json
from spacemission_train.settings import (
    Settings,
    SettingsError,
    check_known,
    parse_change,
    read_experiment,
)

GROUP = "spacemission.games.training"
DEFAULT = "demo"  # the strongest preset for its minutes
EXPLOIT = "exploit"
ROWS = 32  # in the presets for every game: width of the layer that reads the rows of features

# Learns the values of afterstates by self-play in all seats, without other agents.
SCRATCH: Json = dict(
    minutes=10.0, n_steps=40, batch_size=512, learning_rate=(1e-3, 5e-5), gae_lambda=0.85, input="afterstate",
    hidden=(ROWS, 128, 128),
)  # fmt: skip

# Learns a policy over afterstates by PPO, with their values as critic, by the same self-play.
PPO_SCRATCH: Json = dict(hidden=(ROWS, 128, 128))

# Learns like PPO_SCRATCH with smaller networks, which are stronger in the first minutes.
DEMO: Json = dict(minutes=3.0, hidden=(ROWS, 64, 64))

# Two policies that learn from each other circle around the equilibrium. The entropy bonus shrinks the
# circles, but keeps play away from the equilibrium, so its weight falls during the run; below 0.01 the
# circles return (in Leduc poker). The mean of the weights cancels the circles that remain.
MIXED_STRATEGY: Json = dict(
    mixed=True, minutes=8.0, n_steps=32, batch_size=512, epochs=2, gae_lambda=1.0, temperature=100.0,
    learning_rate=(1e-3, 1e-5), entropy=(0.03, 0.01), average=0.3, hidden=(ROWS, 64, 64),
)  # fmt: skip

# Learns a best response to one agent; if that agent is a model, the run starts from it (`start.followed`).
EXPLOITER: Json = dict(minutes=10.0, hidden=(ROWS, 64, 64), envs=256, n_steps=40, evaluation_games=800)

COMMON: dict[str, Json] = {
    DEFAULT: DEMO, "scratch": SCRATCH, "ppo_scratch": PPO_SCRATCH, "mixed": MIXED_STRATEGY,
    EXPLOIT: EXPLOITER,
}  # fmt: skip


@dataclass(frozen=True)
class GameTraining:
    """How a game is trained.

    Attributes:
        name: name of the game.
        presets: by preset, the settings that differ from the defaults of `Settings`.
        yardsticks: opponents in evaluations, the strongest last.
    """

    name: str
    presets: Mapping[str, Json] = field(default_factory=dict)
    yardsticks: tuple[str, ...] = ("random",)


def find_game_training(game: str | GameSpec = DEFAULT_GAME) -> GameTraining:
    """The `GameTraining` of a game, or the default one.

    Raises:
        SetupError: no such game is installed, or its entry names another game's training.
    """
    return _loaded(find_game(game).name)


@lru_cache(maxsize=64)
def _loaded(name: str) -> GameTraining:
    return load_of_game(GROUP, name, GameTraining) or GameTraining(name)


@lru_cache(maxsize=64)
def presets_of(game: str = DEFAULT_GAME) -> dict[str, Settings]:
    """The presets of a game by name: those of every game and its own."""
    spec = find_game(game)
    fewest = {"players": (spec.min_players,), "game": spec.name}
    rows = find_afterstates(spec).features.rows > 0
    presets = {}
    for name, changes in {**COMMON, **find_game_training(spec).presets}.items():
        values = {**fewest, **changes, "preset": name}
        values["hidden"] = values["hidden"] if rows else values["hidden"][-2:]
        if values.get("mixed"):
            values.setdefault("reward", spec.payoff)
        presets[name] = Settings(**values)
    return presets


def make_settings(preset: str = DEFAULT, **changes: object) -> Settings:
    """A preset with some settings changed (`combine`); a change to None is ignored."""
    return combine(preset, [{name: value for name, value in changes.items() if value is not None}])


def combine(preset: str, layers: Sequence[Json]) -> Settings:
    """A preset with the changes of several layers; later layers override earlier ones, even with None.

    A layer that sets `minutes` and not `steps` removes the limit of steps, and the other way round. A layer
    that sets `exploit` removes the opponents of earlier layers.

    Raises:
        SpaceMissionError: one line naming the preset or the setting.
    """
    games = [layer["game"] for layer in layers if layer.get("game") is not None]
    presets = presets_of(games[-1] if games else DEFAULT_GAME)
    if preset not in presets:
        near = did_you_mean(preset, presets) or f"; known: {', '.join(presets)}"
        raise SettingsError(f"preset {preset!r}: unknown{near}")
    given: Json = {}
    for layer in layers:
        for name in layer:
            check_known(name)
        for one, other in (("minutes", "steps"), ("steps", "minutes")):
            if layer.get(one) is not None:
                given[other] = None
        if layer.get("exploit") is not None:
            given.pop("opponents", None)
        given |= layer
    given.pop("preset", None)
    if given.get("exploit") is not None and "opponents" in given:
        raise SettingsError("settings: opponents: an exploiter plays only its target; omit them")
    if preset == EXPLOIT and given.get("exploit") is None:
        raise SettingsError(f"preset {preset!r}: exploit is not set; name the agent to train against")
    return presets[preset].changed(**given)


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
