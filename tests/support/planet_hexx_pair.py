"""Plays positions of Planet Hexx in the engine and in the independent rules at once."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np

from spacemission_env.games.planet_hexx.components.deck import Deck
from spacemission_env.games.planet_hexx.components.parse import components_from_data
from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.engine.board import lay
from spacemission_env.games.planet_hexx.engine.cards import put_in_hand
from spacemission_env.games.planet_hexx.engine.play import proceed
from spacemission_env.games.planet_hexx.engine.turn import clear
from spacemission_env.games.planet_hexx.game import Game
from tests.oracle.planet_hexx.board import NUMBER_OF
from tests.oracle.planet_hexx.cards import DECK_FILE, OWN_FILE, rows_of
from tests.oracle.planet_hexx.chance import Chance
from tests.oracle.planet_hexx.situations import Situation as PlainSituation
from tests.oracle.planet_hexx.table import Seat, Table
from tests.support.planet_hexx_snapshot import snapshot

EVENT = "eager_interns"


@cache
def seed_for(dice: tuple[int, ...]) -> int:
    """A seed whose first dice show these faces."""
    seed = 1
    while True:
        chance = Chance(seed)
        if all(chance.die() == face for face in dice):
            return seed
        seed += 1


@cache
def deck_in(file: Path) -> Deck:
    return components_from_data(rows_of(file), file.name)


class Situation(PlainSituation):
    """A position in the engine and in the independent rules; both must be equal after every move.

    `dice` are the first faces that the random numbers give.
    """

    def __init__(self, *, dice: Sequence[int] = (), seed: int = 1, **given: object) -> None:
        super().__init__(seed=seed_for(tuple(dice)) if dice else seed, **given)
        known = [deck_in(file) for file in (OWN_FILE, DECK_FILE) if self.data is rows_of(file)]
        self.engine = engine_of(self.table, known[0] if known else components_from_data(self.data, "changed"))
        self.compare()

    def step(self, action: int) -> None:
        super().step(action)
        self.engine.step(action)
        self.compare()

    def compare(self) -> None:
        """Check that both are equal, random state included."""
        ours, theirs = snapshot(self.engine), self.snapshot()
        ours["rng"] = self.engine.states[0].rng.tolist()
        theirs["rng"] = [int(word) for word in self.table.chance.rng]
        differ = {name: (ours[name], theirs[name]) for name in theirs if ours[name] != theirs[name]}
        assert differ == {}, f"engine and plain rules: {differ}"

    def stack_deck(self, top: Sequence[str], rest: bool) -> None:
        """Restart the random numbers, because the set-up before has used some."""
        super().stack_deck(top, rest)
        self.table.chance = Chance(self.table.chance.seed)


def doing(*program: list[object], hands: Sequence[Sequence[str]] = (), **given: object) -> Situation:
    """A position after seat 0 has played an Event with this effect (The Eager Interns, changed)."""
    own, *others = hands or [[]]
    changes = {**given.pop("changes", {}), EVENT: {"play": [list(program)]}}
    return Situation(hands=[[*own, EVENT], *others], changes=changes, **given).play(EVENT)


def engine_of(table: Table, deck: Deck) -> Game:
    """The engine's game with the same position as a table of the independent rules."""
    game = Game(len(table.seats), table.rules, deck)
    game.reset(1)
    s, box = game.states[0], game.t
    kinds = {card.id: kind for kind, card in enumerate(deck.cards)}
    clear(s, len(table.seats))
    s.rng[:] = table.chance.rng
    s.start_player, s.active, s.turn = table.first, table.active, table.turn
    s.phase, s.actions_left = c.BEGINNING, table.actions_left
    for k in range(c.ACTIONS):
        s.gained[k] = table.gained.get(c.ACTION_NAMES[k], 0)
    for cell, hex_ in table.board.items():
        place = NUMBER_OF[cell]
        lay(s, box, place, kinds[hex_.kind.id], hex_.rotation)
        s.hex_data[place] = hex_.data
    for seat in table.seats:
        lay_seat(s, seat, kinds)
    s.deck[: len(table.deck)] = [kinds[card.kind.id] for card in table.deck]
    s.deck_size, s.shuffles = len(table.deck), table.shuffles
    for kind in table.cards.kinds:
        s.discard[kinds[kind.id]] = table.discard[kind.number]
    s.discard_size = sum(table.discard)
    proceed(s, box)
    return game


def lay_seat(s: np.record, seat: Seat, kinds: dict[str, int]) -> None:
    j = seat.number
    s.ship[j] = NUMBER_OF[seat.ship]
    s.landed[j] = c.NOWHERE if seat.last_landed is None else NUMBER_OF[seat.last_landed]
    s.store[j], s.counters[j] = seat.store, seat.counters
    s.file[j], s.side[j] = seat.file, seat.side
    s.points[j] = [c.TYPE_NAMES.index(point) for point in seat.points]
    s.filled[j] = [c.NOTHING if card is None else kinds[card.kind.id] for card in seat.filled]
    for card in seat.hand:
        put_in_hand(s, j, kinds[card.kind.id], int(card.known), card.epoch)
