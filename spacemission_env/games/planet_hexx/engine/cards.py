"""Moves cards between hands, deck and Discard (HX-40, HX-51, HX-52)."""

from spacemission_env.core.rng import below, shuffle
from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.engine.compiled import njit


@njit
def is_type(t, card, wanted):
    """Whether a card has the wanted type; `ANY_TYPE` accepts all."""
    return wanted == c.ANY_TYPE or t.type[card] == wanted


@njit
def put_in_hand(s, seat, card, known, epoch):
    """Put a card into a hand that has room. The hand stays sorted by kind; the card goes after its copies."""
    i = int(s.hand_size[seat])
    while i > 0 and s.hand[seat, i - 1] > card:
        s.hand[seat, i] = s.hand[seat, i - 1]
        s.known[seat, i] = s.known[seat, i - 1]
        s.epoch[seat, i] = s.epoch[seat, i - 1]
        i -= 1
    s.hand[seat, i] = card
    s.known[seat, i] = known
    s.epoch[seat, i] = epoch
    s.hand_size[seat] += 1


@njit
def take_from_hand(s, seat, slot):
    """Take a card out of a hand; return its kind."""
    card = int(s.hand[seat, slot])
    last = int(s.hand_size[seat]) - 1
    for i in range(slot, last):
        s.hand[seat, i] = s.hand[seat, i + 1]
        s.known[seat, i] = s.known[seat, i + 1]
        s.epoch[seat, i] = s.epoch[seat, i + 1]
    s.hand[seat, last] = c.NOTHING
    s.known[seat, last] = 0
    s.epoch[seat, last] = 0
    s.hand_size[seat] = last
    return card


@njit
def count_in_hand(s, t, seat, wanted, without):
    """The number of cards of a type in a hand; `without`: a slot that does not count, or NOTHING."""
    count = 0
    for i in range(s.hand_size[seat]):
        count += i != without and is_type(t, s.hand[seat, i], wanted)
    return count


@njit
def is_first(s, seat, slot):
    """HR-36: whether a slot has a card, and no lower slot has a copy of it."""
    return slot < s.hand_size[seat] and (slot == 0 or s.hand[seat, slot - 1] != s.hand[seat, slot])


@njit
def to_discard(s, card):
    """Put a card on the Discard."""
    s.discard[card] += 1
    s.discard_size += 1


@njit
def discard_slot(s, seat, slot):
    """Discard the card of a slot."""
    to_discard(s, take_from_hand(s, seat, slot))


@njit
def discard_at_random(s, seat):
    """Discard the card in a random slot of a hand; the chance outcome is the slot."""
    if s.hand_size[seat] > 0:
        discard_slot(s, seat, below(s, int(s.hand_size[seat])))


@njit
def new_deck(s, t):
    """HX-51: make a new deck: put the cards of the Discard in order of kind, then shuffle them."""
    n = 0
    for card in range(t.kinds):
        for _ in range(s.discard[card]):
            s.deck[n] = card
            n += 1
        s.discard[card] = 0
    shuffle(s, s.deck, n)
    s.deck_size = n
    s.deck_known = 0
    s.discard_size = 0
    s.shuffles += 1


@njit
def top_of_deck(s, t):
    """Take the top card of the deck, which is renewed first if it is empty; NOTHING if no card is left."""
    if s.deck_size == 0 and s.discard_size > 0:
        new_deck(s, t)
    if s.deck_size == 0:
        return c.NOTHING
    s.deck_size -= 1
    card = int(s.deck[s.deck_size])
    s.deck[s.deck_size] = 0  # determinizations copy this array, which must not show the card
    return card


@njit
def draw(s, t, seat, count):
    """Draw `count` cards, fewer if none is left or the hand is full; known cards stay known."""
    for _ in range(count):
        if s.hand_size[seat] == c.HAND:
            return
        card = top_of_deck(s, t)
        if card == c.NOTHING:
            return
        known = s.deck_known > 0
        s.deck_known -= known
        put_in_hand(s, seat, card, known, s.shuffles)


@njit
def dump(s, t, count):
    """Discard `count` cards from the deck, fewer if none is left."""
    for _ in range(count):
        card = top_of_deck(s, t)
        if card == c.NOTHING:
            return
        s.deck_known -= s.deck_known > 0
        to_discard(s, card)
