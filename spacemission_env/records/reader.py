"""Replays game records, format 2, and checks each line against the rules.

Set-ups and shuffles come from the record, never from random numbers. The error for an invalid
record names file, line and reason; an incomplete record is replayed up to its last whole line.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from spacemission_env.core.arguments import check_seed
from spacemission_env.core.errors import RecordError, SpaceMissionError, shown
from spacemission_env.core.game import Game, make_game
from spacemission_env.core.game_spec import game_of_env, loadable_games
from spacemission_env.core.reading import RECORD_LINE_BYTES, Json, loads, open_regular
from spacemission_env.records.writer import FORMAT, action_entry, check_names, game_entry, result_entry

TYPES = ("game", "action", "shuffle", "result")


@dataclass(frozen=True)
class Line:
    """One line of a record: its number in the file, from 1, and its object."""

    number: int
    entry: Json

    @property
    def type(self) -> str:
        return str(self.entry["type"])


class Lines:
    """Reads the lines of a record one at a time, with one line of lookahead.

    It reads at most `size` bytes, so a growing file has an end. It keeps `owner`, whose garbage collection
    would close the file, so that the file stays open during reading.
    """

    def __init__(self, path: str, file: BinaryIO, size: int, owner: object) -> None:
        self.path, self.size, self.owner = path, size, owner
        self.offset = self.number = 0
        self.cut = False  # whether the file ends with an incomplete line
        self._file = file
        self._advance()

    def peek(self) -> Line | None:
        """The next line; None at the end of the file."""
        return self._next

    def take(self) -> Line:
        """Return the next line, which must exist, and advance."""
        line = self._next
        assert line is not None
        self._advance()
        return line

    def refuse(self, line: int, reason: str) -> RecordError:
        return RecordError(f"{self.path}: line {line}: {reason}")

    def _advance(self) -> None:
        self._next: Line | None = None
        try:
            raw = self._file.readline(min(RECORD_LINE_BYTES + 1, self.size - self.offset))
        except OSError as error:
            raise RecordError(f"{self.path}: {error.strerror or error}") from None
        if not raw:
            return
        self.offset += len(raw)
        self.number += 1
        if len(raw) > RECORD_LINE_BYTES:
            raise self.refuse(self.number, f"has more than {RECORD_LINE_BYTES} bytes")
        try:
            entry = loads(raw)
        except (ValueError, RecursionError):
            if not raw.endswith(b"\n"):
                self.cut = True
                return
            raise self.refuse(self.number, "not JSON in UTF-8") from None
        if not isinstance(entry, dict) or entry.get("type") not in TYPES:
            raise self.refuse(self.number, f"expected an object whose type is one of {', '.join(TYPES)}")
        self._next = Line(self.number, entry)


def difference(expected: object, given: object, at: str = "") -> str | None:
    """Describe the first difference of two JSON values; None if they are equal. 1, 1.0 and true differ."""
    if repr(expected) == repr(given):  # fast path
        return None
    differs = f"{at}: {shown(given)}, but the game gives {shown(expected)}"
    if type(expected) is not type(given):
        return differs
    if isinstance(expected, dict) and isinstance(given, dict):
        for key in given:
            if key not in expected:
                return f"{at + ': ' if at else ''}{key!r} is not an entry of format {FORMAT}"
        for key in expected:
            if key not in given:
                return f"{at + '.' if at else ''}{key}: is missing"
        inner = ((f"{at}.{key}" if at else str(key), expected[key], given[key]) for key in expected)
    elif isinstance(expected, list) and isinstance(given, list) and len(expected) == len(given):
        inner = ((f"{at}[{i}]", a, b) for i, (a, b) in enumerate(zip(expected, given, strict=True)))
    else:
        return None if expected == given else differs
    return next((found for where, a, b in inner if (found := difference(a, b, where))), None)


def game_of_header(entry: Json, observation: str = "perfect_recall") -> Game:
    """Set up the game of a header; check every entry."""
    if entry.get("format") != FORMAT:
        raise RecordError(f"format: {entry.get('format')!r} is not known, this version reads {FORMAT!r}")
    spec = game_of_env(entry.get("env"))
    if spec is None:
        known = ", ".join(repr(spec.env) for spec in loadable_games())
        raise RecordError(f"env: {shown(entry.get('env'))} is not known, this version reads {known}")
    num_players = spec.check_num_players(entry.get("num_players"))
    setup = entry.get("setup")
    rules = entry.get("rules")
    if not isinstance(rules, dict):
        raise RecordError(f"rules: expected an object of options, not {shown(rules)}")
    game: Game = make_game(spec, num_players, rules, spec.recorded_components(entry), observation)
    game.reset(check_seed(entry.get("seed")), setup)
    agents: Any = entry.get("agents")
    check_names(agents, num_players)
    expected = game_entry(game, agents)
    # An option that is newer than the record gets its default.
    problem = difference({**expected, "setup": setup}, {**entry, "rules": {**expected["rules"], **rules}})
    if problem:
        raise RecordError(problem)
    return game


@dataclass(frozen=True)
class Decision:
    """A move before it is made: the player, the action, its `Game.move_text`, and its line in the file."""

    player: int
    action: int
    move: str
    line: int


class ReplayedGame:
    """One game of a record file. Iterating plays it: each `Decision` is yielded before its move is made.

    Attributes:
        number: index of the game in the file, from 1.
        line: line of its header.
        agents: names of the agents by seat.
        game: the current position; while iterating, the position before the move of the last decision.
        actions: number of moves made.
        result: the result line after it has been checked, otherwise None.
        cut: what an incomplete record lacks, or None; known after iterating.
    """

    def __init__(self, lines: Lines, number: int, observation: str) -> None:
        """Check the header and set up the game; RecordError names line and reason."""
        header = lines.take()
        self._lines = lines
        self.number = number
        self.line = header.number
        try:
            self.game = game_of_header(header.entry, observation)
        except SpaceMissionError as error:
            raise lines.refuse(header.number, f"game: {error}") from None
        self.agents: list[str] = header.entry["agents"]
        self.actions = 0
        self.result: Json | None = None
        self.cut: str | None = None
        self._moves = self._play()

    def __iter__(self) -> Iterator[Decision]:
        """The remaining decisions."""
        return self._moves

    def finish(self) -> None:
        """Check and make all remaining moves."""
        for _ in self._moves:
            pass

    def _play(self) -> Iterator[Decision]:
        lines, game = self._lines, self.game
        while (line := lines.peek()) is not None and line.type != "game":
            lines.take()
            if line.type == "result":
                self._end(line)
                return
            if line.type == "shuffle":
                raise lines.refuse(line.number, "shuffle: the draw pile was not formed anew here")
            if game.over:
                raise lines.refuse(line.number, "action: the game is over, a result line is due")
            action = self._checked_action(line)
            yield Decision(int(line.entry["player"]), action, line.entry["move"], line.number)
            if not self._carry_out(action, line.number):
                return
            self.actions += 1
        self.cut = f"cut short after {self.actions} actions: no result line"

    def _checked_action(self, line: Line) -> int:
        """Return the action of a line; RecordError if the line's player, legal actions or move are wrong."""
        entry = line.entry
        player, action = entry.get("player"), entry.get("action")
        if type(player) is not int or player != self.game.player:
            raise self._lines.refuse(line.number, f"player: {player!r}, but it is {self.game.player}'s turn")
        reason = self.game.why_illegal(action)
        if reason or type(action) is not int:
            raise self._lines.refuse(line.number, reason or f"action: expected an integer, not {action!r}")
        expected, legal = action_entry(self.game, action), entry.get("legal")
        if legal != expected["legal"] and isinstance(legal, list) and all(type(a) is int for a in legal):
            entry = {**entry, "legal": sorted(legal)}  # the order does not matter
            for other in sorted(set(legal) ^ set(expected["legal"])):
                reason = "is not legal here" if other in legal else "is left out"
                raise self._lines.refuse(line.number, f"action: legal: {other} {reason}")
        self._compare(line.number, expected, entry)
        return action

    def _carry_out(self, action: int, number: int) -> bool:
        """Make the move; if it shuffles, read the shuffle from the next line, or return False without one."""
        lines, game = self._lines, self.game
        before, shuffles = game.states.copy(), game.shuffles
        game.step(action)
        if game.shuffles == shuffles:
            return True
        discards = Counter(game.last_shuffle())
        game.states[:] = before
        following = lines.peek()
        if following is None or following.type == "game":
            self.cut = f"cut short after {self.actions} actions: no shuffle for line {number}"
            return False
        if following.type != "shuffle":
            raise lines.refuse(following.number, f"expected the shuffle that line {number} caused")
        game.step(action, self._order(lines.take(), discards))
        return True

    def _order(self, line: Line, discards: Counter[str]) -> np.ndarray:
        """Convert the shuffle of a line to `step`'s `order`; it must contain the whole discard pile."""
        pile = line.entry.get("draw_pile")
        if not isinstance(pile, list) or not all(isinstance(card, str) for card in pile):
            raise self._lines.refuse(line.number, "shuffle: draw_pile: expected a list of card ids")
        self._compare(line.number, {"type": "shuffle", "draw_pile": pile}, line.entry)
        given = Counter(pile)
        for card in sorted(set(given) | set(discards)):
            if given[card] != discards[card]:
                counts = f"{given[card]} of {card!r}, the discard pile has {discards[card]}"
                raise self._lines.refuse(line.number, f"shuffle: draw_pile: {counts}")
        return self.game.order_of(pile)

    def _end(self, line: Line) -> None:
        if not self.game.over:
            raise self._lines.refuse(line.number, "result: the game is not over")
        self._compare(line.number, result_entry(self.game), line.entry)
        self.result = line.entry
        following = self._lines.peek()
        if following is not None and following.type != "game":
            raise self._lines.refuse(following.number, f"{following.type}: the game ended with its result")

    def _compare(self, number: int, expected: Json, given: Json) -> None:
        problem = difference(expected, given)
        if problem:
            raise self._lines.refuse(number, f"{expected['type']}: {problem}")


class Replay:
    """The games of a record, in order; see `replay_file`.

    Attributes:
        size: size of the file when it was opened; later bytes are not read.
        games: number of games read so far, skipped ones included.
        note: a remark if the file ends in an incomplete line after a whole game, or None; known at the end.
    """

    def __init__(
        self, path: str, file: BinaryIO, game: int | None = None, observation: str = "perfect_recall"
    ) -> None:
        """Replay an open file and close it at the end; messages begin with `path`."""
        self.path = path
        self.size = file.seek(0, os.SEEK_END)
        self.games = 0
        self.note: str | None = None
        self._lines: Lines | None = None
        file.seek(0)
        self._iterator = self._replay(file, game, observation)

    @property
    def offset(self) -> int:
        return self._lines.offset if self._lines else 0

    def __iter__(self) -> Iterator[ReplayedGame]:
        """The remaining games; the rest of a game is checked before the next game is yielded."""
        return self._iterator

    def __next__(self) -> ReplayedGame:
        return next(self._iterator)

    def _replay(self, file: BinaryIO, only: int | None, observation: str) -> Iterator[ReplayedGame]:
        with file:
            lines = self._lines = Lines(self.path, file, self.size, self)
            while (line := lines.peek()) is not None:
                if line.type != "game":
                    raise lines.refuse(line.number, f"{line.type}: a game has to begin with its game line")
                self.games += 1
                if only not in (None, self.games):
                    lines.take()
                    while (line := lines.peek()) is not None and line.type != "game":
                        lines.take()
                    continue
                replayed = ReplayedGame(lines, self.games, observation)
                yield replayed
                replayed.finish()
                if only is not None:
                    return
                if lines.cut and replayed.result:
                    self.note = f"line {lines.number} is cut short: a game not begun"
            if only is not None:
                raise RecordError(f"{self.path}: there is no game {only}, the file has {self.games}")
            if not self.games:
                raise RecordError(f"{self.path}: no game record in it")


def replay_file(path: str | Path, game: int | None = None, observation: str = "perfect_recall") -> Replay:
    """Check and replay the games of a record file, reading it line by line.

    ```python
    for replayed in replay_file("games.jsonl"):
        for decision in replayed:
            replayed.game.observe(decision.player), decision.action  # the position before the move
        print(replayed.game.scores(), replayed.cut)
    ```

    Args:
        path: the file.
        game: replay only this game of the file, counted from 1; the others are read but not checked.
        observation: observation mode of the games.

    Raises:
        RecordError: raised while iterating; it names the file, the line, and why the record is invalid.
    """
    return Replay(str(path), open_regular(path, RecordError, str(path)), game, observation)
