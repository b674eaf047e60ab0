"""Faults of four games, for `planted_games.planted`: what a check must find, as one table."""

from typing import Any, NamedTuple

import numpy as np

from spacemission_env.core.game_spec import GameSpec, find_game
from spacemission_env.games.space_mission.engine.knowledge import SEAT_KEY
from tests.support import leduc
from tests.support.planted_games import Fault

KUHN, LEDUC, SPACE, HEXX = "kuhn_poker", "leduc", "space_mission", "planet_hexx"


class Planted(NamedTuple):
    game: str
    function: str
    what: str
    fault: Fault

    @property
    def spec(self) -> GameSpec:
        return leduc.SPEC if self.game == LEDUC else find_game(self.game)

    @property
    def name(self) -> str:
        return f"{self.game}, {self.function}: {self.what}"


def key(part: slice | int, value: Any = 0) -> Fault:
    """A key with a constant, or `value(s, seat)`, in one part."""

    def fault(right: Any, s: Any, t: Any, seat: int, out: np.ndarray) -> None:
        right(s, t, seat, out)
        out[part] = value(s, seat) if callable(value) else value

    return fault


def no_hand(right: Any, s: Any, t: Any, seat: int, out: np.ndarray) -> None:
    """Space Mission: the hand stands behind the discard and the seats that are there."""
    right(s, t, seat, out)
    end = len(out) - SEAT_KEY * (5 - int(s.num_players))
    out[end - 55 : end - 50] = 0


def world(change: Any) -> Fault:
    """A world that is changed after it was drawn: `change(w, s, seat)`."""

    def fault(right: Any, s: Any, t: Any, seat: int, seed: int, out: np.ndarray) -> None:
        right(s, t, seat, seed, out)
        change(out[0], s, seat)

    return fault


def truth(right: Any, s: Any, t: Any, seat: int, seed: int, out: np.ndarray) -> None:
    out[0] = s


def one_world(right: Any, s: Any, t: Any, seat: int, seed: int, out: np.ndarray) -> None:
    right(s, t, seat, 7, out)


def keep(*names: str) -> Any:
    def change(w: Any, s: Any, seat: int) -> None:
        for name in names:
            w[name] = s[name]

    return change


def swap_back(w: Any, s: Any, seat: int) -> None:
    """The other seat has its true card more often than by chance."""
    if int(w.rng[0]) % 2:
        place = int(np.flatnonzero(w.cards == s.cards[1 - seat])[0])
        if place != seat:
            w.cards[place], w.cards[1 - seat] = w.cards[1 - seat], w.cards[place]


def no_pair(w: Any, s: Any, seat: int) -> None:
    """The other seat never has the rank of the public card."""
    if s.shown and w.cards[1 - seat] // 2 == w.cards[2] // 2:
        w.cards[5], w.cards[1 - seat] = w.cards[1 - seat], w.cards[5]


def lowest(w: Any, s: Any, seat: int) -> None:
    """The other seat has the lower of two cards, its own and one left out."""
    if w.cards[5] < w.cards[1 - seat]:
        w.cards[5], w.cards[1 - seat] = w.cards[1 - seat], w.cards[5]


def shows(piece: str, place: Any, when: Any) -> Fault:
    """An observation with a 1 at `place(s, seat)` of a piece, when `when(s, seat)`."""

    def fault(s: Any, seat: int, recall: int, numbers: np.ndarray) -> None:
        if when(s, seat):
            numbers[PIECES[piece].start + int(place(s, seat))] = 1

    return fault


def lacks(piece: str) -> Fault:
    def fault(s: Any, seat: int, recall: int, numbers: np.ndarray) -> None:
        numbers[PIECES[piece]] = 0

    return fault


def forbids(action: Any, when: Any) -> Fault:
    """A mask without an action, when `when(s, seat)`; another action must be left."""

    def fault(s: Any, seat: int, mask: np.ndarray) -> None:
        if mask.sum() > 1 and when(s, seat):
            mask[np.flatnonzero(mask)[-1] if action is None else action] = 0

    return fault


def always(value: int) -> Fault:
    return lambda right, s: value


def number(change: Any) -> Fault:
    return lambda right, s: (right(s) ^ int(change(s))) & (2**63 - 1)


def scores(change: Any) -> Fault:
    def fault(right: Any, s: Any, t: Any, out: np.ndarray) -> None:
        right(s, t, out)
        change(s, out)

    return fault


def next_seat(s: Any, seat: int) -> int:
    return (int(seat) + 1) % int(s.num_players)


def others_card(s: Any, seat: int) -> int:
    return int(s.cards[next_seat(s, seat)])


def others_hand(s: Any, seat: int) -> int:
    return int(s.hand[next_seat(s, seat), 0])


def low_card(s: Any, seat: int) -> bool:
    return 0 <= others_hand(s, seat) < 15


def add(when: Any, column: int = 0, amount: int = 1) -> Any:
    def change(s: Any, out: np.ndarray) -> None:
        if s.over and when(s):
            out[0, column] += amount

    return change


def nothing(s: Any, out: np.ndarray) -> None:
    out[: s.num_players] = 0


PIECES = {
    f"{game}.{name}": piece.slice
    for game in (KUHN, SPACE, HEXX)
    for name, piece in find_game(game).layout.items()
} | {f"{LEDUC}.{name}": piece.slice for name, piece in leduc.LAYOUT.items()}


def with_next(card: Any) -> Fault:
    """A key that also tells a card of the next seat."""
    return key(1, lambda s, seat: seat + 64 * card(s, seat))


FAULTS = [
    Planted(KUHN, "write_key", "without the own card", key(2)),
    Planted(KUHN, "write_key", "without the betting", key(slice(3, None), -1)),
    Planted(KUHN, "write_key", "with the next seat's card", with_next(others_card)),
    Planted(KUHN, "determinize", "the truth", truth),
    Planted(KUHN, "determinize", "always one world", one_world),
    Planted(KUHN, "observe", "the next seat's card after a bet",
            shows("kuhn_poker.card", others_card, lambda s, seat: s.bet_at >= 0)),
    Planted(KUHN, "write_mask", "no call against the highest card",
            forbids(1, lambda s, seat: s.bet_at >= 0 and others_card(s, seat) == s.num_players)),
    Planted(KUHN, "decision_key", "tells the next seat's card",
            number(lambda s: others_card(s, int(s.player)))),
    Planted(KUHN, "score", "a chip too much for seat 0", scores(add(lambda s: True))),
    Planted(LEDUC, "write_key", "without the public card", key(2, -1)),
    Planted(LEDUC, "write_key", "without the own card", key(1)),
    Planted(LEDUC, "write_key", "without the decisions of the first round",
            key(slice(3, 7), lambda s, seat: np.where(s.shown, -1, s.history[:4]))),
    Planted(LEDUC, "determinize", "always one world", one_world),
    Planted(LEDUC, "determinize", "the truth once the public card is shown",
            world(lambda w, s, seat: keep("cards")(w, s, seat) if s.shown else None)),
    Planted(LEDUC, "determinize", "low cards more often", world(lowest)),
    Planted(LEDUC, "determinize", "no pair for the other seat", world(no_pair)),
    Planted(LEDUC, "determinize", "the true card more often", world(swap_back)),
    Planted(LEDUC, "observe", "the public card before it is turned",
            shows("leduc.public", lambda s, seat: s.cards[2], lambda s, seat: True)),
    Planted(LEDUC, "observe", "the other card after two late bets",
            shows("leduc.card", others_card, lambda s, seat: s.shown and s.raises == 2)),
    Planted(LEDUC, "observe", "without the public card", lacks("leduc.public")),
    Planted(LEDUC, "decision_key", "the same in every game", lambda right, s: int(s.decisions) + 1),
    Planted(LEDUC, "write_mask", "no second bet in the second round",
            forbids(2, lambda s, seat: s.shown and s.raises == 1)),
    Planted(LEDUC, "score", "a chip too much after a late fold",
            scores(add(lambda s: s.folded >= 0 and s.shown))),
    Planted(SPACE, "write_key", "without the ring and its piles", key(slice(13, 13 + 8 * 56))),
    Planted(SPACE, "write_key", "without the own hand", no_hand),
    Planted(SPACE, "write_key", "with a card of the next seat", with_next(others_hand)),
    Planted(SPACE, "determinize", "the truth", truth),
    Planted(SPACE, "determinize", "always one world", one_world),
    Planted(SPACE, "determinize", "with the true tiles", world(keep("pile"))),
    Planted(SPACE, "observe", "whether the next seat has one of some cards",
            shows("space_mission.last_from", lambda s, seat: 0, low_card)),
    Planted(SPACE, "write_mask", "not the last move after a reservation",
            forbids(None, lambda s, seat: s.reserved[seat].any())),
    Planted(SPACE, "decision_key", "always one", always(5)),
    Planted(SPACE, "score", "all have nothing", scores(nothing)),
    Planted(HEXX, "write_key", "without the board", key(slice(-217 - 224 - 36 - 36, -224 - 36 - 36))),
    Planted(HEXX, "write_key", "with a card of the next seat", with_next(others_hand)),
    Planted(HEXX, "determinize", "the truth", truth),
    Planted(HEXX, "determinize", "always one world", one_world),
    Planted(HEXX, "observe", "a card of the next seat",
            shows("planet_hexx.hand_kinds", others_hand, lambda s, seat: True)),
    Planted(HEXX, "decision_key", "always one", always(5)),
    Planted(HEXX, "write_mask", "not the last move in a window", forbids(None, lambda s, seat: s.depth > 1)),
    Planted(HEXX, "score", "more Uploads than there are for seat 0", scores(add(lambda s: True, 0, 7))),
]  # fmt: skip
