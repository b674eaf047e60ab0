"""Reviews a game: shows what each seat knew and expected, and what agents would have played.

Before the end of the game, a seat's review shows only what this seat knew.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from io import BytesIO
from itertools import chain

import numpy as np

from spacemission_agents.arena.play import win_shares
from spacemission_agents.web.agent_pool import AgentPool, Caller, prepare
from spacemission_agents.web.event_log import WATCHER, Said, seed_of, standing
from spacemission_agents.web.match import Match, Seat, new_stored_game, position_json
from spacemission_agents.web.settings import WebError
from spacemission_agents.web.store import Line, Move, StoredGame
from spacemission_env.core.agents import Agent, make_agent
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.beliefs import belief
from spacemission_env.core.errors import SpaceMissionError, shown
from spacemission_env.core.game import Game
from spacemission_env.core.game_spec import GameSpec
from spacemission_env.core.reading import Json
from spacemission_env.frontends.turns import Turns
from spacemission_env.records.reader import Replay

WORLDS = 200  # number of determinizations for a belief
SALT = secrets.token_bytes(32)  # so that clients cannot compute which determinizations are sampled
ROLLOUT_WORLDS = 24  # number of determinizations for the rollouts from a position
MOST_DECISIONS = 64  # maximum number of decisions in one request
LIKELIEST = 6  # number of moves listed with probabilities
ADVISERS = ("policy:default", "heuristic", "greedy")  # fast agents, strongest first
ROLLOUT_AGENTS = ("heuristic", "greedy", "random")  # fast agents for rollouts, strongest first


def moves(match: Match, viewer: int) -> Json:
    """All moves if the game is open (`Match.open`), else those that the viewer saw."""
    if match.open:
        made = [(entry.player, entry.said[entry.player]) for entry in standing(match.log)]
    else:
        made = [(event.player, Said(event.move, event.words)) for event in standing(match.events(viewer))]
    moves = [{"player": player, **said._asdict()} for player, said in made if said is not None]
    return {"open": match.open, "moves": moves}


def game_at(match: Match, viewer: int, seat: int, at: int) -> Game:
    """The game after `at` moves, for a view of `seat`; WebError if the viewer may not see it. Unless the game
    is open, `at` counts only moves that the viewer saw.
    """
    if match.open:
        if not WATCHER <= seat < len(match.seats):
            raise WebError(f"seat: expected 0 to {len(match.seats) - 1}, not {seat}", 404)
        if not 0 <= at <= len(match.timeline):
            raise WebError(f"at: expected 0 to {len(match.timeline)}, not {at}", 404)
        return match.timeline.at(at)
    if seat != viewer:
        raise WebError("the views of other seats are available at the end of the game", 403)
    return match.at_step(viewer, at)


def position(match: Match, viewer: int, seat: int, at: int, tall: bool) -> Json:
    """A position as a seat knew it."""
    game = game_at(match, viewer, seat, at)
    return {
        "at": at,
        "seat": seat,
        "player": game.player if match.open else None,
        **position_json(game, seat, tall=tall),
    }


def beliefs(game: Game, seat: int) -> Json:
    """A seat's beliefs: the expected number of things of each kind in each place."""
    sorts = [
        {
            "name": sort.name,
            "kinds": sort.kinds,
            "places": [
                {"id": place.id, "title": place.title, "certain": bool(sort.certain[i])}
                for i, place in enumerate(sort.places)
            ],
            "mean": sort.mean.round(3).tolist(),
            "any": sort.any.round(3).tolist(),
        }
        for sort in belief(game, seat, WORLDS, SALT)
    ]
    return {"worlds": WORLDS, "sorts": sorts}


def adviser(match: Match, pool: AgentPool, offered: Mapping[str, tuple[str, str]]) -> str:
    """The first offered agent that accepts this game's rules, with `ADVISERS` tried first; "" if none."""
    names = [name for name in ADVISERS if name in offered]
    names += [name for name in offered if name not in (*ADVISERS, "random")]
    for name in names:
        with suppress(SpaceMissionError), pool.agents(offered[name][0], match.game).lend() as agent:
            prepare(agent, match.game)
            return name
    return ""


def opinions(match: Match, pool: AgentPool, agent: str, first: int, last: int, caller: Caller) -> list[Json]:
    """An agent's opinions of the moves `first` to `last` - 1, each from what the seat to act knew."""
    moves = standing(match.log)
    last = min(last, len(moves), first + MOST_DECISIONS)
    found = []
    for at in range(first, last):
        caller.check()
        found.append(_opinion(pool, agent, at, match.timeline.at(at), moves[at].action))
    return found


def _opinion(pool: AgentPool, agent: str, at: int, game: Game, played: int) -> Json:
    choice, probabilities = pool.opinion_of(agent, game)
    policy: Json | None = None
    if probabilities is not None:
        likeliest = [int(a) for a in np.argsort(-probabilities, kind="stable")[:LIKELIEST]]
        share = [round(float(p), 4) for p in probabilities]
        policy = {
            "played": share[played],
            "choice": share[choice],
            "moves": [
                {"words": game.words(a), "probability": share[a]} for a in likeliest if probabilities[a] > 0
            ],
        }
    return {
        "at": at,
        "player": game.player,
        "played": game.words(played),
        "choice": game.words(choice),
        "same": choice == played,
        "policy": policy,
    }


def rollout_agent(spec: GameSpec, agent: str, offered: Mapping[str, tuple[str, str]]) -> str:
    """The agent for rollouts: `agent`, or a fast one if `agent` needs sampled worlds, as a search does."""
    able, *quick = ROLLOUT_AGENTS
    for name in (agent, able):
        if name in (agent, *offered) and "worlds" not in make_agent(name, spec).needs:
            return name
    return next(name for name in quick if name in offered)


def values(
    match: Match,
    pool: AgentPool,
    agent: str,
    seat: int,
    first: int,
    last: int,
    every: int,
    caller: Caller,
) -> Json:
    """Estimated win shares after every `every`-th move and at the end, from what `seat` knew.

    The estimates are rollouts in which one agent plays all seats.
    """
    end = len(match.timeline)
    numbers = list(range(first, min(last, end + 1, first + every * MOST_DECISIONS), every))
    if numbers and numbers[-1] < end < min(last, numbers[-1] + every):
        numbers.append(end)  # the curve includes the end of the game
    if not numbers:
        return {"agent": agent, "at": [], "shares": []}
    games = [match.timeline.at(at) for at in numbers]
    with pool.agents(agent, games[0]).lend() as made:
        prepare(made, games[0])
        shares = rollout_shares(games, seat, made, caller.check)
    return {"agent": agent, "at": numbers, "shares": shares.round(3).tolist()}


def rollout_shares(positions: list[Game], seat: int, agent: Agent, check: Callable[[], None]) -> np.ndarray:
    """Win shares in rollouts, float64 (positions, seats).

    Args:
        positions: positions of one game.
        seat: the determinizations are sampled from what this seat knows.
        agent: plays all seats; prepared for the game, and not a search.
        check: called between moves; an exception that it raises stops the rollouts.
    """
    one, worlds = positions[0], ROLLOUT_WORLDS
    rules, components = one.info.rules, one.info.components
    games = BatchedGames(len(positions) * worlds, one.num_players, rules, components, game=one.spec)
    games.template.parameters, games.template.t = one.parameters, one.t
    for i, game in enumerate(positions):
        for k in range(worlds):
            seed = seed_of(game, seat, k.to_bytes(4, "little"))
            world = game if game.over else game.determinize(seat, seed)
            games.states[i * worlds + k] = world.states[0]
    turns = Turns(games, [agent], np.zeros((games.count, games.num_players), np.int64))
    turns.moved = check
    turns.play_on(games.everyone)
    return win_shares(games.outcome(games.everyone)[2]).reshape(len(positions), worlds, -1).mean(1)


def uploaded(data: bytes, number: int) -> tuple[StoredGame, list[Line]]:
    """Game `number` (from 1) of an uploaded record file; RecordError if it is invalid."""
    replayed = next(Replay("the record", BytesIO(data), number))
    game = replayed.game
    stored = new_stored_game(
        game, [Seat(name, None, None) for name in replayed.agents], laid=True, opened=True
    )
    moves: list[Line] = []
    shuffles, made = 0, None
    for action in chain((decision.action for decision in replayed), [None]):
        if made is not None:  # the game made this move after the previous pass through the loop
            moves.append(Move(made, tuple(game.last_shuffle()) if game.shuffles > shuffles else None))
        shuffles, made = game.shuffles, action
    return stored, moves[: replayed.actions]


def continued(match: Match, seats: list[Seat], at: int) -> tuple[StoredGame, list[Line]]:
    """A new game that continues this one after `at` moves."""
    if not match.open:
        raise WebError("only a game that has ended, or a record, can be continued", 409)
    if not 0 <= at <= len(match.timeline) or match.timeline.at(at).over:
        raise WebError(f"at: expected a move before the end, not {shown(at)}", 404)
    stored = new_stored_game(match.timeline.at(0), seats, laid=match.stored.laid)
    return stored, list(match.timeline.moves[:at])
