"""Information-set sampling: a full state that a seat cannot tell from the true one."""

from __future__ import annotations

import numpy as np

from spacemission_env.core.rng import next32, seed_rng, shuffle
from spacemission_env.games.kuhn_poker.engine.compiled import njit


@njit
def determinize(s, seat, seed, out):
    """Write into `out` (one state) a game that the seat cannot tell from `s`, drawn by the given seed.

    Of the true state it keeps what the seat knows (KP-9): the betting and the own card. The others get any of
    the other cards, all ways equally likely (KP-2). The sample's own random numbers are new too.
    """
    out[0] = s
    w = out[0]
    seed_rng(w, seed)
    n = int(s.num_players)
    own = s.cards[seat]
    place = 0
    for card in range(n + 1):  # all others in order: what is drawn does not depend on where they truly are
        if card != own:
            w.cards[place] = card
            place += 1
    shuffle(w, w.cards, n)
    w.cards[n] = w.cards[seat]
    w.cards[seat] = own
    seed_rng(w, (np.int64(next32(w)) << 31) | np.int64(next32(w) >> 1))
