"""Defines sizes, numbers and names of the rules."""

MIN_PLAYERS = 2
MAX_PLAYERS = 4
FILES, SIDES, POINTS = 8, 2, 6  # Mission Files (HX-1), their sides and story points (HX-2)
HAND = 12  # maximum number of cards in a hand
KINDS = 112  # maximum number of kinds of cards in a deck file
MOST_CARDS = 200  # maximum number of cards in a deck
MOST_DATA = 99  # maximum Data in a Store or on a Planet
MOST_COUNTERS = 9
MOST_GAINED = 6  # maximum number of Actions that a seat can gain in a turn
MOST_ONCE = 16  # maximum number of `once` statements in a deck
DELTA_DATA = 5  # HX-5
BRANCHES = 4  # maximum number of branches of a card (HX-42)

TYPE_NAMES = ("alien", "dilemma", "object", "planet", "space")
TYPES = len(TYPE_NAMES)
ALIEN, DILEMMA, OBJECT, PLANET, SPACE = range(TYPES)
ANY_TYPE = TYPES

# Kinds of Actions (HX-8), and the two other modes of a PLAYING frame.
ACTION_NAMES = ("map", "move", "upload", "refresh", "event", "any")
MAP, MOVE, UPLOAD, REFRESH, EVENT, ANY = range(len(ACTION_NAMES))
ACTIONS = ANY
SURPRISE, COPY = ANY + 1, ANY + 2

# Windows (HX-44); the first five have the numbers of the Actions.
WINDOW_NAMES = (
    *("map", "move", "upload", "refresh", "event", "roll", "landed", "surprise"),
    *("turn_begins", "turn_ends", "stopped", "uploaded"),
)
WINDOWS = len(WINDOW_NAMES)
ROLLED, LANDED, SURPRISED, TURN_BEGINS, TURN_ENDS, STOPPED, UPLOADED = range(5, WINDOWS)

# Classes of hexes by the neighbours that they allow (HX-11, HX-12).
CLASSES = 3
LOOSE, PLAIN, SOCIABLE = range(CLASSES)  # a Space; a Planet; a Planet that other Planets may touch

NOBODY = NOTHING = NOWHERE = -1

# Phases of a turn while the stack is empty.
CHOOSING_SIDES, BEGINNING = 0, 1  # BEGINNING + p: the `on_turn` effect of the card on point p (HR-35)
ACTING, ENDING, TRIMMING, DRAWING = range(BEGINNING + POINTS, BEGINNING + POINTS + 4)

# Kinds of frames.
PLAYING, ANSWERING, ROLLING, MOVING, CARRYING_OUT, DISCARDING, GAINING = range(1, 8)
MOST_FRAMES = 64
SPARE_FRAMES = 8  # effects and windows begin only if more frames are free, so the stack never overflows

# Names of deeds, the public events that a state lists in `deeds`. The first five are the Actions.
DEED_NAMES = (*ACTION_NAMES[:ACTIONS], "surprise", "done", "roll")
SURPRISE_DEED, DONE_DEED, ROLL_DEED = 5, 6, 7
DEEDS = 8  # deeds that a state remembers

# Decisions (`asked` of a state): name, lowest move, highest move + 1; moves 0 and 1 may be legal too.
ASKED = (
    ("side", 2, 4), ("main", 6, 55), ("gained", 6, 55), ("step", 272, 278),
    ("may", 2, 2), ("collect", 282, 284), ("window", 7, 19), ("branch", 2, 6),
    ("discard", 43, 55), ("map_cell", 55, 272), ("map_rotation", 272, 278), ("target_seat", 278, 282),
    ("target_hex", 55, 272), ("relocate", 55, 272), ("ships_to", 55, 272), ("move_hex", 55, 272),
    ("rotate", 272, 278), ("place", 7, 19), ("place_cell", 55, 272), ("place_rotation", 272, 278),
    ("replace", 7, 19), ("upload_now", 19, 31), ("delete_upload", 289, 313), ("recover", 313, 425),
)  # fmt: skip
ASKED_NAMES = tuple(name for name, _, _ in ASKED)
(
    SIDE, MAIN, GAINED, STEP, MAY, COLLECT, WINDOW, BRANCH, DISCARD, MAP_CELL, MAP_ROTATION,
    TARGET_SEAT, TARGET_HEX, RELOCATE, SHIPS_TO, MOVE_TO, ROTATE, PLACE, PLACE_CELL, PLACE_ROTATION,
    REPLACE, UPLOAD_NOW, DELETE, RECOVER,
) = range(len(ASKED))  # fmt: skip

# Flat action space (docs/planet_hexx_actions.md).
PASS = NO = 0
YES = 1
TO_BRANCH = 2
TO_MOVE = 6
TO_PLAY = 7
TO_UPLOAD = 19
TO_ALT = 31
TO_DISCARD = 43
TO_CELL = 55
TO_TURN = 272
TO_SEAT = 278
TO_NUMBER = 282
TO_POINT = 289
TO_KIND = 313
ACTION_COUNT = 425

# Score categories. "won" ranks the seats; a truncated game has no winner.
SCORE_NAMES = ("uploads", "data", "won")
REWARD_NAMES = ("win", "uploads")
WIN, UPLOADS = range(len(REWARD_NAMES))
