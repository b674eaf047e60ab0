"""Adds to `core.game.Game` what only Space Mission has."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from spacemission_env.core import game as core
from spacemission_env.core.arguments import check_number, whole_numbers
from spacemission_env.core.errors import ComponentsError, SetupError
from spacemission_env.core.reading import Json
from spacemission_env.games.space_mission import setup as setups
from spacemission_env.games.space_mission import text
from spacemission_env.games.space_mission.actions import Move, kind_of, slots_of
from spacemission_env.games.space_mission.components.parts import Components
from spacemission_env.games.space_mission.engine import constants as c
from spacemission_env.games.space_mission.options import Rules
from spacemission_env.games.space_mission.spec import SPEC
from spacemission_env.games.space_mission.view import Beside, View, beside, read_view, seen

TILES = tuple(name.replace("_", " ") for name in c.KIND_NAMES)
COORDINATES = tuple(
    f"{colour} {number}" for colour in ("jump", "scan", "landing") for number in (1, 2, 3, 4, "?")
)


class Game(core.Game):
    """One game of Space Mission; arguments as for `core.game.Game`.

    A `setup` has the form of the set-up in a record (docs/records.md). The `order` of `step` holds a face for
    each card: the index of the first card with the same id.
    """

    spec = SPEC
    rules: Rules
    components: Components

    def _check_box(self) -> None:
        """Raise ComponentsError if there are too few cards for the hands (SM-06)."""
        dealt, cards = self.num_players * self.rules.hand_size, len(self.components.cards)
        if dealt >= cards:
            raise ComponentsError(
                f"components {self.components.name!r}: {cards} cards are too few: "
                f"{self.num_players} players are dealt {self.rules.hand_size} each"
            )

    def _lay(self, seed: int, setup: Json) -> None:
        setups.lay(self.states[0], self.t, self.components, self.num_players, seed, setup)

    def _checked_order(self, action: int, order: object) -> np.ndarray:
        faces = whole_numbers("order", order)
        s = self.states[0]
        pile = s.discard.astype(np.int64)
        if kind_of(action) == "top_up":  # the only move that draws cards
            np.add.at(
                pile, [s.hand[s.player, slot] for slot in slots_of(action)], 1
            )  # `np.add.at` also counts cards with the same face
        inside = ((faces >= 0) & (faces < c.CARDS)).all()
        if len(faces) and (not inside or (np.bincount(faces, minlength=c.CARDS) != pile).any()):
            raise SetupError(f"order: expected the {pile.sum()} cards of the discard pile, not others")
        return faces.astype(np.int8)

    @property
    def phase(self) -> str:
        """The phase: "action", a tile pick ("reserve", "develop" or "discover"), or "over"."""
        return c.PHASE_NAMES[int(self.states[0].phase)]

    def position(self) -> bytes:
        """As in `core.game.Game`, but without the drawn cards that stay in the draw pile's array."""
        bare = self.clone()
        bare.states["draw"][0, bare.states["draw_size"][0] :] = 0
        return super(Game, bare).position()

    # ------------------------------------------------------------ what is seen

    def seat_view(self, seat: int | None = None) -> View:
        """What a seat (default: the one to act) knows, read from its observation alone (SM-73)."""
        names = [self.planet_name(p) for p in range(self.components.ring)]
        seen = self.whole_numbers(seat), self.observe(seat)
        return read_view(*seen, self.parameters, self.rounds, self.components, names)

    def _seen(self, seat: int | None) -> Json:
        return seen(self.seat_view(seat or 0), seat, self._beside(seat), self.components.cards)

    def _beside(self, seat: int | None) -> Beside:
        remembers = bool(self.recall) or self.rules.reserved_tiles_visible
        return beside(self.states[0], seat, self.scores(), self.components.ring, remembers)

    def board(self, seat: int | None = None) -> str:
        """The table as text, as a seat (default: the one to act) knows it."""
        whose = int(self.states[0].player) if seat is None else seat
        return text.board(self.seat_view(seat), whose, self._beside(whose))

    def open_board(self) -> str:
        """The table as text with all hands and tiles shown, from the observations of all seats."""
        return text.open_board([self.seat_view(seat) for seat in range(self.num_players)])

    def _move_words(self, action: int, seat: int | None) -> str:
        s, player = self.states[0], int(self.states[0].player)
        planet = self.planet_name(int(s.ship[player])) if s.ship[player] >= 0 else None
        return text.move_words(self._named(action), player, planet, self.phase == "reserve", seat)

    def result_words(self, agents: Sequence[str] | None = None) -> str:
        """The scores and, at the end, the winners, as text."""
        return text.result_words(self.scores_json(), self.winners() if self.over else [], agents)

    def contents(self) -> list[core.Contents]:
        """Counts of tiles in piles and of seats, and of card coordinates in hands and the draw pile."""
        s = self.states[0]
        names = [self.planet_name(p) for p in range(self.components.ring)]
        return [_tile_contents(s, names), _card_contents(s, self.t.card_shown)]

    # ------------------------------------------------------------ set-ups, shuffles

    def setup_json(self) -> Json:
        """The set-up of a game just reset, in the form of a record (docs/records.md)."""
        return setups.read(self._started(), self.components, self.num_players)

    @property
    def shuffles(self) -> int:
        """How often the discard pile was shuffled into a draw pile (SM-23)."""
        return int(self.states[0].shuffles)

    def last_shuffle(self) -> list[str]:
        """The new draw pile, in the order of drawing, after a move that shuffled the discard pile (SM-23)."""
        s = self._started()
        if not s.shuffles:
            raise SetupError("last_shuffle: the discard pile has not been shuffled yet")
        formed = len(self.components.cards) - int(s.epoch_size.sum())  # all cards that were not in hands
        return [self.components.cards[card].id for card in s.draw[:formed][::-1]]

    def order_of(self, names: list[str]) -> np.ndarray:
        """Convert card ids, in the order of drawing, to the `order` of `step`: int8 faces (n,)."""
        ids = [card.id for card in self.components.cards]
        return np.array([ids.index(name) for name in names], np.int8)

    # ------------------------------------------------------------ moves in words

    def _move_text(self, action: int) -> str:
        return str(self._named(action))

    def _named(self, action: int) -> Move:
        """Name a move's cards and planet; its slots must hold cards, and its planet must be in the ring."""
        kind, hand = kind_of(action), self.states["hand"][0, self._header("player")]
        cards = tuple(self.components.cards[hand[slot]].id for slot in slots_of(action))
        return Move(kind, self._target(kind, action), cards)

    def _target(self, kind: str, action: int) -> str:
        if kind == "jump":
            return self.planet_name((action - c.JUMP) % c.RING)
        if kind == "fly":
            step = 1 if action == c.FLY_NEXT else -1
            here = int(self.states["ship"][0, self._header("player")])
            return self.planet_name((here + step) % self.components.ring)
        return c.KIND_NAMES[action - c.TAKE] if kind == "take" else ""

    def planet_name(self, p: int) -> str:
        """The name of the planet at a ring position."""
        p = check_number("planet", p, 0, self.components.ring - 1)
        self._started()
        return self.components.planets[self.states["ring"][0, p]].name

    def move_seen(self, action: int, seat: int | None) -> str | None:
        """The move's text as a seat sees it; the kind of a tile that another seat takes is hidden (SM-71)."""
        text = self.move_text(action)
        hidden = kind_of(int(action)) == "take" and seat not in (None, self.player)
        return "take" if hidden else text

    def _why_not(self, action: int) -> str:
        return f"({kind_of(action)}) is illegal: {self._reason(action)}"

    def _reason(self, action: int) -> str:
        s, kind = self.states[0], kind_of(action)
        seat = int(s.player)
        here, size = int(s.ship[seat]), int(s.hand_size[seat])
        if (kind == "take") != (self.phase != "action"):
            return "a tile has to be picked now" if kind != "take" else "there is no tile pick now"
        if kind == "take":
            return f"no {c.KIND_NAMES[action - c.TAKE]} tile may be taken from this pile (SM-31, SM-45)"
        if any(slot >= size for slot in slots_of(action)):
            return f"the hand has only {size} cards"
        if kind in ("scan", "develop", "discover", "fly") and here == c.NOWHERE:
            return "the ship is on the jump gate (SM-25, SM-26)"
        if kind in ("jump", "scan", "develop") and s.supply[seat] == 0:
            return "no chip is left in the supply (SM-28)"
        if kind == "jump" and (action - c.JUMP) % c.RING >= self.components.ring:
            return f"the ring has only {self.components.ring} planets"
        if kind == "fly":
            return "of two planets, the other one is the next one (SM-25)"
        if kind == "jump" and (action - c.JUMP) % c.RING == here:
            return "the ship is already there (SM-24)"
        if kind in ("scan", "develop") and s.station[here] != c.NOWHERE:
            return "the planet is developed (SM-30, SM-43)"
        closed = s.face_up[here] or s.taken[here] == self.components.pile
        if kind == "scan" and closed and not self.rules.scan_face_up:
            return "there is nothing to look for in the pile (SM-35; option scan_face_up is off)"
        if kind == "develop" and not s.scanned[seat, here]:
            return "this player has not scanned the planet (SM-40)"
        if kind == "discover":
            undeveloped = s.station[here] == c.NOWHERE
            return "the planet is not developed (SM-45)" if undeveloped else "no point tile is left (SM-45)"
        cards = ", ".join(self.components.cards[s.hand[seat, i]].id for i in slots_of(action))
        if kind == "top_up" and not cards:
            return "the hand is full and nothing is discarded (SM-22; option empty_top_up is off)"
        if kind == "top_up" or self._served(action):
            return f"identical cards are named by their lowest slots ({cards})"
        what = "the cards do" if kind == "develop" else "the card does"
        return f"{what} not show the planet's coordinates (SM-10)"

    def _served(self, action: int) -> bool:
        # Whether a legal move plays the same cards, but from lower slots that hold identical cards.
        same = self._named(action)
        return any(self._named(int(a)) == same for a in np.flatnonzero(self._mask[0]))


def _tile_contents(s: np.record, names: Sequence[str]) -> core.Contents:
    n = int(s.num_players)
    places = [core.Place(f"pile-{p}", f"pile of {name}") for p, name in enumerate(names)]
    rows = [s.pile[p].astype(np.int64) for p in range(len(names))]
    for p, name in enumerate(names):
        for j in range(n) if s.station[p] == c.NOWHERE else ():
            if s.reserved[j, p]:
                places.append(core.Place(f"planet-{p}", f"player_{j} reserved on {name}"))
                mine = s.taken_by[p, : s.taken[p]] == j
                rows.append(np.bincount(s.taken_kind[p, : s.taken[p]][mine], minlength=c.KINDS))
    for j in range(n):
        places.append(core.Place(f"seat-{j}", f"tiles of player_{j}"))
        rows.append(s.tiles[j].astype(np.int64))
    return core.Contents("tiles", TILES, tuple(places), np.stack(rows))


def _card_contents(s: np.record, shown: np.ndarray) -> core.Contents:
    n = int(s.num_players)
    hands = [(s.hand[j, : s.hand_size[j]], f"seat-{j}", f"hand of player_{j}") for j in range(n)]
    piles = [*hands, (s.draw[: s.draw_size], "draw", "draw pile")]
    rows = [shown[cards].astype(np.int64).sum(0).reshape(c.CARD_FEATURES) for cards, _, _ in piles]
    places = tuple(core.Place(id, title) for _, id, title in piles)
    return core.Contents("cards", COORDINATES, places, np.stack(rows))
