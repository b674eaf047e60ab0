"""Looking back on a game: what each seat knew, what it could expect, what an agent would have played.

Of a game that is not over a seat sees what it knew itself, and nothing else.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from contextlib import suppress
from io import BytesIO
from typing import Any

import numpy as np

from spacemission_agents.web import position
from spacemission_agents.web.match import Match, Seat, new_kept
from spacemission_agents.web.refusals import WebError
from spacemission_agents.web.rollouts import win_shares
from spacemission_agents.web.store import Kept, Line
from spacemission_agents.web.story import WATCHER, line_of
from spacemission_agents.web.thinkers import Listener, Thinkers, tell
from spacemission_env.core.contents import belief
from spacemission_env.core.errors import SpaceMissionError, shown
from spacemission_env.core.game import Game
from spacemission_env.records.lines import Lines
from spacemission_env.records.reader import ReplayedGame

WORLDS = 200  # that a belief is told by
SALT = secrets.token_bytes(32)  # of this process: nobody is to know which worlds these are
MOST_DECISIONS = 64  # that one request may ask an agent about
LIKELIEST = 6  # moves that are told with their probabilities
ADVISERS = ("policy:default", "heuristic", "greedy")  # who is asked first: the ablest that answer at once
# Who plays on where the agent that is asked searches or tries every move: the ablest, where it does not do so
# itself, else a quick one.
ABLE = "heuristic"
FALLBACKS = ("greedy", "random")


def moves(match: Match, viewer: int) -> dict[str, Any]:
    """All moves to look back on: in full where the game is open, else as the viewer saw them."""
    stack: list[dict[str, Any]] = []
    if match.open:
        stack = [{"player": entry.player, "words": entry.told[entry.player]} for entry in line_of(match.log)]
    else:
        for event in match.events(viewer):
            if event.undo:
                stack.pop()
            else:
                stack.append({"player": event.player, "words": event.words})
    return {"open": match.open, "moves": stack}


def game_at(match: Match, viewer: int, seat: int, at: int) -> Game:
    """The game after so many moves, to be seen by a seat; WebError where that is not shown."""
    if match.open:
        if not WATCHER <= seat < len(match.seats):
            raise WebError(f"seat: expected 0 to {len(match.seats) - 1}, not {seat}", 404)
        if not 0 <= at <= len(match.timeline):
            raise WebError(f"at: expected 0 to {len(match.timeline)}, not {at}", 404)
        return match.timeline.at(at)
    if seat != viewer:
        raise WebError("what the others knew is shown when the game is over", 403)
    return match.at_step(viewer, at)


def seen(match: Match, viewer: int, seat: int, at: int, tall: bool) -> dict[str, Any]:
    """A position as a seat knew it."""
    game = game_at(match, viewer, seat, at)
    return {
        "at": at,
        "seat": seat,
        "player": game.player if match.open else None,
        **position.seen(game, seat, tall=tall),
    }


def expected(game: Game, seat: int) -> dict[str, Any]:
    """What a seat could expect where, by kinds."""
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


def adviser(match: Match, thinkers: Thinkers, offered: Mapping[str, tuple[str, str]]) -> str:
    """Who is asked unless one says otherwise: the first that takes this game's rules; "" where none does."""
    names = [name for name in ADVISERS if name in offered]
    names += [name for name in offered if name not in (*ADVISERS, "random")]
    for name in names:
        with suppress(SpaceMissionError), thinkers.lent(offered[name][0], match.game).lend() as agent:
            tell(agent, match.game)
            return name
    return ""


def opinions(
    match: Match, thinkers: Thinkers, agent: str, first: int, last: int, listener: Listener
) -> list[dict[str, Any]]:
    """What an agent thinks of the moves from number `first` to before `last`, from what their seats knew."""
    line = line_of(match.log)
    last = min(last, len(line), first + MOST_DECISIONS)
    found = []
    for at in range(first, last):
        listener.check()
        found.append(_opinion(thinkers, agent, at, match.timeline.at(at), line[at].action))
    return found


def _opinion(thinkers: Thinkers, agent: str, at: int, game: Game, played: int) -> dict[str, Any]:
    choice, told = thinkers.opinion_of(agent, game)
    found: dict[str, Any] = {
        "at": at,
        "player": game.player,
        "played": game.words(played),
        "choice": game.words(choice),
        "same": choice == played,
        "odds": None,
    }
    if told is not None:
        order = [int(a) for a in np.argsort(-told, kind="stable")[:LIKELIEST] if told[a] > 0]
        likeliest = [{"words": game.words(a), "odds": round(float(told[a]), 4)} for a in order]
        odds = {"played": float(told[played]), "choice": float(told[choice])}
        found["odds"] = {**{name: round(one, 4) for name, one in odds.items()}, "moves": likeliest}
    return found


def values(
    match: Match,
    thinkers: Thinkers,
    agent: str,
    seat: int,
    first: int,
    last: int,
    every: int,
    listener: Listener,
) -> dict[str, Any]:
    """How often each seat wins if an agent plays on for all, as a seat could know it.

    Of every n-th move, and of the end.
    """
    end = len(match.timeline)
    numbers = list(range(first, min(last, end + 1, first + every * MOST_DECISIONS), every))
    if numbers and numbers[-1] < end < min(last, numbers[-1] + every):
        numbers.append(end)  # how it ended belongs to the curve
    if not numbers:
        return {"agent": agent, "at": [], "shares": []}
    games = [match.timeline.at(at) for at in numbers]
    with thinkers.lent(agent, games[0]).lend() as made:
        tell(made, games[0])
        shares = win_shares(games, seat, made, going=listener.check)
    return {"agent": agent, "at": numbers, "shares": shares.round(3).tolist()}


def uploaded(data: bytes, number: int) -> tuple[Kept, list[Line]]:
    """Game `number`, from 1, of a record that somebody brought; RecordError where it does not hold."""
    lines = Lines("the record", BytesIO(data), len(data))
    here = 0
    while (line := lines.peek()) is not None:
        if line.type != "game":
            raise lines.refuse(line.number, f"{line.type}: a game has to begin with its game line")
        here += 1
        if here == number:
            return _read(ReplayedGame(lines, here, "perfect_recall"))
        lines.take()
        while (line := lines.peek()) is not None and line.type != "game":
            lines.take()
    raise WebError(
        f"the record has {here} games, there is no game {number}" if here else "no game in the record"
    )


def _read(replayed: ReplayedGame) -> tuple[Kept, list[Line]]:
    game, shuffles = replayed.game, 0
    lines: list[Line] = []
    seats = [Seat(name, None, None) for name in replayed.agents]
    kept = new_kept(game, seats, laid=True, opened=True)
    actions: list[int] = []
    for decision in replayed:
        shuffles = _note(game, lines, actions, shuffles)
        actions.append(decision.action)
    _note(game, lines, actions, shuffles)
    return kept, lines[: replayed.actions]


def _note(game: Game, lines: list[Line], actions: list[int], shuffles: int) -> int:
    """Keep the move just carried out, with what it shuffled."""
    if len(actions) > len(lines):
        order = tuple(game.last_shuffle()) if game.shuffles > shuffles else None
        lines.append(Line(actions[-1], order))
    return game.shuffles


def played_on(match: Match, seats: list[Seat], at: int) -> tuple[Kept, list[Line]]:
    """A new game that goes on after so many moves of this one."""
    if not match.open:
        raise WebError("one can play on from a game that is over, or from a record", 409)
    if not 0 <= at <= len(match.timeline) or match.timeline.at(at).over:
        raise WebError(f"at: expected a move before the end, not {shown(at)}", 404)
    kept = new_kept(match.timeline.at(0), seats, laid=match.kept.laid)
    return kept, [Line(move.action, move.order) for move in match.timeline.moves[:at]]
