"""From the first line of a record to the game it describes: rules, components and set-up, all checked."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields
from typing import Any

from spacemission_env.core.errors import RecordError, SpaceMissionError
from spacemission_env.games.space_mission.components import Components, components_from_data
from spacemission_env.games.space_mission.engine.constants import KIND_NAMES, POINT_TILES, SPACE, SPACE_TILES
from spacemission_env.games.space_mission.game import Game, check_seed
from spacemission_env.games.space_mission.options import LATER_OPTIONS, Rules, check_num_players
from spacemission_env.records.lines import Line, Lines, difference, short
from spacemission_env.records.writer import ENV_NAME, FORMAT, game_entry


def lay_recorded(lines: Lines, header: Line, observation: str) -> Game:
    """The game of a header, set up; every entry is checked."""
    try:
        return _checked_game(header.entry, observation)
    except SpaceMissionError as error:
        raise lines.refuse(header.number, f"game: {error}") from None


def _checked_game(entry: dict[str, Any], observation: str) -> Game:
    for key, known in (("format", FORMAT), ("env", ENV_NAME)):
        if entry.get(key) != known:
            raise RecordError(f"{key}: {entry.get(key)!r} is not known, this version reads {known!r}")
    num_players = check_num_players(entry.get("num_players"))
    setup = entry.get("setup")
    components = _components(entry.get("components"), _tile_counts(setup))
    entry = {**entry, "rules": _rules(entry.get("rules"))}
    game = Game(num_players, entry["rules"], components, observation)
    game.reset(check_seed(entry.get("seed")), setup)
    agents = entry.get("agents")
    if not isinstance(agents, list) or list(map(type, agents)) != [str] * num_players:
        raise RecordError(f"agents: expected a list of {num_players} names, not {short(agents)}")
    for name in agents:
        if not name.isprintable():  # they go to terminals
            raise RecordError(f"agents: expected printable text, not {short(name)}")
    problem = difference({**game_entry(game, agents), "setup": setup}, entry)
    if problem:
        raise RecordError(problem)
    return game


def _rules(entry: Any) -> dict[str, Any]:
    """The options, every one of which must be there: defaults may change, a record may not.

    Records written before an option was made do not name it; they were all played with one value of it.
    """
    if not isinstance(entry, dict):
        raise RecordError(f"rules: expected an object of options, not {short(entry)}")
    entry = LATER_OPTIONS | entry
    for option in fields(Rules):
        if entry.get(option.name) is None:
            raise RecordError(f"rules: {option.name!r} is missing")
    return entry


def _components(entry: Any, tiles: dict[str, int]) -> Components:
    """The box from the record alone; its sha256 is compared afterwards."""
    if not isinstance(entry, dict):
        raise RecordError(f"components: expected an object, not {short(entry)}")
    return components_from_data(
        {**{key: value for key, value in entry.items() if key != "sha256"}, "tiles": tiles}, "components"
    )


def _tile_counts(setup: Any) -> dict[str, int]:
    """How many tiles of each kind the box has: all of them lie in the piles of the set-up (SM-03)."""
    piles = setup.get("piles") if isinstance(setup, dict) else None
    if not isinstance(piles, list) or not all(isinstance(pile, list) for pile in piles):
        raise RecordError("setup: piles: expected lists of tile names")
    counts = Counter(tile for pile in piles for tile in pile if isinstance(tile, str))
    point = sum(counts[kind] for kind in KIND_NAMES[:SPACE])
    if (point, counts[KIND_NAMES[SPACE]]) != (POINT_TILES, SPACE_TILES):
        raise RecordError(
            f"setup: piles: expected {POINT_TILES} point and {SPACE_TILES} space tiles, "
            f"got {point} and {counts[KIND_NAMES[SPACE]]}"
        )
    return {kind: counts[kind] for kind in KIND_NAMES}


# ---------------------------------------------------------------- comparison
