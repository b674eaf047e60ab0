"""What a network reads of an observation; declared once for training, play and search.

| input | what |
| --- | --- |
| `observation` | the observation as it is |
| `turned` | turned so that the own ship is at ring position 0 (engine/symmetry.py): one game, not eight |
| `ring` | turned, ordered by planet, and with aids: what hand, tiles and piles come to, planet by planet |

The aids are computed from the observation alone (greedy/reading.py), so nothing hidden comes in.
With `ring` the numbers about the game come first, then each planet's, all planets in the same order: a
network may read all planets with the same weights (`planets` on the model's card).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from spacemission_agents.greedy import reading
from spacemission_agents.greedy.reading import (
    JUMPS,
    NUMBERS,
    PLANETS_AT,
    read,
    reserved_points,
    servers,
)
from spacemission_env import engine
from spacemission_env.engine import symmetry
from spacemission_env.engine.constants import PLANET_FEATURES, POINT_KINDS, RING
from spacemission_env.engine.jit import make_njit
from spacemission_env.engine.layout import LAYOUT, OBSERVATION_SIZE
from spacemission_env.engine.scoring import tile_points
from spacemission_env.engine.symmetry import OBSERVATION_SOURCES, TURNS, ship_turn, turn_row

COMPILED_FROM = (Path(engine.__file__).parent, Path(reading.__file__).parent, Path(__file__))
njit = make_njit(*COMPILED_FROM)

INPUTS = ("observation", "turned", "ring")
OBSERVATION, TURNED, BY_PLANET = range(len(INPUTS))

GAME_AIDS = POINT_KINDS + 3  # gain of one more tile of each kind; of a probe; own tile points; chips
PLANET_AIDS = 8  # see `planet_aids`
_RING_NUMBERS = sum(piece.size for piece in LAYOUT.values() if piece.ring_axis is not None)
GAME_NUMBERS = OBSERVATION_SIZE - _RING_NUMBERS  # of the observation, not about a planet
GAME_SIZE = GAME_NUMBERS + GAME_AIDS  # where the planets begin in a `ring` input
PLANET_NUMBERS = _RING_NUMBERS // RING
PLANET_SIZE = PLANET_NUMBERS + PLANET_AIDS
SIZES = {
    "observation": OBSERVATION_SIZE,
    "turned": OBSERVATION_SIZE,
    "ring": GAME_SIZE + RING * PLANET_SIZE,
}


def _by_planet() -> np.ndarray:
    # Where each number of a `ring` input comes from, by turn; -1 for the aids.
    sources = np.full((TURNS, SIZES["ring"]), -1, np.int16)
    for turn in range(TURNS):
        turned = OBSERVATION_SOURCES[turn]
        game = [turned[piece.slice] for piece in LAYOUT.values() if piece.ring_axis is None]
        sources[turn, :GAME_NUMBERS] = np.concatenate(game)
        planets = [
            np.moveaxis(turned[piece.slice].reshape(piece.shape), piece.ring_axis, 0).reshape(RING, -1)
            for piece in LAYOUT.values()
            if piece.ring_axis is not None
        ]
        whole = np.concatenate(planets, 1)
        for q in range(RING):
            start = GAME_SIZE + q * PLANET_SIZE
            sources[turn, start : start + PLANET_NUMBERS] = whole[q]
    return sources


SOURCES = _by_planet()
PLACES = np.array([[symmetry.place_before(turn, q) for q in range(RING)] for turn in range(TURNS)])


@njit
def write_input(o, kind, turn, w, x):
    """Write the input of kind `INPUTS[kind]` into x, float32 (SIZES,); returns the turn that it stands in.

    `o`: the observation; `turn`: mirrored or not, and how to turn it while the own ship is on the gate
    (symmetry.py); `w`: one `PLAN` record of scratch.
    """
    if kind == OBSERVATION:
        x[:] = o
        return 0
    turn = ship_turn(o, turn)
    if kind == TURNED:
        turn_row(o, OBSERVATION_SOURCES[turn], x)
        return turn
    sources = SOURCES[turn]
    for i in range(len(sources)):
        x[i] = o[sources[i]] if sources[i] >= 0 else 0.0
    read(o, w)
    game_aids(w, x[GAME_NUMBERS:GAME_SIZE])
    for q in range(RING):
        start = GAME_SIZE + q * PLANET_SIZE + PLANET_NUMBERS
        planet_aids(o, w, PLACES[turn, q], x[start : start + PLANET_AIDS])
    return turn


@njit
def game_aids(w, x):
    """SM-60, SM-63 to SM-66: points that one more tile of each kind, or one more probe, adds."""
    for k in range(POINT_KINDS):
        x[k] = w.gain[k] / 10.0
    x[POINT_KINDS] = w.probe / 9.0
    x[POINT_KINDS + 1] = tile_points(w.held) / 50.0
    x[POINT_KINDS + 2] = min(w.chips, 10) / 10.0


@njit
def planet_aids(o, w, p, x):
    """Whether the hand can jump, scan or land there, and what the pile and the own reserved tiles promise."""
    jumpers = 0
    for place in range(NUMBERS):
        if o[PLANETS_AT + p * PLANET_FEATURES + place] > 0:
            jumpers = servers(o, JUMPS, place)
    first, second = w.first_landers[p], w.second_landers[p]
    either = first | second
    x[0] = jumpers != 0
    x[1] = w.scanners[p] != 0
    x[2] = first != 0
    x[3] = second != 0
    x[4] = first != 0 and second != 0 and (either & (either - 1)) != 0
    x[5] = w.best[p] / 10.0
    x[6] = reserved_points(o, w, p) / 20.0
    x[7] = w.developed[p]
