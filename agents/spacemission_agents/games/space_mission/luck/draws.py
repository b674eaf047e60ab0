"""Cards drawn, one at a time, with the odds of each: what a draw was worth, against what it might have been.

The observer sees everything but the order of the draw pile. To it each card that lies there is as likely as
any other to be the next, whatever has happened: the pile was shuffled, and nobody has looked. So the
expectation over the next card is exact: every card of the pile, weighed by how many copies lie there.
"""

from __future__ import annotations

import numpy as np

from spacemission_agents.games.space_mission.compiled import njit
from spacemission_agents.games.space_mission.luck.value import read_side, shares_of, value_of
from spacemission_env.core.constants import NO_ORDER
from spacemission_env.games.space_mission.engine.constants import ACTION, CARDS, JUMP, MAX_PLAYERS, OVER
from spacemission_env.games.space_mission.engine.rules import (
    apply,
    discard_slots,
    draw_card,
    end_turn,
    form_draw_pile,
    note_action,
)


@njit
def begin_top_up(s, t, bits):
    """SM-21 up to the first card drawn; how many are to be drawn, if there are so many."""
    s.decisions += 1
    s.actions_left -= 1
    note_action(s, bits)
    discard_slots(s, t, s.player, bits)
    return int(t.hand_size) - int(s.hand_size[s.player])


@njit
def end_top_up(s, t):
    """What `apply` does behind a top-up."""
    if s.phase == ACTION and s.actions_left == 0:
        end_turn(s, t)


@njit
def ready_pile(s):
    """SM-23: there is a card to draw, the discard pile shuffled first where it must be; whether there is."""
    if s.draw_size == 0 and s.discard_size > 0:
        form_draw_pile(s, NO_ORDER)
    return s.draw_size > 0


@njit
def put_on_top(s, i):
    """Exchange the next card of the draw pile with the one at place i."""
    top = s.draw_size - 1
    card = s.draw[top]
    s.draw[top] = s.draw[i]
    s.draw[i] = card


@njit
def draw_luck(world, t, pending, net, scratch, told, expected):
    """Draw the next card in `world[0]`; write what the position is worth with it, and what it was on average.

    Args:
        world: states (1,), the game; `pending` cards are to be drawn, one at least.
        t: its box.
        pending: with this one.
        net: the value.
        scratch: states (1,).
        told: out, float64 (MAX_PLAYERS,): worth of the position with the card that came.
        expected: out, the same on average over the cards that might have come.
    """
    s = world[0]
    seat = int(s.player)
    n = int(s.num_players)
    shares = np.empty(MAX_PLAYERS)
    for j in range(n):
        expected[j] = 0.0
    size = int(s.draw_size)
    first = True
    worth = np.full((CARDS, MAX_PLAYERS), -1.0)  # by face: copies are worth the same
    for i in range(size):
        face = s.draw[i]
        if worth[face, 0] < 0:
            scratch[0] = s
            w = scratch[0]
            put_on_top(w, i)
            draw_card(w, seat, NO_ORDER)
            if pending == 1:
                end_top_up(w, t)
            if first:
                value_of(w, t, pending - 1, net, shares)
                first = False
            elif w.phase != OVER:  # another card changes the side of the seat that draws, and nothing else
                read_side(w, t, seat, pending - 1, net)
                shares_of(net, n, shares)
            for j in range(n):
                worth[face, j] = shares[j]
        for j in range(n):
            expected[j] += worth[face, j] / size
    came = s.draw[size - 1]
    for j in range(n):
        told[j] = worth[came, j]
    draw_card(s, seat, NO_ORDER)


@njit
def move_luck(world, t, action, net, scratch, out):
    """What the cards drawn by a move were worth to each seat, above what they might have been: add to `out`.

    `world`: states (1,), a copy of the game before the move, in which the top-up is carried out.
    """
    if action >= JUMP:
        return
    s = world[0]
    told, expected = np.empty(MAX_PLAYERS), np.empty(MAX_PLAYERS)
    pending = begin_top_up(s, t, action)
    while pending > 0 and ready_pile(s):
        draw_luck(world, t, pending, net, scratch, told, expected)
        for j in range(s.num_players):
            out[j] += told[j] - expected[j]
        pending -= 1


@njit
def luck_batch(states, boxes, index, actions, net, worlds, out):
    """The same for a move in each game of `index`, before it is made; out: float64 (n, MAX_PLAYERS).

    `out` is added to. `worlds`: states (2,), scratch.
    """
    t = boxes[0]
    for n in range(len(index)):
        worlds[0] = states[index[n]]
        move_luck(worlds[:1], t, int(actions[n]), net, worlds[1:], out[n])


@njit
def value_batch(states, boxes, index, net, out):
    """What the games of `index` are worth to each seat: out, float64 (n, MAX_PLAYERS)."""
    for n in range(len(index)):
        value_of(states[index[n]], boxes[0], 0, net, out[n])


@njit
def moves_worth(s, t, actions, net, worlds, out):
    """What each of these moves is worth to each seat, before it draws: out, float64 (n, MAX_PLAYERS)."""
    for n in range(len(actions)):
        worlds[0] = s
        w = worlds[0]
        action = int(actions[n])
        pending = 0
        if action < JUMP:
            pending = begin_top_up(w, t, action)
            if pending == 0:
                end_top_up(w, t)
        else:
            apply(w, t, action, NO_ORDER)
        value_of(w, t, pending, net, out[n])
