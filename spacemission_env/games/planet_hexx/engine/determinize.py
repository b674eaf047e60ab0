"""Samples a full state that a seat cannot tell from the true one (information-set sampling).

Hidden are unseen cards in the hands of others, and the deck below its known top. Everybody knows after how
many shuffles each card in a hand was drawn (its epoch): hidden cards change places within their epoch, all
ways equally likely; the deck belongs to the present one. If another seat is to choose, only deals count in
which its cards leave it a choice. Whom a window asks, and who has passed in it, is hidden too. Earlier
choices of others are not interpreted. The same seed gives the same sample in all games that the seat cannot
tell apart.
"""

from __future__ import annotations

import numpy as np

from spacemission_env.core.constants import RUNNING
from spacemission_env.core.rng import below, next32, seed_rng
from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.engine.compiled import njit
from spacemission_env.games.planet_hexx.engine.legal import next_legal, open_actions
from spacemission_env.games.planet_hexx.engine.stack import top
from spacemission_env.games.planet_hexx.engine.windows import can_answer, may_be_asked

TRIES = 50_000  # to find a deal in which the decision that is asked of another can be asked
DECK = c.MAX_PLAYERS  # in place of a seat


@njit
def determinize(s, t, seat, recall, seed, out):
    """Write into `out` (one state) a game that the seat cannot tell from `s`, drawn by the given seed.

    Deals in which what is asked of another could not be asked are drawn again; after `TRIES`, which only
    happens where such deals are rarer than one in some thousand, the hands stay as they are. The sample's own
    random numbers are new too.
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
        hidden_as_in(s, w)
        can_be_asked(w, t, seat)
    shuffle_deck(w, places, count)
    order_hands(w, seat)
    forget_passes(w, seat)
    seed_rng(w, (np.int64(next32(w)) << 31) | np.int64(next32(w) >> 1))


@njit
def hidden_as_in(s, w):
    """Hands and deck are those of another game."""
    for j in range(s.num_players):
        for i in range(s.hand_size[j]):
            w.hand[j, i] = s.hand[j, i]
    for i in range(s.deck_size):
        w.deck[i] = s.deck[i]


@njit
def can_be_asked(w, t, seat):
    """Whether the decision at hand can be asked of another than the observer; a window then asks whom it
    could ask first.
    """
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
    """Whom a window can be asking that does not ask the observer; NOBODY where it would ask that first.

    All who come before have passed. If the observer has, and nobody has answered yet, those who come before
    it had been asked by then.
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
    """Of the others, those have passed in each window that come before who is asked or answers there."""
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


# ---------------------------------------------------------------- cards


@njit
def redeal(w, seat, places, counts):
    """The cards that the seat does not know are dealt anew, epoch by epoch; hands are put in order again.

    `places`, `counts`: integers (MOST_CARDS + MAX_PLAYERS * HAND, 3) and (KINDS,), which are written.
    """
    count = hidden_places(w, seat, places)
    sort_cards(w, places, count, counts)
    deal_hands(w, places, count)
    shuffle_deck(w, places, count)
    order_hands(w, seat)


@njit
def hidden_places(w, seat, places):
    """Write the places of hidden cards: seat or DECK, slot, epoch. Returns how many they are.

    They stand in order of epochs and then of seats, the deck last: in all worlds of the seat alike.
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
    """The hidden cards of each epoch are put in order of kinds: where they were does not count."""
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
    """Each hidden place of a hand gets one of the cards of its epoch that are left, all equally likely."""
    end = 0
    for i in range(count):
        if places[i, 0] == DECK:
            break
        while end < count and (end <= i or places[end, 2] == places[i, 2]):
            end += 1
        exchange(w, places[i], places[i + below(w, end - i)])


@njit
def shuffle_deck(w, places, count):
    """The hidden cards that are left lie in the deck in any order."""
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
def order_hands(w, seat):
    """The hands of the others are put in order again."""
    for j in range(w.num_players):
        if j != seat:
            put_in_order(w, j)


@njit
def put_in_order(w, j):
    """A hand in order of kind again, copies in the order of their epochs, those last that all have seen."""
    for i in range(1, w.hand_size[j]):  # by insertion: slot i among those before it
        card = int(w.hand[j, i])
        known = w.known[j, i]
        epoch = w.epoch[j, i]
        place = i
        while place > 0 and (
            w.hand[j, place - 1] > card
            or (w.hand[j, place - 1] == card and w.epoch[j, place - 1] > epoch)
            or (
                w.hand[j, place - 1] == card
                and w.epoch[j, place - 1] == epoch
                and w.known[j, place - 1] > known
            )
        ):
            w.hand[j, place] = w.hand[j, place - 1]
            w.known[j, place] = w.known[j, place - 1]
            w.epoch[j, place] = w.epoch[j, place - 1]
            place -= 1
        w.hand[j, place] = card
        w.known[j, place] = known
        w.epoch[j, place] = epoch
