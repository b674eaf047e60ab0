"""Defines sizes, kinds and action offsets as compile-time constants."""

from __future__ import annotations

MAX_PLAYERS = 5
MIN_PLAYERS = 2
# Sizes of the printed box; a components file may describe a smaller box (`PARAMETERS`: `ring_size`, …).
RING = 8  # planets in the ring (SM-02)
PLANETS = 12  # planets to draw from (SM-02)
NO_PLANET = PLANETS  # fills the rest of `ring` if the ring is smaller; no card serves its numbers
CARDS = 60  # cards in the game (SM-06)
SLOTS = 5  # hand slots in the action space; the largest hand_size
PILE = 8  # tiles dealt to each planet (SM-03)
TILES = RING * PILE
POINT_TILES = 48
SPACE_TILES = 16

KIND_NAMES = (
    "mineral_red",
    "mineral_purple",
    "mineral_green",
    "mineral_blue",
    "alien_brown",
    "alien_blue",
    "matter_green",
    "matter_blue",
    "water",
    "medal",
    "space",
)
KINDS = len(KIND_NAMES)
MINERAL, ALIEN, MATTER_GREEN, MATTER_BLUE, WATER, MEDAL, SPACE = 0, 4, 6, 7, 8, 9, 10
POINT_KINDS = SPACE  # kinds 0 to 9 are point tiles

COLOURS = ("jump", "scan", "landing")
NUMBERS = 4  # coordinates are numbers from 1 to this
JOKER = 5  # value of a joker, which serves any number of its colour (SM-10)
JOKER_MASK = 0b11110  # bit n: the card serves the number n, 1 to 4

CARD_FEATURES = 15  # features of a card: 1, 2, 3, 4, joker for each of the three colours
PLANET_FEATURES = 12  # jump one-hot, scan one-hot, number of landing coordinates 1, 2, 3, 4

# Phases: the choice that the player to act has to make.
ACTION, PICK_RESERVE, PICK_DEVELOP, PICK_DISCOVER, OVER = 0, 1, 2, 3, 4
PHASE_NAMES = ("action", "reserve", "develop", "discover", "over")

NOWHERE = -1  # a ship on the jump gate, a planet without a station, an empty hand slot

# Flat action space (docs/actions.md).
TOP_UP = 0
JUMP = 32
FLY_NEXT = 72
FLY_PREVIOUS = 73
SCAN = 74
DEVELOP = 79
DISCOVER = 89
TAKE = 90
ACTION_COUNT = 101
# The six actions (top up, jump, fly, scan, develop, discover), and how many of the last actions of each seat
# the observation shows (SM-70).
ACTION_KINDS = 6
LAST_ACTIONS = 2
# Maximum number of epochs of cards (card_memory.py): one for each card in a hand, and one without cards.
EPOCHS = MAX_PLAYERS * SLOTS + 1
NEW = EPOCHS  # epoch of a card that was drawn from the present draw pile
DEVELOP_PAIRS = tuple((a, b) for a in range(SLOTS) for b in range(a + 1, SLOTS))

# Score categories, in the order of the record's result line (docs/records.md).
SCORE_NAMES = ("gate", "stations", "minerals", "aliens", "matter", "water", "medals", "space", "total")
SCORES = len(SCORE_NAMES)
REWARD_NAMES = ("win", "rank", "score_margin")
GATE, STATIONS, MINERALS, ALIENS, MATTER, WATERS, MEDALS, SPACES, TOTAL = range(SCORES)
