"""Declares the records of the rules: the state of a game and its parameters.

`STATE` is one game in plain numbers, so a copy of its bytes is a copy of the game. `PARAMETERS` has the
cards, their effects (as programs) and the rules options as run-time data, so that another deck needs no
recompilation.
"""

from __future__ import annotations

import numpy as np

from spacemission_env.core.layout import aligned_record
from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.engine.grid import CELLS, SPAN
from spacemission_env.games.planet_hexx.engine.layout import CARD_SIZE, OBSERVATION_SIZE, PAIRS, WORDS

# A frame is something under way: an Action, roll, Move, effect or window. The top frame continues first.
FRAME = aligned_record(
    ("kind", "i2"),  # constants.PLAYING … GAINING
    ("step", "i2"),  # how far the frame has got
    ("mode", "i2"),  # of an Action: its kind; of a window: which one; of discards: the type of card
    ("seat", "i2"),  # the seat that plays, moves, discards, owns the effect, or opened the window
    ("card", "i2"),  # kind of the card that is played or has the effect
    ("epoch", "i2"),  # epoch of that card
    ("branch", "i2"),  # the chosen branch; of an upload: the row of its cost in `PARAMETERS.costs`
    ("cell", "i2"),  # cell on which a hex will lie; cell of a Move or an effect
    ("turned", "i2"),  # rotation of a hex; direction of a step
    ("cancelled", "i2"),  # 1: cancelled
    ("gone", "i2"),  # 1: the card has left the table
    ("about", "i2"),  # of a Surprise, copied Event or effect: index in `stack` of the window answered, or -1
    ("before", "i2"),  # of an Event Action: the Event before it in this turn, or NOTHING
    ("home", "i2"),  # of an effect: the frame with its card on the table, or -1
    ("pc", "i2"),  # of an effect: next instruction
    ("target", "i2"),  # of an effect: the target seat
    ("hex", "i2"),  # of an effect: the target hex
    ("roll", "i2"),  # of an effect, a roll or a Move: the result of the die
    ("left", "i2"),  # steps or discards left; of a window: Surprises played in it
    ("taken", "i2"),  # steps taken; of an effect: seats done; of a window: bits of the seats that have passed
    ("came", "i2"),  # the edge by which a Move entered the hex
    ("more", "i2"),  # of a Landing and its `on_collect` effect: added to the Data that is Collected
    ("held", "i2"),  # a Map card that an effect will lay
    ("held_epoch", "i2"),  # epoch of that card
    ("queue", "i8"),  # Actions gained in another player's turn, three bits each
)

STATE = aligned_record(
    # The header that all games have.
    ("seed", "i8"),  # seed of the deal
    ("rng", "u4", (6,)),  # random state (core/rng.py)
    ("salt", "i8"),  # makes decision keys of agents differ between games, even in equal positions
    ("decisions", "i4"),  # decisions made
    ("seen_decisions", "i4"),  # decisions made, except for passes in windows, which are hidden
    ("num_players", "i1"),  # 0: not dealt yet
    ("start_player", "i1"),  # HX-3
    ("player", "i1"),  # seat to act; after the game the last seat that acted
    ("over", "i1"),  # core/constants.py: RUNNING, FINISHED, TRUNCATED
    ("round_number", "i2"),  # from 1
    # The turn.
    ("asked", "i2"),  # current decision: constants.SIDE … RECOVER
    ("phase", "i2"),  # phase of the turn: CHOOSING_SIDES … DRAWING
    ("active", "i2"),  # seat whose turn it is
    ("turn", "i2"),  # turns begun
    ("actions_left", "i2"),  # ordinary Actions left
    ("gained", "i2", (c.ACTIONS,)),  # Actions of one kind that the active seat has gained
    ("gained_ever", "i2", (c.MAX_PLAYERS,)),  # Actions gained in this turn
    ("banned", "i2", (c.MAX_PLAYERS,)),  # bit k: no Actions of kind k in this turn
    ("bonus", "i2", (c.MAX_PLAYERS,)),  # bonus to Move rolls of this turn
    ("surprised", "i2", (c.MAX_PLAYERS,)),  # 1: has played a Surprise in this turn
    ("collect_bonus", "i2", (c.MAX_PLAYERS,)),  # bonus to Data Collected in this turn (HX-24)
    ("begun", "i2"),  # Actions that the active seat has begun in this turn
    ("once", "i4", (c.MAX_PLAYERS,)),  # bit k: the seat used the deck's k-th `once` statement in this turn
    ("latest", "i2"),  # kind of the latest Event, or NOTHING
    # The seats.
    ("ship", "i2", (c.MAX_PLAYERS,)),  # cell of the ship
    ("landed", "i2", (c.MAX_PLAYERS,)),  # cell of the hex Landed on last (HX-19), or NOWHERE
    ("store", "i2", (c.MAX_PLAYERS,)),  # Data in the Store
    ("counters", "i2", (c.MAX_PLAYERS,)),  # Snooger counters (HX-48)
    ("won", "i2", (c.MAX_PLAYERS,)),  # 1: the seat has won
    ("file", "i2", (c.MAX_PLAYERS,)),  # the Mission File
    ("side", "i2", (c.MAX_PLAYERS,)),  # the chosen side of the file; NOTHING before the choice
    ("points", "i2", (c.MAX_PLAYERS, c.POINTS)),  # type of each mission point
    ("filled", "i2", (c.MAX_PLAYERS, c.POINTS)),  # kind of the card on each point, or NOTHING
    # The cards. Hands are sorted by kind, copies by arrival.
    ("hand", "i1", (c.MAX_PLAYERS, c.HAND)),  # kind of each card
    ("known", "i1", (c.MAX_PLAYERS, c.HAND)),  # 1: all seats know the card
    ("epoch", "i2", (c.MAX_PLAYERS, c.HAND)),  # value of `shuffles` when each card came to the hand
    ("hand_size", "i2", (c.MAX_PLAYERS,)),  # cards in the hand
    ("deck", "i1", (c.MOST_CARDS,)),  # the next card is deck[deck_size - 1]
    ("deck_size", "i2"),  # cards in the deck
    ("deck_known", "i2"),  # number of cards on top that are known to all
    ("shuffles", "i2"),  # how often the Discard was shuffled into a new deck (HX-51)
    ("discard", "u1", (c.KINDS,)),  # cards in the Discard, counted by kind
    ("discard_size", "i2"),  # cards in the Discard
    # The board.
    ("hex", "i1", (CELLS,)),  # kind of the hex on each cell, or NOTHING
    ("hex_data", "i1", (CELLS,)),  # Data on the hex
    ("turned", "i1", (CELLS,)),  # rotation of the hex
    ("walls", "i1", (CELLS,)),  # bits of the directions in which the hex has walls
    ("placed", "i2", (CELLS,)),  # the cells with hexes, unordered
    ("placed_at", "i2", (CELLS,)),  # index of each cell in `placed`
    ("hexes", "i2"),  # how many cells have hexes
    ("rows", "i4", (SPAN,)),  # a number for each row; bit k: the cell in column k has a hex
    ("touches", "i1", (CELLS,)),  # hexes around each cell
    ("touches_space", "i1", (CELLS,)),  # Spaces around each cell
    ("touches_plain", "i1", (CELLS,)),  # Planets of class PLAIN around each cell
    ("open_cells", "i2", (c.CLASSES,)),  # cells where a hex of the class may be laid
    # What is under way.
    ("rolled", "i2"),  # result of a roll, until it is used
    ("deeds", "i2", (c.DEEDS, 4)),  # latest first: seat, what (DEED_NAMES), card, number; NOTHING: none
    ("depth", "i2"),  # frames on the stack
    ("stack", FRAME, (c.MOST_FRAMES,)),  # what is under way, the innermost last
    ("reached", "i4", (SPAN,)),  # scratch of `board.reach`; zero between moves
)

BLANK = np.zeros(1, FRAME)  # a frame that is not in use
for _name in ("card", "cell", "about", "before", "home", "pc", "target", "hex", "came", "held"):
    BLANK[_name] = c.NOTHING

CODE = 7  # numbers of an instruction: its code and six arguments
MOST_CODE = 4096
MOST_COSTS = 1024
FREE, NORMAL_UPLOAD = 0, 1  # rows of `PARAMETERS.costs`

COST = aligned_record(
    ("expend", "i2"),
    ("actions", "i2"),  # Actions in all
    ("kinds", "i2", (c.ACTIONS,)),  # Actions that must be of each kind
    ("cards", "i2", (c.TYPES + 1,)),  # cards to discard, by type; the last number: any type
    ("discards", "i2"),  # cards to discard in all
    ("code", "i2"),  # program that pays the cost: its first row in `PARAMETERS.code`
)

PARAMETERS = aligned_record(
    ("kinds", "i2"),
    ("type", "i1", (c.KINDS,)),
    ("copies", "u1", (c.KINDS,)),
    ("printed", "i1", (c.KINDS,)),  # printed Data; 0 for X
    ("walls", "i1", (c.KINDS,)),  # bits of the edges
    ("placing", "i1", (c.KINDS,)),  # class of a hex: LOOSE, PLAIN or SOCIABLE; else NOTHING
    ("related", "i1", (c.KINDS, c.KINDS)),
    ("turns", "i1", (c.KINDS,)),  # how many rotations can be chosen (HR-37); 0: there is no choice
    ("leave_roll", "i2", (c.KINDS,)),
    ("enter_if", "i2", (c.KINDS, 2)),  # condition and its number, or NOTHING
    ("must_stop", "i1", (c.KINDS,)),
    ("start_ban", "i2", (c.KINDS,)),  # bit k: no Actions of kind k on this hex
    ("may_collect", "i1", (c.KINDS,)),
    ("collect_cost", "i2", (c.KINDS,)),  # row of `costs`: the price of choosing `on_collect` (HR-39)
    ("collect_if", "i2", (c.KINDS, 2)),  # the condition of that choice and its number, or NOTHING
    # The first row in `code` of the program of each effect, or NOTHING.
    ("on_enter", "i2", (c.KINDS,)),
    ("on_collect", "i2", (c.KINDS,)),
    ("on_through", "i2", (c.KINDS,)),
    ("on_stop", "i2", (c.KINDS,)),
    ("on_start", "i2", (c.KINDS,)),
    ("on_upload", "i2", (c.KINDS,)),
    ("on_turn", "i2", (c.KINDS,)),
    ("relies", "i1", (c.KINDS,)),  # bit i: the hex's effect `RELYING[i]` contains a `collect`
    ("branches", "i2", (c.KINDS,)),
    ("play", "i2", (c.KINDS, c.BRANCHES)),
    ("answers", "i2", (c.KINDS,)),  # bits of the windows that a Surprise answers; 0 for other cards
    ("own_turn", "i1", (c.KINDS,)),  # 1: can be played by an Event Action
    ("only_if", "i2", (c.KINDS, 2)),  # condition and its number, or NOTHING
    ("copies_event", "i1", (c.KINDS,)),  # 1: has the statement `copy`
    ("cost", "i2", (c.KINDS, c.BRANCHES)),  # row of `costs` of each branch; row 0 is free
    ("alt_cost", "i2", (c.KINDS,)),  # row of `costs` of the other upload cost, or NOTHING
    ("alt_anywhere", "i1", (c.KINDS,)),
    ("card_shown", "u1", (c.KINDS, CARD_SIZE)),  # features of a card in the hand
    ("cell_words", "<u4", (c.KINDS, WORDS)),  # features of a hex on the board, without walls
    ("cell_pairs", "<u8", (c.KINDS, PAIRS)),  # the same features as floats
    ("scale", "f4", (OBSERVATION_SIZE,)),  # 1 / unit of each number of the observation
    ("costs", COST, (MOST_COSTS,)),
    ("code", "i2", (MOST_CODE, CODE)),
    ("windows", "i2"),  # bits of windows that a card of the deck answers
    ("files", "i2"),  # how many Mission Files there are
    ("missions", "i1", (c.FILES, c.SIDES, c.POINTS)),  # types of the points
    ("space_base", "i2"),  # kinds of the two starting hexes
    ("delta_colony", "i2"),
    # Rules options (options.py), one field each.
    ("max_turns", "i2"),
    ("equal_turns", "i1"),
    ("always_ask", "i1"),
    ("hand_size", "i2"),
    ("actions_per_turn", "i2"),
    ("upload_cost", "i2"),
    ("immediate_upload_cost", "i2"),
    ("movable_bases", "i1"),
    ("split_board", "i1"),
    ("copy_cancelled", "i1"),
    ("start_player", "i1"),  # NOBODY: the dice decide
)
