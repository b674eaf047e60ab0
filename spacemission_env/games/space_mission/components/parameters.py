"""Turns components and rules options into the `PARAMETERS` record for compiled code."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from spacemission_env.core.layout import scale_of
from spacemission_env.games.space_mission.components.parts import Components, mask_of
from spacemission_env.games.space_mission.engine import constants as c
from spacemission_env.games.space_mission.engine.layout import EXPECTED, LAYOUT
from spacemission_env.games.space_mission.engine.state import PARAMETERS
from spacemission_env.games.space_mission.options import DEFAULT_END, RANDOM, Rules

# The features (1, 2, 3, 4, joker) of a card in one colour. The index is its bits in `PARAMETERS`, halved.
SHOWN = np.array(
    [
        [0, 0, 0, 0, 1] if 2 * mask == c.JOKER_MASK else [mask >> v & 1 for v in range(c.JOKER)]
        for mask in range(1 << c.NUMBERS)
    ],
    np.uint8,
)


@lru_cache(maxsize=64)
def make_parameters(components: Components, rules: Rules) -> np.ndarray:
    """A read-only array of one `PARAMETERS` record, shared by games and agents."""
    parameters = np.zeros(1, PARAMETERS)
    t = parameters[0]
    t.ring_size, t.pile_size = components.ring, components.pile
    t.pile_row = sum(components.pile << 8 * p for p in range(components.ring))
    t.planet_count, t.card_count = len(components.planets), len(components.cards)
    for i, planet in enumerate(components.planets):
        t.planet_jump[i] = planet.jump
        t.planet_scan[i] = planet.scan
        t.planet_landing[i] = planet.landing
    for i, face in enumerate(card_faces(components)):
        t.deck[i] = face
        t.copies[face] += 1
    for colour, masks in zip(c.COLOURS, card_masks(components).T, strict=True):
        t[f"card_{colour}"][: len(masks)] = masks
    t.card_shown = np.concatenate([SHOWN[t[f"card_{colour}"] >> 1] for colour in c.COLOURS], axis=1)
    t.tile_count[:] = components.tiles
    for option, value in rules.to_json().items():
        if option not in ("start_player", "space_tiles_to_end"):
            t[option] = value
    t.start_player = c.NOWHERE if rules.start_player == RANDOM else rules.start_player
    for n in range(c.MIN_PLAYERS, c.MAX_PLAYERS + 1):
        t.space_tiles_to_end[n] = rules.space_tiles_to_end or DEFAULT_END[n]
    t.scale[:] = scale_of(LAYOUT, t)
    return np.frombuffer(parameters.tobytes(), PARAMETERS)


def compact_units(parameters: np.ndarray) -> np.ndarray:
    """The factors that turn the compact observation into the float one: float32 (OBSERVATION_SIZE,).

    Means, and the numbers of rounds if `max_rounds` is above 255, are stored in 255ths.
    """
    t = parameters[0]
    units = t.scale.copy()
    for name in EXPECTED:
        units[LAYOUT[name].slice] = 1 / 255
    if t.max_rounds > 255:
        units[LAYOUT["round"].slice] = 1 / 255
        units[LAYOUT["max_rounds"].slice] *= t.max_rounds / 255
    return units


def card_faces(components: Components) -> list[int]:
    """The face of each card: the index of the first card of the same id."""
    first: dict[str, int] = {}
    return [first.setdefault(card.id, i) for i, card in enumerate(components.cards)]


def card_masks(components: Components) -> np.ndarray:
    """The numbers that each card serves for jump, scan and landing, as bits: int64 (cards, 3)."""
    return np.array(
        [[mask_of(getattr(card, colour)) for colour in c.COLOURS] for card in components.cards], np.int64
    )
