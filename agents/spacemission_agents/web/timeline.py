"""The moves of one game, and the game after any number of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from spacemission_env.core.constants import NO_ORDER
from spacemission_env.core.errors import RecordError
from spacemission_env.core.game import Game
from spacemission_env.core.game_spec import game_of_env
from spacemission_env.records.writer import GameRecord

EVERY = 16  # moves between two positions that are kept


@dataclass(frozen=True)
class Move:
    """A move that was made; `order`: names of what it shuffled, where a record says so, else None."""

    action: int
    order: tuple[str, ...] | None = None


class Timeline:
    """A game from its deal to now.

    Attributes:
        now: the game as it stands; to be looked at, not changed.
        moves: that led there.
    """

    def __init__(self, dealt: Game) -> None:
        """`dealt`: just reset."""
        self.now = dealt.clone()
        self.moves: list[Move] = []
        self._kept = [dealt.clone()]

    def __len__(self) -> int:
        """Number of moves."""
        return len(self.moves)

    def push(self, move: Move) -> None:
        """Make a move; IllegalActionError or SetupError where it cannot be, and nothing is changed."""
        _make(self.now, move)
        self.moves.append(move)
        if len(self.moves) % EVERY == 0:
            self._kept.append(self.now.clone())

    def pop(self) -> None:
        """Take the last move back."""
        count = len(self.moves) - 1
        self.now = self.at(count)
        del self.moves[count:], self._kept[count // EVERY + 1 :]

    def at(self, count: int) -> Game:
        """The game after so many moves: a copy."""
        if count == len(self.moves):
            return self.now.clone()
        game: Game = self._kept[count // EVERY].clone()
        for move in self.moves[count // EVERY * EVERY : count]:
            _make(game, move)
        return game

    def record(self, names: Sequence[str]) -> str:
        """The game as a record, format 1; cut short where it is not over."""
        game = self.at(0)
        record = GameRecord(game, names)
        for move in self.moves:
            record.before(move.action)
            _make(game, move)
        if game.over:
            record.finish()
        else:
            record.after()
        return record.text()


def _make(game: Game, move: Move) -> None:
    game.step(move.action, NO_ORDER if move.order is None else game.order_of(list(move.order)))


def dealt_from(header: dict[str, Any], laid: bool) -> Game:
    """The game of a record's first line, just reset: dealt from its seed, or laid by its set-up.

    Raises:
        SpaceMissionError: the line is none of a game that can be played here.
    """
    spec = game_of_env(header.get("env"))
    if spec is None:
        raise RecordError(f"env: {header.get('env')!r} is not installed here")
    rules, components = spec.recorded_rules(header), spec.recorded_components(header)
    game: Game = spec.game(header["num_players"], rules, components)
    game.reset(header["seed"], header["setup"] if laid else None)
    return game
