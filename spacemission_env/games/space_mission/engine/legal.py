"""Computes the mask of legal moves over the 101 actions (docs/actions.md)."""

from __future__ import annotations

from spacemission_env.games.space_mission.engine import constants as c
from spacemission_env.games.space_mission.engine.compiled import njit
from spacemission_env.games.space_mission.engine.rules import is_closed


@njit
def twins(s, seat):
    """The slots that hold the same card as the slot before, as bits."""
    bits = 0
    for i in range(1, c.SLOTS):  # no branch for empty slots: this halves the time
        bits |= (s.hand[seat, i] == s.hand[seat, i - 1]) << i
    return bits & ((1 << s.hand_size[seat]) - 1)  # drop the empty slots, which are also alike


@njit
def lowest_form(slots, twin_bits):
    """Whether a move uses the lowest slots of identical cards, so that each distinct move has one index."""
    return (slots & twin_bits & ~(slots << 1)) == 0


@njit
def matches(coordinate, number):
    """SM-10: whether a card's coordinate (its bits, see `PARAMETERS`) serves a number."""
    return (coordinate >> number & 1) != 0


@njit
def may_scan_here(s, t):
    """SM-30, SM-35: whether the planet here is undeveloped, and its pile face down unless `scan_face_up`."""
    p = s.ship[s.player]
    if p == c.NOWHERE or s.station[p] != c.NOWHERE:
        return False
    return t.scan_face_up == 1 or not is_closed(s, t, p)


@njit
def may_develop_here(s):
    """SM-40: whether the planet here is undeveloped and this player has scanned it."""
    p = s.ship[s.player]
    return p != c.NOWHERE and s.station[p] == c.NOWHERE and s.scanned[s.player, p] == 1


@njit
def may_discover_here(s, t):
    """SM-45: whether the planet here is developed and its pile has a point tile, which is public (SM-46)."""
    p = s.ship[s.player]
    return p != c.NOWHERE and s.station[p] != c.NOWHERE and not is_closed(s, t, p)


@njit
def lands(t, planet, first, second):
    """SM-40: whether two cards serve the two landing numbers of a planet, in either order."""
    a = t.planet_landing[planet, 0]
    b = t.planet_landing[planet, 1]
    x = t.card_landing[first]
    y = t.card_landing[second]
    return (matches(x, a) and matches(y, b)) or (matches(x, b) and matches(y, a))


@njit
def write_mask(s, t, seat, mask):
    """Write the legal moves of a seat: int8, 1 for legal; all zero if the seat is not to move."""
    mask[:] = 0
    if s.phase == c.OVER or s.player != seat:
        return
    if s.phase == c.ACTION:
        mask_actions(s, t, seat, mask)
    else:
        mask_pick(s, t, seat, mask)


@njit
def mask_pick(s, t, seat, mask):
    """SM-31, SM-41, SM-45: allow every point tile of the pile. SM-66: an option allows space tiles."""
    p = s.ship[seat]
    for k in range(c.POINT_KINDS):
        mask[c.TAKE + k] = s.pile[p, k] > 0
    mask[c.TAKE + c.SPACE] = t.space_tile_penalty == 1 and s.pile[p, c.SPACE] > 0


@njit
def mask_actions(s, t, seat, mask):
    """Write which of the six actions are legal. SM-28: jump, scan and develop need a chip."""
    size = s.hand_size[seat]
    twin_bits = twins(s, seat)
    here = s.ship[seat]
    # SM-21, SM-22
    if twin_bits == 0:
        mask[: 1 << size] = 1
    else:
        for bits in range(1 << size):
            mask[bits] = lowest_form(bits, twin_bits)
    if t.empty_top_up == 0 and size == t.hand_size:
        mask[c.TOP_UP] = 0
    if here != c.NOWHERE:  # SM-25
        mask[c.FLY_NEXT] = 1
        mask[c.FLY_PREVIOUS] = t.ring_size > 2
    if may_discover_here(s, t):
        mask[c.DISCOVER] = 1
    if s.supply[seat] == 0:
        return
    for p in range(c.RING):  # SM-24: planet by planet, to read each number once for all cards
        number = t.planet_jump[s.ring[p]]
        for i in range(size):
            mask[c.JUMP + c.RING * i + p] = p != here and matches(t.card_jump[s.hand[seat, i]], number)
    if may_scan_here(s, t):  # SM-30
        number = t.planet_scan[s.ring[here]]
        for i in range(size):
            mask[c.SCAN + i] = matches(t.card_scan[s.hand[seat, i]], number)
    if twin_bits != 0:
        for i in range(size):
            if twin_bits >> i & 1:
                mask[c.JUMP + c.RING * i : c.JUMP + c.RING * (i + 1)] = 0
                mask[c.SCAN + i] = 0
    if may_develop_here(s):
        for n in range(len(c.DEVELOP_PAIRS)):
            i, j = c.DEVELOP_PAIRS[n]
            if j < size and lowest_form((1 << i) | (1 << j), twin_bits):
                mask[c.DEVELOP + n] = lands(t, s.ring[here], s.hand[seat, i], s.hand[seat, j])


@njit
def is_legal(s, t, action):
    """Whether a move (any integer) is legal for the player to act; faster than `write_mask`."""
    if action < 0 or action >= c.ACTION_COUNT or s.phase == c.OVER:
        return False
    if s.phase != c.ACTION:
        return action >= c.TAKE and is_legal_pick(s, t, action - c.TAKE)
    if action >= c.TAKE:
        return False
    seat = s.player
    size = s.hand_size[seat]
    if action < c.JUMP:  # SM-21, SM-22
        empty = (action == c.TOP_UP) & (t.empty_top_up == 0) & (size == t.hand_size)
        return (action >> size == 0) & lowest_form(action, twins(s, seat)) & (not empty)
    if action == c.FLY_NEXT or action == c.FLY_PREVIOUS:  # SM-25
        return s.ship[seat] != c.NOWHERE and (action == c.FLY_NEXT or t.ring_size > 2)
    if action == c.DISCOVER:
        return may_discover_here(s, t)
    return s.supply[seat] > 0 and is_legal_play(s, t, seat, size, action)


@njit
def is_legal_pick(s, t, kind):
    """SM-31, SM-41, SM-45: whether the pile has a tile of this kind. SM-66: an option allows space tiles."""
    return s.pile[s.ship[s.player], kind] > 0 and (kind != c.SPACE or t.space_tile_penalty == 1)


@njit
def is_legal_play(s, t, seat, size, action):
    """Whether a jump (SM-24), scan (SM-30) or development (SM-40) is legal for a player with a chip."""
    here = s.ship[seat]
    if action >= c.DEVELOP:
        i, j = c.DEVELOP_PAIRS[action - c.DEVELOP]
        if j >= size or not may_develop_here(s) or not lowest_form((1 << i) | (1 << j), twins(s, seat)):
            return False
        return lands(t, s.ring[here], s.hand[seat, i], s.hand[seat, j])
    slot = (action - c.JUMP) // c.RING if action < c.FLY_NEXT else action - c.SCAN
    if slot >= size or (slot > 0 and s.hand[seat, slot] == s.hand[seat, slot - 1]):
        return False
    card = s.hand[seat, slot]
    if action < c.FLY_NEXT:
        p = (action - c.JUMP) % c.RING
        return p != here and matches(t.card_jump[card], t.planet_jump[s.ring[p]])
    return may_scan_here(s, t) and matches(t.card_scan[card], t.planet_scan[s.ring[here]])
