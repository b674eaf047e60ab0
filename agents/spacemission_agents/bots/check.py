"""Plays games with a bot and explains what it does wrong."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from spacemission_agents.arena.play import TournamentPlayer
from spacemission_agents.arena.results import Games
from spacemission_agents.arena.schedule import Limits, Tournament
from spacemission_agents.bots.bot import SeatBot
from spacemission_agents.bots.protocol import ILLEGAL, BotError, Forfeit
from spacemission_env.core.agents import GameInfo
from spacemission_env.core.game_spec import DEFAULT_GAME, GameSpec, find_game

ADVICE = (  # words in the text of a fault, and advice for it
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
    seconds: float = 0.0  # thinking time of all decisions except the first of each process
    faults: list[str] = field(default_factory=list)  # empty: the bot is sound


def check_bot(
    spec: str,
    game: str | GameSpec = DEFAULT_GAME,
    players: int | None = None,
    games: int = 10,
    seconds: float = 10.0,
    seed: int = 0,
) -> Findings:
    """Play games with a bot in every seat against random agents, then the first game again.

    Args:
        spec: `command:…` or `module:Class`.
        game: the game, or its name.
        players: number of players; None: the game's default.
        games: how many games to play.
        seconds: time limit of a decision.
        seed: seed from which the games' seeds follow.

    Raises:
        AgentError: there is no such program.
    """
    of, found = find_game(game), Findings()
    info = GameInfo.of(of.table_players(players), of.make_rules(None), of.load_components(None), of)
    try:
        bot = SeatBot(spec, info, 0, seconds)
    except BotError as fault:
        found.faults.append(_explained(fault.forfeit, "hello"))
        return found
    bot.close()
    found.name, found.version, found.wants = bot.ready.name, bot.ready.version, sorted(bot.ready.wants)
    limits, setting = Limits(None, seconds_per_decision=seconds), (info.rules, info.components)
    tournament = Tournament((spec, "random"), info.num_players, seed, *setting, limits, 1, game=of.name)
    numbers = tournament.schedule.numbers(0, 0, games)[:games]
    first = _play(found, tournament, numbers)
    if not found.faults and _play(Findings(), tournament, numbers[:1]) != first:
        found.faults.append(NOT_REPEATED)
    return found


def _play(found: Findings, of: Tournament, numbers: np.ndarray) -> str | None:
    """Play games with the bot one by one; return the record of the first game, or None after a fault."""
    played: list[Games] = []
    player = TournamentPlayer(of)
    try:
        for number in numbers:
            player.play(np.array([number]), played.append)
            row, seat = played[-1].rows[0], of.schedule.lineups_of(number).tolist().index(0)
            found.decisions += int(row["decisions"][seat])
            found.seconds += float(row["seconds"][seat])
            for kind, text in played[-1].why.values():
                dealt = of.schedule.seed_of(int(number))
                where = f"move {row['decisions'][seat]} of seat {seat}, game {number}, seed {dealt}"
                found.faults.append(_explained(Forfeit(kind, text), f"act, {where}"))
                return None
            found.games += 1
    finally:
        player.close()
    return played[0].records[int(numbers[0])]


def _explained(why: Forfeit, after: str) -> str:
    advice = ILLEGAL_ADVICE if why.kind == ILLEGAL else ""
    advice = next((words for part, words in ADVICE if part in why.text), advice)
    return f"after {after}: {why.text}" + (f" – {advice}" if advice else "")
