"""Carries out the rules, one function per action; read it together with docs/rules.md.

`s` is a game (`state.STATE`), `t` its parameters (`state.PARAMETERS`). Functions change `s` in place and
expect a legal move (`legal.py`). SM-nn is the id of a rule in docs/rules.md.
"""

from __future__ import annotations

import numpy as np

from spacemission_env.core.constants import FINISHED, RUNNING, TRUNCATED
from spacemission_env.core.rng import below, seed_rng, shuffle
from spacemission_env.games.space_mission.engine import constants as c
from spacemission_env.games.space_mission.engine.card_memory import keep_hands, merge_epochs
from spacemission_env.games.space_mission.engine.compiled import njit


def _kind_of(action: int) -> int:
    starts = (c.JUMP, c.FLY_NEXT, c.SCAN, c.DEVELOP, c.DISCOVER)  # the actions after the top-ups
    return sum(action >= start for start in starts)


# For each action index below `TAKE`: which of the six actions it is, and how many cards it uses.
KIND_OF = np.array([_kind_of(action) for action in range(c.TAKE)], np.int8)
CARDS_OF = np.array(
    [
        action.bit_count() if action < c.JUMP else (1, 0, 1, 2, 0)[_kind_of(action) - 1]
        for action in range(c.TAKE)
    ],
    np.int8,
)

# ---------------------------------------------------------------- set-up


@njit
def clear(s, t, num_players, seed):
    """Make an empty table: ships on the gate (SM-05), full supplies (SM-01), nothing dealt yet."""
    seed_rng(s, seed)
    s.salt = 0
    s.num_players = num_players
    s.decisions = 0
    s.start_player = 0
    s.player = 0
    s.phase = c.ACTION
    s.actions_left = t.actions_per_turn
    s.over = RUNNING
    s.last_round = 0
    s.revealed = 0
    s.round_number = 1
    s.shuffles = 0
    s.draw_size = 0
    s.discard_size = 0
    for p in range(c.RING):
        s.ring[p] = c.NO_PLANET
        s.face_up[p] = 0
        s.station[p] = c.NOWHERE
        s.taken[p] = 0
        for k in range(c.KINDS):
            s.pile[p, k] = 0
        for i in range(c.PILE):
            s.taken_kind[p, i] = 0
            s.taken_by[p, i] = 0
        for j in range(c.MAX_PLAYERS):
            s.scanned[j, p] = 0
            s.took[j, p] = 0
            s.reserved[j, p] = 0
            s.looked[j, p] = c.NOWHERE
            s.looked_round[j, p] = 0
            s.looked_by[j, p] = c.NOWHERE
    for j in range(c.MAX_PLAYERS):
        s.ship[j] = c.NOWHERE
        s.supply[j] = t.chips_per_player if j < num_players else 0
        s.gate[j] = 0
        s.hand_size[j] = 0
        s.last_from[j] = c.NOWHERE
        for i in range(c.LAST_ACTIONS):
            s.last_kind[j, i] = c.NOWHERE
            s.last_cards[j, i] = 0
        for k in range(c.KINDS):
            s.tiles[j, k] = 0
        for i in range(c.SLOTS):
            s.hand[j, i] = c.NOWHERE
            s.hand_epoch[j, i] = c.NOWHERE
        s.older[j] = 0
    for card in range(c.CARDS):
        s.draw[card] = 0
        s.discard[card] = 0
    s.epochs = 0
    for epoch in range(c.EPOCHS):
        s.epoch_size[epoch] = 0
        for j in range(c.MAX_PLAYERS):
            s.epoch_cards[epoch, j] = 0


@njit
def deal(s, t, num_players, seed):
    """Deal a new game: ring (SM-02), piles (SM-03), hands (SM-06), start player (SM-07)."""
    clear(s, t, num_players, seed)
    lay_ring(s, t)
    deal_tiles(s, t)
    deal_cards(s, t)
    drawn = below(s, num_players)
    s.start_player = drawn if t.start_player == c.NOWHERE else t.start_player
    s.player = s.start_player


@njit
def lay_ring(s, t):
    """SM-02: draw 8 of the 12 planets and lay them in random order."""
    left = (1 << int(t.planet_count)) - 1
    for p in range(t.ring_size):
        n = below(s, t.planet_count - p)
        for planet in range(t.planet_count):
            if left >> planet & 1:
                if n == 0:
                    s.ring[p] = planet
                    left ^= 1 << planet
                    break
                n -= 1


@njit
def deal_tiles(s, t):
    """SM-03: deal 8 of the 64 tiles to each planet; each tile gets a random free place."""
    for p in range(t.ring_size):
        s.taken[p] = t.pile_size  # holds the number of free places until all tiles are dealt
    free = int(t.ring_size) * int(t.pile_size)
    for k in range(c.KINDS):
        for _ in range(t.tile_count[k]):
            n = below(s, free)
            free -= 1
            for p in range(t.ring_size):
                if n < s.taken[p]:
                    s.pile[p, k] += 1
                    s.taken[p] -= 1
                    break
                n -= s.taken[p]


@njit
def deal_cards(s, t):
    """SM-06: shuffle the cards and deal the hands; the other cards are the draw pile."""
    for card in range(t.card_count):
        s.draw[card] = t.deck[card]
    s.draw_size = t.card_count
    shuffle(s, s.draw, t.card_count)
    for j in range(s.num_players):
        for _ in range(min(t.hand_size, s.draw_size)):
            s.draw_size -= 1
            put_in_hand(s, j, s.draw[s.draw_size])


# ---------------------------------------------------------------- cards


@njit
def put_in_hand(s, seat, card):
    """Put a card into a hand, which stays sorted by the order of the components file."""
    i = s.hand_size[seat]
    while i > 0 and s.hand[seat, i - 1] > card:
        s.hand[seat, i] = s.hand[seat, i - 1]
        s.hand_epoch[seat, i] = s.hand_epoch[seat, i - 1]
        i -= 1
    s.hand[seat, i] = card
    s.hand_epoch[seat, i] = c.NEW
    s.hand_size[seat] += 1
    s.older[seat] += s.older[seat] >> i << i  # move the bits of slot i and above up by one


@njit
def discard_slots(s, t, seat, bits):
    """Put the cards of the slots in `bits` on the discard pile, face up (SM-27)."""
    size = int(s.hand_size[seat])
    for i in range(size):
        if bits >> i & 1:
            card = s.hand[seat, i]
            if t.copies[card] > 1 and s.older[seat] != 0:
                merge_epochs(s, t, seat, card)
            if s.hand_epoch[seat, i] != c.NEW:
                s.epoch_cards[s.hand_epoch[seat, i], seat] -= 1
                s.epoch_size[s.hand_epoch[seat, i]] -= 1
            s.discard[card] += 1
            s.discard_size += 1
            s.hand[seat, i] = c.NOWHERE
    kept = 0
    s.older[seat] = 0
    for i in range(size):  # the remaining cards move to the first slots
        card = s.hand[seat, i]
        epoch = s.hand_epoch[seat, i]
        s.hand[seat, i] = c.NOWHERE
        s.hand_epoch[seat, i] = c.NOWHERE
        if card != c.NOWHERE:
            s.hand[seat, kept] = card
            s.hand_epoch[seat, kept] = epoch
            s.older[seat] |= (epoch != c.NEW) << kept
            kept += 1
    s.hand_size[seat] = kept


@njit
def form_draw_pile(s, order):
    """SM-23: shuffle the discard pile, which becomes the draw pile.

    `order`: the faces of a recorded shuffle, next card first; if empty, random numbers decide.
    """
    count = s.discard_size
    if len(order) > 0:
        for i in range(count):
            s.draw[count - 1 - i] = order[i]
    else:
        n = 0
        for card in range(c.CARDS):
            for _ in range(s.discard[card]):
                s.draw[n] = card
                n += 1
        shuffle(s, s.draw, count)
    s.draw_size = count
    s.discard_size = 0
    s.shuffles += 1
    for card in range(c.CARDS):
        s.discard[card] = 0
    keep_hands(s)


@njit
def draw_card(s, seat, order):
    """Draw one card, or none if both piles are empty (SM-23)."""
    if s.draw_size == 0 and s.discard_size > 0:
        form_draw_pile(s, order)
    if s.draw_size == 0:
        return
    s.draw_size -= 1
    put_in_hand(s, seat, s.draw[s.draw_size])
    if s.draw_size == 0 and s.discard_size > 0:  # SM-23: at once after the last card
        form_draw_pile(s, order)


# ---------------------------------------------------------------- piles


@njit
def point_tiles(s, p):
    """Number of point tiles left in a pile."""
    count = 0
    for k in range(c.POINT_KINDS):
        count += s.pile[p, k]
    return count


@njit
def tiles_left(s, p):
    """Number of tiles left in a pile."""
    return point_tiles(s, p) + s.pile[p, c.SPACE]


@njit
def is_closed(s, t, p):
    """Whether no tile is left face down: the pile is used up or turned face up (SM-46)."""
    return s.face_up[p] == 1 or s.taken[p] == t.pile_size


@njit
def look(s, seat, p):
    """Note that the seat looks through the pile and knows its tiles (SM-71)."""
    s.looked[seat, p] = s.taken[p]
    s.looked_round[seat, p] = s.round_number
    s.looked_by[seat, p] = s.last_kind[seat, 0]


@njit
def reveal_if_only_space(s, t, p):
    """SM-46, SM-34: turn a pile of only space tiles face up. SM-50: this may trigger the end."""
    if s.pile[p, c.SPACE] > 0 and point_tiles(s, p) == 0:
        s.face_up[p] = 1
        s.revealed += s.pile[p, c.SPACE]
        if s.revealed >= t.space_tiles_to_end[s.num_players]:
            s.last_round = 1


# ---------------------------------------------------------------- the six actions


@njit
def top_up(s, t, bits, order):
    """SM-21: discard the cards in the slots `bits`, then draw up to the hand size."""
    seat = s.player
    discard_slots(s, t, seat, bits)
    for _ in range(t.hand_size - s.hand_size[seat]):
        draw_card(s, seat, order)


@njit
def jump(s, t, slot, p):
    """SM-24: play a jump card, lay a probe on the gate and move the ship."""
    seat = s.player
    discard_slots(s, t, seat, 1 << slot)
    s.supply[seat] -= 1
    s.gate[seat] += 1
    s.ship[seat] = p


@njit
def fly(s, t, step):
    """SM-25: move the ship to a ring neighbour, without a card or a probe."""
    s.ship[s.player] = (s.ship[s.player] + step + t.ring_size) % t.ring_size


@njit
def play_scan_card(s, t, slot):
    """SM-30: play a scan card and mark the planet here as scanned."""
    seat = s.player
    discard_slots(s, t, seat, 1 << slot)
    s.scanned[seat, s.ship[seat]] = 1


@njit
def scan(s, t, slot):
    """SM-30, SM-31: play a scan card, look through the pile; a pick comes next, except in SM-34 and SM-35."""
    play_scan_card(s, t, slot)
    seat = s.player
    p = s.ship[seat]
    if is_closed(s, t, p):
        return  # SM-35, option scan_face_up: no tile is face down
    look(s, seat, p)
    if point_tiles(s, p) > 0:
        s.phase = c.PICK_RESERVE
    else:
        reveal_if_only_space(s, t, p)  # SM-34


@njit
def build_station(s, t, slots):
    """SM-40, SM-41: play two cards, build a station and deliver the reserved tiles to their owners."""
    seat = s.player
    p = s.ship[seat]
    discard_slots(s, t, seat, slots)
    s.supply[seat] -= 1
    s.station[p] = seat
    deliver_reserved(s, p)


@njit
def develop(s, t, slots):
    """SM-41: build a station and look through the pile; then pick a tile, except in SM-42."""
    build_station(s, t, slots)
    seat = s.player
    p = s.ship[seat]
    if not is_closed(s, t, p):
        look(s, seat, p)
        s.phase = c.PICK_DEVELOP


@njit
def deliver_reserved(s, p):
    """SM-41: give each reserved tile to its player and each probe back to its owner's supply (SM-32)."""
    for i in range(s.taken[p]):
        owner = s.taken_by[p, i]
        s.tiles[owner, s.taken_kind[p, i]] += 1
        s.supply[owner] += 1
    for j in range(s.num_players):
        s.reserved[j, p] = 0


@njit
def discover(s):
    """SM-45: look through the pile of a developed planet; then pick a tile."""
    look(s, s.player, s.ship[s.player])
    s.phase = c.PICK_DISCOVER


@njit
def take_tile(s, t, kind):
    """Pick a tile: reserve it with a probe (SM-31) or take it (SM-41, SM-45)."""
    seat = s.player
    p = s.ship[seat]
    s.pile[p, kind] -= 1
    s.taken_kind[p, s.taken[p]] = kind
    s.taken_by[p, s.taken[p]] = seat
    s.taken[p] += 1
    s.took[seat, p] += 1
    if s.phase == c.PICK_RESERVE:
        s.supply[seat] -= 1
        s.reserved[seat, p] += 1
    else:
        s.tiles[seat, kind] += 1
    s.phase = c.ACTION
    look(s, seat, p)
    reveal_if_only_space(s, t, p)  # SM-46


# ---------------------------------------------------------------- turn and end


@njit
def end_turn(s, t):
    """SM-20: begin the next seat's turn. SM-51, SM-53: the game ends only between rounds."""
    following = (s.player + 1) % s.num_players
    if following == s.start_player:
        if s.last_round:
            end_game(s, FINISHED)
            return
        if s.round_number >= t.max_rounds:
            end_game(s, TRUNCATED)
            return
        s.round_number += 1
    s.player = following
    s.actions_left = t.actions_per_turn


@njit
def end_game(s, reason):
    """End the game; reserved tiles of undeveloped planets go to nobody (SM-52)."""
    s.over = reason
    s.phase = c.OVER


@njit
def pair_bits(pair):
    """The two slots of a develop move (0 to 9), as bits."""
    i, j = c.DEVELOP_PAIRS[pair]
    return (1 << i) | (1 << j)


@njit
def count_action(s, action):
    """SM-20: use one action of the turn. SM-70: note it as one of the last two actions of the seat."""
    s.actions_left -= 1
    seat = s.player
    for i in range(c.LAST_ACTIONS - 1, 0, -1):
        s.last_kind[seat, i] = s.last_kind[seat, i - 1]
        s.last_cards[seat, i] = s.last_cards[seat, i - 1]
    s.last_kind[seat, 0] = KIND_OF[action]
    s.last_cards[seat, 0] = CARDS_OF[action]
    s.last_from[seat] = s.ship[seat]


@njit
def apply(s, t, action, order):
    """Carry out a legal move of the player to act; `order`: `NO_ORDER`, or as in `form_draw_pile`."""
    s.decisions += 1
    if action >= c.TAKE:
        take_tile(s, t, action - c.TAKE)
    else:
        count_action(s, action)
        if action < c.JUMP:
            top_up(s, t, action, order)
        elif action < c.FLY_NEXT:
            jump(s, t, (action - c.JUMP) // c.RING, (action - c.JUMP) % c.RING)
        elif action < c.SCAN:
            fly(s, t, 1 if action == c.FLY_NEXT else -1)
        elif action < c.DEVELOP:
            scan(s, t, action - c.SCAN)
        elif action < c.DISCOVER:
            develop(s, t, pair_bits(action - c.DEVELOP))
        else:
            discover(s)
    if s.phase == c.ACTION and s.actions_left == 0:
        end_turn(s, t)
