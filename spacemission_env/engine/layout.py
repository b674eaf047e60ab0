"""The observation layout, declared once: name, place, shape, range, meaning, rule.

`observe.py` writes by it, `view.py` reads by it, docs/observation.md is generated from it. All values
are float32 in [0, 1]; the size is the same for 2 to 5 players. "Relative seat" k is the seat k places
clockwise from the observer: 0 is the observer; absent seats are zero. Ring positions are absolute, 0 to 7.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from spacemission_env.engine.constants import CARDS, KINDS, MAX_PLAYERS, RING, SLOTS
from spacemission_env.engine.state import CARD_FEATURES, PLANET_FEATURES

LAYOUT_VERSION = 1
AGE_SCALE = 32  # rounds; older memories look like this old
HAND_SCALE = SLOTS


@dataclass(frozen=True)
class Piece:
    """A named piece of the observation vector.

    Attributes:
        name: how code asks for it.
        shape: of the piece; C order in the flat vector.
        values: what a number stands for, with its scale.
        meaning: what it tells.
        rule: rule ids that make it known to the seat.
        recall: left out (zero) in `observation="table"`, because it is memory.
        start: index of its first number in the flat vector.
    """

    name: str
    shape: tuple[int, ...]
    values: str
    meaning: str
    rule: str
    recall: bool = False
    start: int = 0

    @property
    def size(self) -> int:
        """How many numbers it has."""
        return prod(self.shape)

    @property
    def slice(self) -> slice:
        """Its place in the flat vector."""
        return slice(self.start, self.start + self.size)


_PIECES = (
    Piece("num_players", (4,), "one-hot 2, 3, 4, 5", "number of players", "SM-01"),
    Piece("phase", (5,), "one-hot", "action, pick to reserve, pick of the developer, pick to discover, over", "SM-70"),
    Piece("player_to_act", (MAX_PLAYERS,), "one-hot, relative seat; zero when over", "whose decision it is", "SM-70"),
    Piece("start_player", (MAX_PLAYERS,), "one-hot, relative seat", "who began", "SM-07"),
    Piece("actions_left", (1,), "/ 4", "actions still to be begun in this turn", "SM-20"),
    Piece("round", (1,), "/ max_rounds", "round, from 1", "SM-53"),
    Piece("max_rounds", (1,), "/ 10000", "the round limit", "SM-53"),
    Piece("last_round", (1,), "0 or 1", "the end has been triggered", "SM-50"),
    Piece("revealed", (1,), "/ 16", "space tiles lying face up", "SM-50"),
    Piece("space_tiles_to_end", (1,), "/ 16", "how many of them trigger the end", "SM-50"),
    Piece("draw_pile_size", (1,), "/ 60", "cards in the draw pile", "SM-70"),
    Piece("hand", (SLOTS, CARD_FEATURES), "one-hot 1, 2, 3, 4, joker for jump, scan, landing",
          "own hand by slot; an empty slot is zero", "SM-71"),
    Piece("planets", (RING, PLANET_FEATURES), "one-hot jump, one-hot scan, landing numbers / 2",
          "coordinates of the planet at each ring position", "SM-11"),
    Piece("ships", (MAX_PLAYERS, RING), "one-hot; all zero on the gate", "ship of each relative seat", "SM-70"),
    Piece("stations", (MAX_PLAYERS, RING), "0 or 1", "the relative seat has its station there", "SM-43"),
    Piece("scanned", (MAX_PLAYERS, RING), "0 or 1", "the relative seat has scanned there", "SM-40"),
    Piece("seen", (MAX_PLAYERS, RING), "0 or 1", "the relative seat has looked through that pile", "SM-70"),
    Piece("reserved", (MAX_PLAYERS, RING), "/ 8", "tiles the relative seat has reserved there", "SM-31"),
    Piece("tiles_left", (RING,), "/ 8", "tiles in the pile", "SM-70"),
    Piece("face_up", (RING,), "/ 8", "space tiles lying face up there", "SM-46"),
    Piece("supply", (MAX_PLAYERS,), "/ chips_per_player", "chips in the supply of the relative seat", "SM-28"),
    Piece("gate", (MAX_PLAYERS,), "/ chips_per_player", "probes of the relative seat on the jump gate", "SM-24"),
    Piece("hand_size", (MAX_PLAYERS,), "/ 5", "cards in the hand of the relative seat", "SM-70"),
    Piece("tile_total", (MAX_PLAYERS,), "/ 64", "tiles the relative seat has collected", "SM-70"),
    Piece("discard", (CARDS,), "/ copies of the card", "discard pile by card, in the order of the components file", "SM-27"),
    Piece("tiles", (KINDS,), "/ number of that kind in the game", "own collected tiles by kind", "SM-71"),
    Piece("pile_in_view", (KINDS,), "/ 8", "at an own tile pick: the pile, by kind", "SM-71"),
    Piece("reserved_kinds", (RING, KINDS), "/ 8",
          "own reserved tiles by kind (in table mode only with reserved_tiles_visible)", "SM-33", True),
    Piece("remembered", (RING, KINDS), "/ 8",
          "what was left in the pile when this seat last looked (in table mode only with reserved_tiles_visible)",
          "SM-71", True),
    Piece("remembered_age", (RING,), "rounds / 32, at most 1", "how long ago that was", "SM-71", True),
    Piece("gone_since", (RING,), "/ 8", "tiles gone from the pile since then", "SM-71", True),
    Piece("kept_cards", (CARDS,), "/ copies of the card",
          "cards that others have held since before the last shuffle: public then, for what was not in the "
          "discard pile was in the hands", "SM-27", True),
    Piece("kept_count", (MAX_PLAYERS,), "/ 5", "how many such cards the relative seat holds", "SM-27", True),
)


def _placed() -> dict[str, Piece]:
    placed: dict[str, Piece] = {}
    start = 0
    for p in _PIECES:
        placed[p.name] = Piece(p.name, p.shape, p.values, p.meaning, p.rule, p.recall, start)
        start += p.size
    return placed


LAYOUT: dict[str, Piece] = _placed()
OBSERVATION_SIZE = sum(p.size for p in LAYOUT.values())


def documentation() -> str:
    """The layout as a Markdown table (docs/observation.md is made from it)."""
    rows = ["| piece | indices | shape | values | meaning | rule | recall |", "| --- | --- | --- | --- | --- | --- | --- |"]
    for p in LAYOUT.values():
        shape = " × ".join(map(str, p.shape))
        recall = "yes" if p.recall else ""
        rows.append(
            f"| `{p.name}` | {p.start}–{p.start + p.size - 1} | {shape} | {p.values} | {p.meaning} | {p.rule} | {recall} |"
        )
    return "\n".join(rows) + "\n"
