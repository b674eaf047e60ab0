"""`spacemission play --human`: who sits where, and where the record goes."""

from __future__ import annotations

import secrets
from itertools import chain, count
from pathlib import Path
from typing import Any

from spacemission_agents.arena.games import agent_spec, check_labels
from spacemission_agents.commands.shared import HUMAN
from spacemission_env.core.agents_api import agent_names, make_agent, prepare_agents
from spacemission_env.core.answers import agent_name
from spacemission_env.core.errors import AgentError
from spacemission_env.core.game_spec import GameSpec, find_game
from spacemission_env.records.writer import RecordWriter
from spacemission_env.terminal.screen import Screen
from spacemission_env.terminal.table import Table

USUAL = ("greedy", "random")  # who plays where nobody says it: the first that the game has
SEEDS = 10**9


def play_with_people(
    agents: list[str] | None,
    game: str,
    rules: Any,
    components: str | None,
    record: str | None,
    seed: int | None,
) -> None:
    """One game at this terminal; what nobody said is asked."""
    spec, screen = find_game(game), Screen()
    seats = _seats(spec, screen, agents)
    check_labels(seats)
    one = spec.game(len(seats), rules, components)
    minds = [None if agent_spec(name) == HUMAN else make_agent(agent_spec(name), spec) for name in seats]
    prepare_agents([mind for mind in minds if mind is not None], one.info)
    one.reset(secrets.randbelow(SEEDS) if seed is None else seed)
    path = record or _free_name(f"{spec.name}_{one.seed}")
    names = [agent_name(name) for name in seats]
    screen.say(f"{spec.title}, seed {one.seed}. " + ", ".join(f"player_{j} {n}" for j, n in enumerate(names)))
    with RecordWriter(path) as writer:
        over = Table(one, names, minds, screen).play(writer)
    screen.say(f"{'' if over else 'Stopped. '}The game is in {path}: spacemission watch {path}")


def _seats(spec: GameSpec, screen: Screen, agents: list[str] | None) -> list[str]:
    """Who sits where: as --agents has it, and as the person answers where it names nobody human."""
    seats = _asked_agents(spec, screen) if agents is None else list(agents)
    if not spec.min_players <= len(seats) <= spec.max_players:
        raise AgentError(f"agents: expected {spec.player_numbers}, one a seat, got {len(seats)}")
    if all(agent_spec(name) != HUMAN for name in seats):
        for seat in _asked_seats(screen, len(seats)):
            seats[seat] = HUMAN
    return seats


def _asked_agents(spec: GameSpec, screen: Screen) -> list[str]:
    players = spec.table_players(None)
    if spec.min_players < spec.max_players:
        answer = screen.ask(f"How many players, {spec.player_numbers} [{players}]? ")
        players = spec.check_num_players(_whole("players", answer, players))
    known = agent_names(spec)
    usual = next(name for name in USUAL if name in known)
    answer = screen.ask(f"Who plays against you: {', '.join(known)} [{usual}]? ")
    return [answer or usual] * players


def _asked_seats(screen: Screen, players: int) -> list[int]:
    """The seats that people take; Enter takes seat 0."""
    answer = screen.ask(f"Which seats do people take, 0 to {players - 1}, by comma [0]? ")
    seats = [_whole("seats", part.strip(), 0) for part in (answer or "").split(",")]
    for seat in seats:
        if not 0 <= seat < players:
            raise AgentError(f"seats: expected 0 to {players - 1}, not {seat}")
    return seats


def _whole(what: str, answer: str | None, default: int) -> int:
    if not answer:
        return default
    if not answer.isdecimal() or len(answer) > 3:
        raise AgentError(f"{what}: expected a number, not {answer!r}")
    return int(answer)


def _free_name(stem: str) -> str:
    """A file name that is not taken."""
    names = chain([f"{stem}.jsonl"], (f"{stem}_{i}.jsonl" for i in count(2)))
    return next(name for name in names if not Path(name).exists())
