"""Information-set sampling: a full state that a seat cannot tell from the true one.

Hidden are cards in the hands of others that nobody has seen, and the deck below its known top. When each card
in a hand was drawn is public, by shuffles (its epoch): so the hidden cards of an epoch change places among
the places of that epoch, all ways equally likely; the deck is of the present one. Who was asked in a window
and passed is hidden too: in the sample all that come before the seat that is asked have passed.
"""

from __future__ import annotations

import numpy as np

from spacemission_env.core.constants import RUNNING
from spacemission_env.core.rng import below, next32, seed_rng
from spacemission_env.games.planet_hexx.engine.compiled import njit
from spacemission_env.games.planet_hexx.engine.constants import (
    ANSWERING,
    HAND,
    MAX_PLAYERS,
    MOST_CARDS,
    NOTHING,
    WINDOW,
)
from spacemission_env.games.planet_hexx.engine.legal import next_legal, open_actions
from spacemission_env.games.planet_hexx.engine.stack import top
from spacemission_env.games.planet_hexx.engine.windows import advance_window

TRIES = 200  # to find a deal in which the decision that is asked of another can be asked
DECK = MAX_PLAYERS  # in place of a seat


@njit
def determinize(s, t, seat, seed, out):
    """Write into `out` (one state) a game that the seat cannot tell from `s`, drawn by the given seed.

    That another seat is asked to choose among its cards says that it has such cards: deals where it could
    not be asked are drawn again. The sample's own random numbers are new too.
    """
    w = out[0]
    places = np.empty((MOST_CARDS + MAX_PLAYERS * HAND, 3), np.int64)
    out[0] = s
    seed_rng(w, seed)
    for _ in range(TRIES):
        redeal(w, seat, places)
        forget_passes(w)
        if s.over != RUNNING or s.player == seat or can_be_asked(s, w, t, seat):
            break
    seed_rng(w, (np.int64(next32(w)) << 31) | np.int64(next32(w) >> 1))


@njit
def can_be_asked(s, w, t, seat):
    """Whether the decision at hand can be asked of another than the observer.

    Whom a window asks is hidden too, and drawn anew; only that the observer has passed is known to itself.
    """
    if w.asked == WINDOW:
        f = top(w)
        f.taken = top(s).taken & (1 << seat)
        depth = w.depth
        asked = advance_window(w, t, f)
        w.depth = depth
        forget_passes(w)
        return asked and w.player != seat
    kinds = open_actions(w, t, w.player)
    first = next_legal(w, t, kinds, 0)
    return first != NOTHING and next_legal(w, t, kinds, first + 1) != NOTHING


@njit
def forget_passes(w):
    """In each window those have passed that come before the seat that is asked, or has answered."""
    n = int(w.num_players)
    for d in range(w.depth):
        f = w.stack[d]
        if f.kind == ANSWERING:
            at = w.player if d == w.depth - 1 else w.stack[d + 1].seat
            f.taken = 0
            for k in range(1, n + 1):
                seat = (int(w.active) + k) % n
                if seat == at:
                    break
                f.taken |= 1 << seat


# ---------------------------------------------------------------- cards


@njit
def redeal(w, seat, places):
    """The cards that the seat does not know change places, epoch by epoch; hands are put in order again."""
    count = hidden_places(w, seat, places)
    begun = 0
    while begun < count:  # those of one epoch go to the front of the rest
        epoch = places[begun, 2]
        end = begun
        for i in range(begun, count):
            if places[i, 2] == epoch:
                for v in range(3):
                    kept = places[end, v]
                    places[end, v] = places[i, v]
                    places[i, v] = kept
                end += 1
        for i in range(end - 1, begun, -1):
            exchange(w, places[i], places[begun + below(w, i - begun + 1)])
        begun = end
    for j in range(w.num_players):
        if j != seat:
            put_in_order(w, j)


@njit
def hidden_places(w, seat, places):
    """Write the places of hidden cards: seat or DECK, slot, epoch. Returns how many they are."""
    count = 0
    for i in range(w.deck_size - w.deck_known):
        places[count, 0], places[count, 1], places[count, 2] = DECK, i, w.shuffles
        count += 1
    for j in range(w.num_players):
        for i in range(w.hand_size[j]):
            if j != seat and w.known[j, i] == 0:
                places[count, 0], places[count, 1], places[count, 2] = j, i, w.epoch[j, i]
                count += 1
    return count


@njit
def card_at(w, place):
    """The card in a hidden place."""
    return w.deck[place[1]] if place[0] == DECK else w.hand[place[0], place[1]]


@njit
def put_at(w, place, card):
    """A card comes to a hidden place."""
    if place[0] == DECK:
        w.deck[place[1]] = card
    else:
        w.hand[place[0], place[1]] = card


@njit
def exchange(w, place, other):
    """The cards in two hidden places change theirs."""
    card = card_at(w, place)
    put_at(w, place, card_at(w, other))
    put_at(w, other, card)


@njit
def put_in_order(w, j):
    """A hand in order of kind again, copies in the order of their epochs."""
    for i in range(1, w.hand_size[j]):  # by insertion: slot i among those before it
        card = int(w.hand[j, i])
        known = w.known[j, i]
        epoch = w.epoch[j, i]
        place = i
        while place > 0 and (
            w.hand[j, place - 1] > card or (w.hand[j, place - 1] == card and w.epoch[j, place - 1] > epoch)
        ):
            w.hand[j, place] = w.hand[j, place - 1]
            w.known[j, place] = w.known[j, place - 1]
            w.epoch[j, place] = w.epoch[j, place - 1]
            place -= 1
        w.hand[j, place] = card
        w.known[j, place] = known
        w.epoch[j, place] = epoch
