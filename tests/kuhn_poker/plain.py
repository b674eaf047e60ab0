"""Implements Kuhn poker in plain Python from the published rules, independent of the game under test.

A position is a deal (the card of each seat, 0 the lowest) and a history of moves: "p" pass, "b" bet.
"""

from collections.abc import Iterator
from itertools import permutations

Deal = tuple[int, ...]


def deals(players: int) -> list[Deal]:
    """Every deal of a deck with one card more than players."""
    return list(permutations(range(players + 1), players))


class Table:
    """The table after a history: who has yet to act, who has not folded, and what each has paid."""

    def __init__(self, players: int, history: str, ante: int = 1) -> None:
        self.paid = {seat: ante for seat in range(players)}
        self.inside = set(range(players))
        self.to_speak = list(range(players))
        self.facing_bet = False
        for move in history:
            seat = self.to_speak.pop(0)
            if move == "b":
                self.paid[seat] += 1
                if not self.facing_bet:
                    self.facing_bet = True
                    self.to_speak = [*range(seat + 1, players), *range(seat)]
            elif self.facing_bet:
                self.inside.discard(seat)

    @property
    def mover(self) -> int | None:
        """The seat to act; None after the betting."""
        return self.to_speak[0] if self.to_speak else None

    def gains(self, deal: Deal) -> list[int]:
        """What each seat has won after the betting."""
        taker = max(self.inside, key=lambda seat: deal[seat])
        pot = sum(self.paid.values())
        return [(pot if seat == taker else 0) - paid for seat, paid in self.paid.items()]


def histories(players: int, history: str = "") -> Iterator[str]:
    """Every history, including finished ones."""
    yield history
    if Table(players, history).mover is not None:
        for move in "pb":
            yield from histories(players, history + move)
