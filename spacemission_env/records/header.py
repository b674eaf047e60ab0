"""From the first line of a record to the game it describes: rules, components and set-up, all checked."""

from __future__ import annotations

from typing import Any

from spacemission_env.core.arguments import check_seed
from spacemission_env.core.errors import RecordError, SpaceMissionError
from spacemission_env.core.game import Game
from spacemission_env.core.game_spec import GameSpec, game_of_env, loadable_games
from spacemission_env.records.lines import Line, Lines, difference, short
from spacemission_env.records.writer import FORMAT, game_entry


def lay_recorded(lines: Lines, header: Line, observation: str) -> Game:
    """The game of a header, set up; every entry is checked."""
    try:
        return _checked_game(header.entry, observation)
    except SpaceMissionError as error:
        raise lines.refuse(header.number, f"game: {error}") from None


def _checked_game(entry: dict[str, Any], observation: str) -> Game:
    if entry.get("format") != FORMAT:
        raise RecordError(f"format: {entry.get('format')!r} is not known, this version reads {FORMAT!r}")
    spec = _game_of(entry.get("env"))
    num_players = spec.check_num_players(entry.get("num_players"))
    setup = entry.get("setup")
    components = spec.recorded_components(entry)
    entry = {**entry, "rules": spec.recorded_rules(entry)}
    game: Game = spec.game(num_players, entry["rules"], components, observation)
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


def _game_of(env: Any) -> GameSpec:
    spec = game_of_env(env)
    if spec is None:
        known = ", ".join(repr(spec.env) for spec in loadable_games())
        raise RecordError(f"env: {short(env)} is not known, this version reads {known}")
    return spec
