"""Tests costs (HX-43), counts and spends Actions (HX-8) and applies bans (HX-20)."""

from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.engine.cards import count_in_hand
from spacemission_env.games.planet_hexx.engine.compiled import njit


@njit
def actions_of(s, seat):
    """How many Actions a seat has left; only the active seat has any."""
    if seat != s.active:
        return 0
    count = int(s.actions_left)
    for kind in range(c.ACTIONS):
        count += s.gained[kind]
    return count


@njit
def has_action(s, kind):
    """Whether the active seat has an Action of this kind."""
    return s.actions_left > 0 or s.gained[kind] > 0


@njit
def begin_action(s, seat, kind):
    """HX-8: spend an Action of the active seat; an Action gained for this kind goes first."""
    if seat != s.active:
        return
    s.begun += 1
    if s.gained[kind] > 0:
        s.gained[kind] -= 1
    else:
        s.actions_left -= 1


@njit
def lose_actions(s, seat, count, wanted):
    """Take Actions of a kind (ANY: of all kinds) from a seat, gained Actions first."""
    if seat != s.active:
        return
    for kind in range(c.ACTIONS):
        if wanted == c.ANY or wanted == kind:
            lost = min(count, int(s.gained[kind]))
            s.gained[kind] -= lost
            count -= lost
    s.actions_left -= min(count, int(s.actions_left))


@njit
def is_banned(s, t, seat, kind):
    """HX-20: whether a ban of this turn, or of the hex under the ship, forbids this kind of Action."""
    bans = s.banned[seat] | t.start_ban[s.hex[s.ship[seat]]]
    return (bans >> kind) & 1 != 0 or (bans >> c.ANY) & 1 != 0


@njit
def can_spend(s, seat, cost, spent):
    """Whether a seat can pay a cost's Actions after it has spent one of the kind `spent` (or NOTHING)."""
    if seat != s.active:
        return False
    short = 0
    for kind in range(c.ACTIONS):
        short += max(0, int(cost.kinds[kind]) + (kind == spent) - int(s.gained[kind]))
    return actions_of(s, seat) - (spent != c.NOTHING) >= cost.actions and s.actions_left >= short


@njit
def can_pay(s, t, seat, row, slot, spent):
    """HX-43: whether a seat can pay the cost in a row of `costs`.

    `slot`: the slot of the card to be played, which cannot pay for itself (NOTHING: it is not in the hand);
    `spent`: the kind of Action that is spent before the cost, or NOTHING.
    """
    cost = t.costs[row]
    if s.store[seat] < cost.expend:
        return False
    if cost.actions > 0 and not can_spend(s, seat, cost, spent):
        return False
    if cost.discards == 0:
        return True
    if count_in_hand(s, t, seat, c.ANY_TYPE, slot) < cost.discards:
        return False
    for wanted in range(c.TYPES):
        if cost.cards[wanted] > 0 and count_in_hand(s, t, seat, wanted, slot) < cost.cards[wanted]:
            return False
    return True


@njit
def can_pay_a_branch(s, t, seat, card, slot, spent):
    """HR-39: whether a seat can pay for a branch of an Event."""
    for branch in range(t.branches[card]):  # noqa: SIM110 - numba knows no any()
        if can_pay(s, t, seat, t.cost[card, branch], slot, spent):
            return True
    return False
