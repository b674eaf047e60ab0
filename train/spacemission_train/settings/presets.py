"""Makes settings from a preset and changes to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from functools import lru_cache

from spacemission_agents.afterstates.moves import find_afterstates
from spacemission_env.core.errors import did_you_mean
from spacemission_env.core.game_spec import DEFAULT_GAME, find_game
from spacemission_env.core.reading import Json
from spacemission_train.game_training import DEMO, PPO_SCRATCH, SCRATCH, find_game_training
from spacemission_train.settings.settings import EXPLOIT, EXPLOIT_GAMES, TD, Settings, SettingsError

DEFAULT = "demo"  # the strongest for its minutes
FROM_NOTHING = {DEFAULT: DEMO, "scratch": SCRATCH, "ppo_scratch": PPO_SCRATCH}  # presets of every game
ROWS = 32  # their width of the layer shared by all rows, if the game's afterstates have rows
# If a game has no preset `exploit`, exploiters use its `quick` with these changes.
EXPLOITER: Json = {"steps": 2_000_000, "final_games": EXPLOIT_GAMES, "critic_warmup": 5}


@lru_cache(maxsize=64)
def presets_of(game: str = DEFAULT_GAME) -> dict[str, Settings]:
    """The presets of a game by name; each game has those of `FROM_NOTHING` and `exploit`."""
    spec = find_game(game)
    own = dict(find_game_training(spec).presets)
    planets = ROWS if find_afterstates(spec).features.rows else 0
    for name, changes in FROM_NOTHING.items():
        own.setdefault(name, {**changes, "planets": planets})
    own.setdefault(EXPLOIT, {**own["quick"], **EXPLOITER})
    fewest = {"players": (spec.min_players,), "game": spec.name}
    return {name: Settings(**{**fewest, **changes, "preset": name}) for name, changes in own.items()}


PRESETS = presets_of(DEFAULT_GAME)  # tests replace entries


def make_settings(preset: str = DEFAULT, **changes: object) -> Settings:
    """A preset with some settings changed (`combine`); a change to None is ignored."""
    given = {name: value for name, value in changes.items() if value is not None}
    if isinstance(given.get("players"), int):
        given["players"] = (given["players"],)
    return combine(preset, [given])


def combine(preset: str, layers: Sequence[Json]) -> Settings:
    """A preset with the changes of several layers; later layers override earlier ones. None is a value.

    A layer that sets `minutes` and not `steps` removes the limit of steps. A layer that sets `exploit`
    removes the opponents of earlier layers. On a preset of another method, td has a `gamma` of 1.

    Raises:
        SpaceMissionError: one line naming the preset or the setting.
    """
    games = [layer["game"] for layer in layers if layer.get("game") is not None]
    presets = presets_of(games[-1] if games else DEFAULT_GAME)
    if preset not in presets:
        near = did_you_mean(preset, presets) or f"; known: {', '.join(presets)}"
        raise SettingsError(f"preset {preset!r}: unknown{near}")
    base = presets[preset]
    given: Json = {}
    for layer in layers:
        for name in layer:
            check_known(name)
        if layer.get("minutes") is not None:
            given["steps"] = None
        if layer.get("exploit") is not None:
            given.pop("opponents", None)
        given |= layer
    given.pop("preset", None)
    if given.get("method") == TD != base.method:
        given.setdefault("gamma", SCRATCH["gamma"])
    if given.get("exploit") is not None:
        if "opponents" in given:
            raise SettingsError("settings: opponents: an exploiter plays only its target; omit them")
        given.setdefault("final_games", max(EXPLOIT_GAMES, base.final_games))
    elif preset == EXPLOIT:
        raise SettingsError(f"preset {preset!r}: exploit is not set; name the agent to train against")
    return replace(base, **given)


def check_known(name: str, where: str = "settings") -> None:
    """Raise SettingsError for an unknown setting; the message proposes the nearest name."""
    known = [setting.name for setting in fields(Settings)]
    if name not in known:
        near = did_you_mean(name, known) or f"; known: {', '.join(known)}"
        raise SettingsError(f"{where}: unknown setting {name!r}{near}")
