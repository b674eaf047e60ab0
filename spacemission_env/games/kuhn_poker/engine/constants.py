"""Sizes and names of Kuhn poker. Everything that compiled code freezes stands here."""

from __future__ import annotations

MIN_PLAYERS = 2
MAX_PLAYERS = 3
CARDS = MAX_PLAYERS + 1  # of the largest deck (KP-1)
MOST_DECISIONS = 2 * MAX_PLAYERS - 1  # all but the last check, the last bets, the others answer
TURNS = 2  # how often a seat acts at most: it checks, and answers a later bet

PASS, BET = 0, 1  # pass: check or fold; bet: bet or call (KP-4, KP-5)
ACTION_COUNT = 2
BET_CHIPS = 1  # KP-4
MOST_ANTE = 5  # of option `ante`

NOBODY = -1  # no card, no decision yet

SCORE_NAMES = ("chips",)
REWARD_NAMES = ("win", "rank", "chips")
WIN, RANK, CHIPS = range(len(REWARD_NAMES))
