"""Numbers the instructions into which card effects are compiled (`components/parameters.py`).

The comment beside an instruction names the numbers of its row; 0 stands for an unused number.
"""

OP_NAMES = (
    # Control flow.
    "end",
    "jump",  # next row
    "if",  # next row if false, condition, its number or kind
    "may",  # next row if declined, row of its price in `costs`
    "range",  # next row if the roll is outside, lowest and highest roll
    "once",  # next row if used in this turn, number of the `once`
    "use_once",  # 0, number of the `once`
    # Statements without a choice.
    "add",  # amount, who
    "expend",
    "take",
    "collect",
    "planet_add",
    "planet_sub",
    "planets_add",
    "planets_sub",
    "draw",  # amount, who
    "random_discard",
    "dump",
    "show_hand",  # 0, who
    "show_top",
    "gain_action",  # number, kind
    "use_action",  # number, who, kind
    "forbid",  # kind, who
    "modify_roll",
    "modify_collect",  # by, who
    "reroll",
    "upload_self",
    "cancel",
    "counter",
    # Other statements.
    "discard",  # amount, who, type
    "move",
    "roll",  # 1: for a table
    "copy",
    "place",  # 1: anywhere next to a hex
    "disintegrate",
    "rotate",
    "move_hex",  # TO_CARRY or TO_CARRY_ANYWHERE
    "replace_hex",  # 1: beside Planets too
    "relocate",  # what, where, who
    "target_seat",  # 0, who
    "target_hex",  # what, where, lowest and highest Data, TO_STAY … TO_REPLACE, 1: printed Data
    "recover",  # 0, 0, type
    "upload_now",  # 0, 0, type
    "delete_upload",  # 0, who
)
OPS = {name: number for number, name in enumerate(OP_NAMES)}
(
    END, JUMP, IF, MAY_OP, RANGE, ONCE, USE_ONCE, ADD, EXPEND, TAKE, COLLECT_OP, PLANET_ADD, PLANET_SUB,
    PLANETS_ADD, PLANETS_SUB, DRAW, RANDOM_DISCARD, DUMP, SHOW_HAND, SHOW_TOP, GAIN_ACTION, USE_ACTION,
    FORBID, MODIFY_ROLL, MODIFY_COLLECT, REROLL, UPLOAD_SELF, CANCEL, COUNTER, DISCARD_OP, MOVE_OP, ROLL_OP,
    COPY_OP, PLACE_OP, DISINTEGRATE, ROTATE_OP, MOVE_HEX, REPLACE_HEX, RELOCATE_OP, TARGET_SEAT_OP,
    TARGET_HEX_OP, RECOVER_OP, UPLOAD_NOW_OP, DELETE_UPLOAD,
) = range(len(OP_NAMES))  # fmt: skip

WHO_NAMES = ("you", "target", "active", "all", "others")
YOU, TARGET, ACTIVE, ALL, OTHERS = range(len(WHO_NAMES))

WHAT_NAMES = ("hex", "planet", "space", "walled")
ANY_HEX, A_PLANET, A_SPACE, WALLED = range(len(WHAT_NAMES))

WHERE_NAMES = ("anywhere", "elsewhere", "adjacent", "linked")
ANYWHERE, ELSEWHERE, ADJACENT, LINKED = range(len(WHERE_NAMES))

CONDITION_NAMES = (
    *("data_ge", "target_data_ge", "planet_ge", "on", "on_board", "top_is"),
    *("printed_ge", "own_turn", "first_action", "last_action", "never"),
)
(
    DATA_GE, TARGET_DATA_GE, PLANET_GE, ON, ON_BOARD, TOP_IS, PRINTED_GE, OWN_TURN, FIRST_ACTION,
    LAST_ACTION, NEVER,
) = range(len(CONDITION_NAMES))  # fmt: skip

# What later statements do to a target hex; only hexes that allow it can be chosen.
TO_STAY, TO_GO, TO_CARRY, TO_CARRY_ANYWHERE, TO_REPLACE = range(5)

# Effects of a hex that may contain `collect` (HR-26); each has a bit in `PARAMETERS.relies`.
RELYING = ("on_collect", "on_stop", "on_start")
COLLECT_BIT, STOP_BIT, START_BIT = (1 << i for i in range(len(RELYING)))

# Codes of amounts that are not plain numbers.
BY_ROLL, BY_COUNTERS, BY_PRINTED = 1000, 1001, 1002
