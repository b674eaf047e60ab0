"""Tracks which cards in the hands are older than the draw pile (SM-27, SM-74).

At a shuffle, all seats can work out which cards are in the hands. The cards drawn between two shuffles are an
epoch: all seats know its cards and how many of them each seat holds, but not who holds which. Epoch 0 is the
oldest.
"""

from __future__ import annotations

import numpy as np

from spacemission_env.games.space_mission.engine.compiled import njit
from spacemission_env.games.space_mission.engine.constants import NEW

# For each set of up to eight slots or piles, given as bits: its size, and its lowest member.
BIT_COUNT = np.array([bits.bit_count() for bits in range(256)], np.int8)
LOWEST_BIT = np.array([max((bits & -bits).bit_length() - 1, 0) for bits in range(256)], np.int8)


@njit
def keep_hands(s):
    """At a shuffle, make the cards that were drawn since the last shuffle the latest epoch."""
    number_epochs(s)
    latest = int(s.epochs)
    for j in range(s.num_players):
        s.epoch_cards[latest, j] = s.hand_size[j] - BIT_COUNT[s.older[j]]
        s.epoch_size[latest] += s.epoch_cards[latest, j]
        s.older[j] = (1 << int(s.hand_size[j])) - 1
        for i in range(s.hand_size[j]):
            if s.hand_epoch[j, i] == NEW:
                s.hand_epoch[j, i] = latest
    s.epochs += 1


@njit
def number_epochs(s):
    """Drop the epochs that have no card in any hand, and number the others from 0."""
    left = 0
    for epoch in range(s.epochs):
        if s.epoch_size[epoch] > 0:
            if left != epoch:
                join_epoch(s, epoch, left)
            left += 1
    s.epochs = left


@njit
def join_epoch(s, epoch, other):
    """Move the cards of one epoch to another one."""
    if other != NEW:
        s.epoch_size[other] += s.epoch_size[epoch]
    s.epoch_size[epoch] = 0
    for j in range(s.num_players):
        for i in range(s.hand_size[j]):
            if s.hand_epoch[j, i] == epoch:
                s.hand_epoch[j, i] = other
                if other == NEW:
                    s.older[j] &= ~(1 << i)
        if other != NEW:
            s.epoch_cards[other, j] += s.epoch_cards[epoch, j]
        s.epoch_cards[epoch, j] = 0


@njit
def merge_epochs(s, t, seat, card):
    """Join the epochs that a shown card may belong to, since others cannot tell which copy it is."""
    latest = -1
    found = 0
    for i in range(s.hand_size[seat]):
        epoch = s.hand_epoch[seat, i]
        if s.hand[seat, i] >= 0 and epoch != latest and may_be_of(s, t, card, epoch):
            latest = max(latest, int(epoch))
            found += 1
    if found < 2:
        return
    for i in range(s.hand_size[seat]):
        epoch = s.hand_epoch[seat, i]
        if s.hand[seat, i] >= 0 and epoch != latest and may_be_of(s, t, card, epoch):
            join_epoch(s, epoch, latest)


@njit
def may_be_of(s, t, card, epoch):
    """Whether, by public knowledge, a hidden copy of the card may belong to this epoch."""
    hidden = int(t.copies[card]) - s.discard[card]
    for j in range(s.num_players):
        for i in range(s.hand_size[j]):
            if s.hand[j, i] == card and s.hand_epoch[j, i] != NEW:
                if s.hand_epoch[j, i] == epoch:
                    return True
                hidden -= 1
    return epoch == NEW and hidden > 0
