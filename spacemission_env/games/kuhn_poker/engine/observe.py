"""What a seat may know (KP-9): its observation, the key of its information set, and the key of its decision.

Nothing else reads a state for a seat, so what is not written here is hidden. A seat's own card and the
betting are all there is to know, and nobody forgets them: to remember is no advantage in this game.
"""

from __future__ import annotations

import numpy as np

from spacemission_env.core.constants import RUNNING
from spacemission_env.core.rng import hash63
from spacemission_env.games.kuhn_poker.engine.compiled import njit
from spacemission_env.games.kuhn_poker.engine.constants import MIN_PLAYERS, MOST_DECISIONS
from spacemission_env.games.kuhn_poker.engine.layout import LAYOUT, OBSERVATION_SIZE

STAKE = LAYOUT["put_in"].start  # where the units that depend on the options stand in `BOX.scale`
POT = LAYOUT["pot"].start
ANTE = LAYOUT["ante"].start

HALF = np.float32(0.5)

KEY_SIZE = 3 + MOST_DECISIONS


@njit
def observe(s, t, seat, o):
    """Write what the seat may know into one `layout.OBSERVATION` record: float32 in [0, 1]."""
    o.numbers[:] = 0
    n = int(s.num_players)
    o.num_players[n - MIN_PLAYERS] = 1
    o.seat[seat] = 1
    if s.over == RUNNING:
        o.player_to_act[(s.player - seat) % n] = 1
    o.card[s.cards[seat]] = 1
    for i in range(s.decisions):  # KP-3: the seats act in turn, so decision i was that of seat i mod n
        o.betting[(i - seat) % n, i // n, s.history[i]] = 1
    pot = 0
    for j in range(n):
        o.put_in[(j - seat) % n] = s.put_in[j] * t.scale[STAKE]
        pot += int(s.put_in[j])
    o.pot[0] = pot * t.scale[POT]
    o.ante[0] = t.ante * t.scale[ANTE]


@njit
def observe_compact(s, t, seat, o, scratch):
    """Write the whole numbers, before the division, into one `layout.COMPACT` record.

    `scratch`: an array of one `layout.OBSERVATION` record, which is written.
    """
    seen = scratch[0]
    observe(s, t, seat, seen)
    for i in range(OBSERVATION_SIZE):
        o.numbers[i] = np.uint8(np.int32(seen.numbers[i] / t.scale[i] + HALF))


@njit
def write_key(s, seat, key):
    """Write what a seat knows, int32 (KEY_SIZE,): equal keys mean equal sets of possible states."""
    key[0], key[1], key[2] = s.num_players, seat, s.cards[seat]
    for i in range(MOST_DECISIONS):
        key[3 + i] = s.history[i]


@njit
def decision_key(s):
    """The random key an agent gets for the decision at hand: the same in every front end.

    It is a hash of what the seat to act knows, so it is the same in all worlds that the seat holds possible,
    and of the game's salt. (Who guesses the seed of a game knows its salt, and its cards.)
    """
    known = np.int64(s.num_players) << 3 | np.int64(s.cards[s.player])
    for i in range(MOST_DECISIONS):
        known = known << 2 | (np.int64(s.history[i]) & 3)
    return hash63(known, s.salt, s.salt >> 32)  # of the first all 64 bits count, of the others the low 32
