"""Asks bots for moves, in tournaments (`Bots`) and wherever an agent is named (`CommandAgent`).

A bot is a program that exchanges lines with this package. In a tournament it has its own process for each
line-up and seat: line-ups play the same deals, so one process for two seats would learn what both know.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable

import numpy as np

from spacemission_agents.bots.process import LineProcess
from spacemission_agents.bots.protocol import (
    FAILED,
    FIRST_SECONDS,
    ILLEGAL,
    LINE_BYTES,
    MOST_ROWS,
    START_SECONDS,
    TOO_SLOW,
    BotError,
    Forfeit,
    Ready,
    hello,
    line,
    packed,
    read_moves,
    read_ready,
    record_digest,
)
from spacemission_env.core.agents import Agent, Decisions, GameInfo, agent_entries
from spacemission_env.core.errors import AgentError, IllegalActionError
from spacemission_env.core.game import Game
from spacemission_env.core.game_spec import DEFAULT_GAME, GameSpec, find_game
from spacemission_env.core.reading import Json

OWN_PACKAGE = "spacemission-env"
COMMAND = "command"  # begins the spec of a bot
HOST = "spacemission_agents.bots.host"
SECONDS = 10.0  # time limit of a decision where the caller sets none
MOST_STARTS = 3  # after this number of failed starts in a row, a bot is not started again
MOST_LIVE = 24  # maximum number of live bot processes per worker
Forfeits = dict[int, Forfeit]  # by row


Token = Callable[[int], Hashable]  # gives a value that identifies the game of a row


def is_bot(spec: str, game: str = DEFAULT_GAME) -> bool:
    """Whether an agent plays tournaments in processes of its own, as its code is not from this package."""
    name = spec.strip().partition(":")[0]
    entry = agent_entries(game).get(name)
    own = entry is not None and entry.dist is not None and entry.dist.name == OWN_PACKAGE
    return name == COMMAND or not (own or os.name == "nt")


def command_of(spec: str) -> tuple[list[str], dict[str, str] | None]:
    """The command that runs a bot, and its environment (None: inherited). AgentError: no such program."""
    name, _, rest = spec.strip().partition(":")
    if name != COMMAND:
        path = os.pathsep.join(filter(None, sys.path))
        return [sys.executable, "-m", HOST, spec], os.environ | {"PYTHONPATH": path}
    try:
        words = shlex.split(rest)
    except ValueError as error:
        raise AgentError(f"agent {spec!r}: {error}") from None
    if not words or shutil.which(words[0]) is None:
        raise AgentError(f"agent {spec!r}: expected a command; {words[0] if words else ''!r} is no program")
    return words, None


class SeatBot:
    """A bot in one seat: its process, and the games that it plays there."""

    def __init__(self, spec: str, info: GameInfo, seat: int, seconds: float) -> None:
        """Start the bot; BotError if it does not get ready, or refuses the game."""
        self.seconds = seconds
        self._game = find_game(info.game)
        self._process = LineProcess(*command_of(spec))
        try:
            data = self._process.ask(line(hello(info, seat, seconds)), START_SECONDS)
            self.ready: Ready = read_ready(data)
        except BotError as error:
            self.close()
            if error.forfeit.kind == TOO_SLOW:
                raise BotError(TOO_SLOW, f"was not ready within {START_SECONDS:g} s") from None
            raise
        self.needs = self.ready.wants & {"worlds"}  # for `Decisions.part`
        self._number = 0  # number of the last `act`
        self._ids: dict[Hashable, int] = {}  # numbers of the games under way
        self._games = 0
        self._extra = FIRST_SECONDS
        self._most = self._fitting = MOST_ROWS  # maximum rows of the next batch, by time and by length
        self._digest = record_digest(self._game)

    @property
    def closed(self) -> bool:
        return self._process.closed

    def close(self) -> None:
        """End the process and all that it started."""
        self._process.close()

    def end(self, token: Hashable, result: Json) -> None:
        """Tell the bot how a game ended, if the bot made a decision in it."""
        number = self._ids.pop(token, None)
        if number is not None and not self.closed:
            self._process.send(line({"type": "end", "game_id": number, "result": result}))

    def ask(self, decisions: Decisions, token: Token, rows: np.ndarray) -> tuple[np.ndarray, float, Forfeits]:
        """Ask about the first of these rows; return actions, int64 (n,), seconds for each, and forfeits.

        `decisions` must have `games`; `token` identifies the game in a row of `decisions`.
        """
        assert decisions.games is not None
        batch = "batch" in self.ready.wants
        texts = self._told(decisions, token, rows[: self._most if batch else 1])
        first, self._extra = self._extra, 0.0
        allowed = self.seconds * min(len(texts), MOST_ROWS) + first
        self._number += 1
        head = f'{{"type":"act","id":{self._number},"seconds":{allowed:g},'
        body = f'"rows":[{",".join(texts)}]}}' if batch else texts[0][1:]
        began = time.monotonic()
        actions, forfeits = np.zeros(len(texts), np.int64), {}
        try:
            data = self._process.ask(f"{head}{body}\n".encode("ascii"), allowed)
            took = (time.monotonic() - began) / len(texts)
            moves = read_moves(data, self._number, len(texts) if batch else None)
        except BotError as fault:
            return actions, 0.0, {int(row): fault.forfeit for row in rows[: len(texts)]}
        self._most = max(MOST_ROWS, min(int(self.seconds * MOST_ROWS / 2 / took), self._fitting))
        missing = iter(self._process.last_lines(sum(move is None for move in moves)))
        for place, (row, move) in enumerate(zip(rows.tolist(), moves, strict=False)):
            if move is None:
                forfeits[row] = Forfeit(FAILED, next(missing, "") or "answered null")
                continue
            try:
                actions[place] = decisions.games(row).parse_move(move) if isinstance(move, str) else move
            except OverflowError:
                forfeits[row] = Forfeit(ILLEGAL, f"there is no action {move}")
            except IllegalActionError as error:
                forfeits[row] = Forfeit(ILLEGAL, str(error))
        return actions, 0.0 if first else took, forfeits

    def _told(self, decisions: Decisions, token: Token, rows: np.ndarray) -> list[str]:
        """Describe these decisions to the bot in JSON, as many from the first as fit into one line."""
        wants, part = self.ready.wants, decisions.part(self, rows)
        texts, room = list[str](), LINE_BYTES - 500
        for n, row in enumerate(rows.tolist()):
            legal = np.flatnonzero(part.masks[n]).tolist()
            told = (
                f'{{"game_id":{self._id(token(row))},"key":"{part.keys[n]}",'
                f'"legal":[{",".join(map(str, legal))}]'
            )
            if "observation" in wants:
                told += f',"observation":"{packed(part.observations[n].astype("<f4", copy=False))}"'
            if "worlds" in wants:
                assert part.worlds is not None
                told += f',"worlds":"{packed(part.worlds[n : n + 1])}","dtype":"{self._digest}"'
            if wants & {"moves", "words", "view"}:
                told += "," + line(self._described(decisions, row, legal)).decode("ascii").strip()[1:-1]
            told += "}"
            room -= len(told) + 1
            if texts and room < 0:
                break
            texts.append(told)
        self._fitting = max(1, LINE_BYTES // max(map(len, texts)))
        return texts

    def _described(self, decisions: Decisions, row: int, legal: list[int]) -> Json:
        assert decisions.games is not None
        game, wants, history = decisions.games(row), self.ready.wants, decisions.history
        told: Json = {}
        if "moves" in wants:
            told["moves"] = [{"action": action, "move": game.move_text(action)} for action in legal]
        if "words" in wants:
            told["words"] = [game.words(action, game.player) for action in legal]
        if "view" in wants:
            told["view"] = {**game.seat_json(), "history": history and history(row)}
        return told

    def _id(self, token: Hashable) -> int:
        if token not in self._ids:
            self._games += 1
            self._ids[token] = self._games
        return self._ids[token]


class Bots:
    """The running bots of one process that plays games."""

    def __init__(self, info: GameInfo, seconds: float) -> None:
        """`seconds`: time limit of a decision."""
        self._info, self._seconds = info, seconds
        self._live: OrderedDict[tuple[str, int, int], SeatBot] = OrderedDict()
        self._failed_starts: dict[str, tuple[int, BotError]] = {}

    def answers(
        self, spec: str, line_up: int, seat: int, decisions: Decisions, token: Token, rows: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, Forfeits]:
        """Ask about these rows; return actions, int64 (n,), seconds, float64 (n,), and forfeits by row."""
        actions, seconds, done = np.zeros(len(rows), np.int64), np.zeros(len(rows)), 0
        forfeits: Forfeits = {}
        while done < len(rows):
            try:
                bot = self.get(spec, line_up, seat)
            except BotError as fault:
                return actions, seconds, forfeits | {int(row): fault.forfeit for row in rows[done:]}
            found, took, failed = bot.ask(decisions, token, rows[done:])
            some = slice(done, done + len(found))
            actions[some], seconds[some] = found, took
            forfeits |= failed
            done += len(found)
        return actions, seconds, forfeits

    def get(self, spec: str, line_up: int, seat: int) -> SeatBot:
        """The bot of this line-up and seat; BotError if it cannot be started."""
        key = spec, line_up, seat
        bot = self._live.pop(key, None)
        if bot is None or bot.closed:
            while len(self._live) >= MOST_LIVE:
                self._live.popitem(last=False)[1].close()
            bot = self._start(spec, seat)
        self._live[key] = bot
        return bot

    def _start(self, spec: str, seat: int) -> SeatBot:
        starts, why = self._failed_starts.get(spec, (0, None))
        if why is not None and starts >= MOST_STARTS:
            raise why
        try:
            bot = SeatBot(spec, self._info, seat, self._seconds)
        except BotError as fault:
            self._failed_starts[spec] = starts + 1, fault
            raise
        self._failed_starts.pop(spec, None)
        return bot

    def end(self, spec: str, line_up: int, seat: int, token: Hashable, result: Json) -> None:
        """Tell the bot of this line-up and seat how a game ended."""
        bot = self._live.get((spec, line_up, seat))
        if bot is not None:
            bot.end(token, result)

    def close(self) -> None:
        """End all bots."""
        while self._live:
            self._live.popitem()[1].close()


def try_bot(spec: str, info: GameInfo, seconds: float) -> str:
    """Start and end a bot; return the version that it reports.

    AgentError: the bot cannot be started, or cannot play this game.
    """
    try:
        bot = SeatBot(spec, info, 0, seconds)
        bot.close()
        return bot.ready.version
    except BotError as fault:
        text = fault.forfeit.text
        raise AgentError(text if text.startswith("agent ") else f"agent {spec!r}: {text}") from None


class CommandAgent(Agent):
    """Asks a program of yours, in any language, by JSON lines: `command:./my_bot argument`."""

    needs = {"observations", "games"}

    def __init__(self, parameter: str | None = None, game: str | GameSpec = DEFAULT_GAME) -> None:
        """`parameter`: the command; AgentError if there is no such program."""
        super().__init__()
        self._spec = f"{COMMAND}:{parameter or ''}"
        self.__name__ = self._spec
        command_of(self._spec)
        self._bots: Bots | None = None
        self._playing: dict[tuple[int, int], Game] = {}  # running games by seat and seed

    def prepare(self, info: GameInfo) -> None:
        """Start the bot in seat 0, so that it can refuse the game."""
        self.close()
        self._bots = Bots(info, SECONDS)
        try:
            self.needs = type(self).needs | self._bots.get(self._spec, 0, 0).needs
        except BotError as fault:
            raise AgentError(f"agent {self._spec!r}: {fault}") from None

    def act(self, decisions: Decisions) -> np.ndarray:
        """Ask the bot for moves; AgentError names what the bot did wrong."""
        if decisions.games is None or self._bots is None:
            raise AgentError(f"agent {self._spec!r}: it is told of the game too; use agent.play(game)")
        actions = np.zeros(len(decisions), np.int64)
        games = [decisions.games(row) for row in range(len(decisions))]
        seats = np.array([game.player for game in games])
        for seat in np.unique(seats).tolist():
            self._tell_ends(seat)
            rows = np.flatnonzero(seats == seat)
            actions[rows], _, forfeits = self._bots.answers(
                self._spec, 0, seat, decisions, lambda row: games[row].seed, rows
            )
            for _, forfeit in sorted(forfeits.items()):
                raise AgentError(f"agent {self._spec!r}: player_{seat}: {forfeit.text}")
            self._playing |= {(seat, games[row].seed): games[row] for row in rows.tolist()}
        return actions

    def _tell_ends(self, seat: int) -> None:
        # No front end reports the end of a game, so look at the games.
        for (of_seat, seed), game in list(self._playing.items()):
            if of_seat == seat and (game.seed != seed or game.over):
                del self._playing[of_seat, seed]
                if self._bots and game.seed == seed:
                    self._bots.end(self._spec, 0, seat, seed, result_of(game))

    def close(self) -> None:
        """End the bot's processes."""
        if self._bots:
            for seat in {seat for seat, _ in self._playing}:
                self._tell_ends(seat)
            self._bots.close()
        self._playing.clear()


def result_of(game: Game) -> Json:
    """How a game ended, for the message `end`."""
    return {"reason": game.reason, "scores": game.scores_json(), "winners": game.winners()}
