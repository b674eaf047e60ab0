"""Plays games with a bot and explains what it does wrong."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from spacemission_agents.bots.bot import SeatBot, result_of
from spacemission_agents.bots.protocol import BotError, Forfeit
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.game_spec import DEFAULT_GAME, GameSpec, find_game

SHOWN = 300  # characters of a line
ADVICE = (  # words of a fault, and what to do about it
    ("exit status 127", "the command cannot be run: check its path, and that the file may be executed"),
    ("not ready within", "read the line `hello`, answer with a line `ready`, and flush standard output"),
    ("no answer within", "answer each `act` with one line that ends with a line feed, and flush it"),
    ("its process ended", "the bot must run until its standard input closes; its log says why it ended"),
    ("no JSON", "write only messages to standard output, and everything else to standard error"),
    ("which JSON does not have", "send whole numbers: JSON has neither NaN nor Infinity"),
    ("not UTF-8", "write UTF-8"),
    ("MiB", "a line may have at most 1 MiB; end each message with a line feed"),
    ("answered id", "copy `id` from the `act` that you answer"),
    ("twice", "write one line for each `act`, and nothing after it"),
    ("nobody asked", "write a line only after `hello` and after each `act`; write prose to standard error"),
    ("message of type", 'the first line is of type "ready", each answer of type "move"'),
    ("protocol: expected", 'say "protocol": 1 in `ready`'),
    ("wants: expected", "want only what `hello` offers"),
    ("either an action or a move", 'answer with "action", an index of `legal`, or with "move", its text'),
    ("actions: expected", "with `batch`, answer with one whole number for each row; null forfeits that row"),
    ("expected a whole number", "an action is a whole number of `legal`"),
    ("expected a text", "a move is one of the texts of `moves`"),
)
ILLEGAL_ADVICE = "choose one of `legal`"
NOT_REPEATED = (
    "it chose other moves when it played the same game again: draw random numbers from `key` alone, and keep "
    "nothing from other games"
)


@dataclass
class Findings:
    """What a check found."""

    name: str = ""
    version: str = ""
    wants: list[str] = field(default_factory=list)
    games: int = 0  # played to their ends
    decisions: int = 0
    seconds: float = 0.0  # of all decisions but the first of each process
    faults: list[str] = field(default_factory=list)  # none: the bot is sound


def check_bot(
    spec: str,
    game: str | GameSpec = DEFAULT_GAME,
    players: int | None = None,
    games: int = 10,
    seconds: float = 10.0,
    seed: int = 0,
) -> Findings:
    """Play games of a bot in every seat, the others at random, and then the first one again.

    Args:
        spec: `command:…` or `module:Class`.
        game: which game.
        players: number of players; None: the game's default.
        games: how many games to play.
        seconds: time limit of a decision.
        seed: of the first game.

    Raises:
        AgentError: there is no such program.
    """
    found, table = Findings(), BatchedGames(1, find_game(game).table_players(players), game=game)
    bots: dict[int, SeatBot] = {}
    try:
        moves = []
        for n in range(games):
            moves.append(_play(found, spec, table, n % table.num_players, seed + n, seconds, bots))
            if found.faults:
                return found
            found.games += 1
        bots.pop(0).close()
        if _play(Findings(), spec, table, 0, seed, seconds, bots) != moves[0]:
            found.faults.append(NOT_REPEATED)
    finally:
        for bot in bots.values():
            bot.close()
    return found


def _play(
    found: Findings,
    spec: str,
    games: BatchedGames,
    seat: int,
    seed: int,
    seconds: float,
    bots: dict[int, SeatBot],
) -> list[int]:
    """Play a game with the bot in a seat; return its moves; note its first fault."""
    games.deal(0, seed)
    rng, one, history, moves = np.random.default_rng(seed), games.game(0), list[str](), list[int]()
    row = np.zeros(1, np.int64)
    while not one.over:
        if one.player == seat:
            try:
                if seat not in bots:
                    bots[seat] = SeatBot(spec, games.info, seat, seconds)
                    ready = bots[seat].ready
                    found.name, found.version, found.wants = ready.name, ready.version, sorted(ready.wants)
            except BotError as fault:
                found.faults.append(_explained(fault.forfeit, "hello"))
                return moves
            decisions = replace(games.ask(row), history=lambda row: history)
            actions, took, forfeits = bots[seat].ask(decisions, lambda row: seed, row)
            action = int(actions[0])
            why = forfeits.get(0) or _illegal(one.why_illegal(action))
            if why is not None:
                found.faults.append(
                    _explained(why, f"act, move {len(moves) + 1} of seat {seat}, seed {seed}")
                )
                return moves
            moves.append(action)
            found.decisions += 1
            found.seconds += took
        else:
            action = int(rng.choice(one.legal_actions()))
        line = one.history_line(action, seat)
        if line is not None:
            history.append(line)
        games.step(row, np.array([action]))
    if seat in bots:
        bots[seat].end(seed, result_of(one))
    return moves


def _illegal(why: str | None) -> Forfeit | None:
    return None if why is None else Forfeit("illegal move", why)


def _explained(why: Forfeit, after: str) -> str:
    advice = ILLEGAL_ADVICE if why.kind == "illegal move" else ""
    advice = next((words for part, words in ADVICE if part in why.text), advice)
    return f"after {after}: {why.text}" + (f" – {advice}" if advice else "")
