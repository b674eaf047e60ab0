"""Samples a full state that a seat cannot tell from the true one (information-set sampling).

A seat does not know the unseen cards in other hands, the deck below its known top, which seat a window asks,
or who has passed in a window. The epoch of a card (the number of shuffles before it was drawn) is public, so
hidden cards are shuffled uniformly within their epoch. The deck belongs to the current epoch. If another seat
has to choose, it also has a choice in the sample. The sample infers nothing from earlier choices of others.
The same seed gives the same sample in all games that the seat cannot tell apart.
"""

import numpy as np

from spacemission_env.core.constants import RUNNING
from spacemission_env.core.rng import below, next32, seed_rng
from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.engine.compiled import njit
from spacemission_env.games.planet_hexx.engine.declare import can_answer, may_be_asked
from spacemission_env.games.planet_hexx.engine.legal import next_legal, open_actions
from spacemission_env.games.planet_hexx.engine.stack import top

TRIES = 50_000  # maximum number of deals to sample until one allows the current decision
DECK = c.MAX_PLAYERS  # stands for the deck in the column of `places` that names a seat


@njit
def determinize(s, t, seat, seed, out):
    """Write into `out` (one state) a sampled state that the seat cannot tell from `s`.

    Deals in which the current decision is not possible are rejected. After `TRIES` rejections (less than once
    in a thousand samples) the sample keeps the true hands. It has its own random numbers.
    """
    w = out[0]
    places = np.empty((c.MOST_CARDS + c.MAX_PLAYERS * c.HAND, 3), np.int64)
    out[0] = s
    w.decisions = s.seen_decisions
    seed_rng(w, seed)
    count = hidden_places(w, seat, places)
    sort_cards(w, places, count, np.empty(c.KINDS, np.int64))
    asked = s.over == RUNNING and s.player != seat
    found = False
    tries = 0
    while not found and tries < TRIES:
        deal_hands(w, places, count)
        found = not asked or can_be_asked(w, t, seat)
        tries += 1
    if not found:
        w.hand[:] = s.hand
        w.deck[:] = s.deck
        can_be_asked(w, t, seat)
    shuffle_deck(w, places, count)
    order_hands(w, seat)
    forget_passes(w, seat)
    seed_rng(w, (np.int64(next32(w)) << 31) | np.int64(next32(w) >> 1))


@njit
def can_be_asked(w, t, seat):
    """Whether another seat can have the current decision; if it is a window, set the seat that it asks."""
    if w.asked != c.WINDOW:
        kinds = open_actions(w, t, w.player)
        first = next_legal(w, t, kinds, 0)
        return first != c.NOTHING and next_legal(w, t, kinds, first + 1) != c.NOTHING
    other = first_asked(w, t, top(w), seat)
    if other == c.NOBODY:
        return False
    w.player = other
    return True


@njit
def first_asked(w, t, f, observer):
    """The seat that a window asks; NOBODY if it asks the observer first.

    All seats before the asked seat have passed. If the observer has passed and nobody has answered, the seats
    before the observer have passed as well.
    """
    f.taken &= 1 << observer
    passed = f.taken != 0
    n = int(w.num_players)
    behind = not passed or f.left > 0
    for k in range(1, n + 1):
        seat = (int(w.active) + k) % n
        if seat == observer:
            behind = True
        if (behind or seat == observer) and may_be_asked(w, f, seat) and can_answer(w, t, f, seat):
            return c.NOBODY if seat == observer else seat
    return c.NOBODY


@njit
def forget_passes(w, observer):
    """In each window, note a pass of every seat before the one that is asked or answers."""
    n = int(w.num_players)
    for d in range(w.depth):
        f = w.stack[d]
        if f.kind == c.ANSWERING:
            at = w.player if d == w.depth - 1 else w.stack[d + 1].seat
            f.taken &= 1 << observer
            for k in range(1, n + 1):
                seat = (int(w.active) + k) % n
                if seat == at:
                    break
                if seat != observer:
                    f.taken |= 1 << seat


@njit
def redeal(w, seat, places, counts):
    """Deal the hidden cards again, epoch by epoch.

    `places`, `counts`: scratch arrays of integers, (MOST_CARDS + MAX_PLAYERS * HAND, 3) and (KINDS,).
    """
    count = hidden_places(w, seat, places)
    sort_cards(w, places, count, counts)
    deal_hands(w, places, count)
    shuffle_deck(w, places, count)
    order_hands(w, seat)


@njit
def hidden_places(w, seat, places):
    """Write the place of each hidden card (seat or DECK, slot, epoch); return how many there are.

    The places are sorted by epoch and seat, the deck last. So all states that the seat cannot tell apart have
    the same places.
    """
    count = 0
    for j in range(w.num_players):
        for i in range(w.hand_size[j]):
            if j != seat and w.known[j, i] == 0:
                epoch = np.int64(w.epoch[j, i])
                at = count
                while at > 0 and places[at - 1, 2] > epoch:
                    for v in range(3):
                        places[at, v] = places[at - 1, v]
                    at -= 1
                places[at, 0], places[at, 1], places[at, 2] = j, i, epoch
                count += 1
    for i in range(int(w.deck_size) - int(w.deck_known)):
        places[count, 0], places[count, 1], places[count, 2] = DECK, i, w.shuffles
        count += 1
    return count


@njit
def sort_cards(w, places, count, counts):
    """Sort the hidden cards of each epoch by kind, so that the sample does not depend on the true places."""
    begun = 0
    while begun < count:
        counts[:] = 0
        end = begun
        while end < count and places[end, 2] == places[begun, 2]:
            counts[card_at(w, places[end])] += 1
            end += 1
        card = 0
        for i in range(begun, end):
            while counts[card] == 0:
                card += 1
            put_at(w, places[i], card)
            counts[card] -= 1
        begun = end


@njit
def deal_hands(w, places, count):
    """Give each hidden place of a hand a random card of its epoch."""
    end = 0
    for i in range(count):
        if places[i, 0] == DECK:
            break
        while end < count and (end <= i or places[end, 2] == places[i, 2]):
            end += 1
        exchange(w, places[i], places[i + below(w, end - i)])


@njit
def shuffle_deck(w, places, count):
    """Shuffle the hidden cards of the deck."""
    for i in range(count - 1, 0, -1):
        if places[i, 0] != DECK:
            break
        first = count - int(w.deck_size) + int(w.deck_known)
        exchange(w, places[i], places[first + below(w, i - first + 1)])


@njit
def card_at(w, place):
    """The card in a hidden place."""
    return w.deck[place[1]] if place[0] == DECK else w.hand[place[0], place[1]]


@njit
def put_at(w, place, card):
    """Put a card into a hidden place."""
    if place[0] == DECK:
        w.deck[place[1]] = card
    else:
        w.hand[place[0], place[1]] = card


@njit
def exchange(w, place, other):
    """Exchange the cards of two hidden places."""
    card = card_at(w, place)
    put_at(w, place, card_at(w, other))
    put_at(w, other, card)


@njit
def rank(w, j, i):
    """The sort key of a card in a hand: kind, epoch, known."""
    return int(w.hand[j, i]) << 20 | int(w.epoch[j, i]) << 1 | int(w.known[j, i])


@njit
def order_hands(w, seat):
    """Sort the hands of the other seats by insertion."""
    for j in range(w.num_players):
        for i in range(1, w.hand_size[j] if j != seat else 0):
            card, known, epoch, own = w.hand[j, i], w.known[j, i], w.epoch[j, i], rank(w, j, i)
            place = i
            while place > 0 and rank(w, j, place - 1) > own:
                w.hand[j, place] = w.hand[j, place - 1]
                w.known[j, place] = w.known[j, place - 1]
                w.epoch[j, place] = w.epoch[j, place - 1]
                place -= 1
            w.hand[j, place], w.known[j, place], w.epoch[j, place] = card, known, epoch
