"""Checks states that were read from files, because compiled code trusts their numbers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from spacemission_env.core.constants import FINISHED, RUNNING, TRUNCATED
from spacemission_env.core.layout import Range, range_problem
from spacemission_env.games.planet_hexx.engine import board, declare, effects, legal, missions, moving, play
from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.engine.effect_codes import PLACE_OP, REPLACE_HEX, ROLL_OP
from spacemission_env.games.planet_hexx.engine.grid import CELLS, EDGES
from spacemission_env.games.planet_hexx.engine.state import BLANK, MOST_COSTS, NORMAL_UPLOAD, STATE

MOST = 10_000  # limit of numbers that no rule limits, such as rolls and steps
MOST_SHUFFLES = 2**14

_CARD, _CELL, _FRAME = (c.NOTHING, c.KINDS - 1), (c.NOTHING, CELLS - 1), (c.NOTHING, c.MOST_FRAMES - 2)
_TURNED, _SHUFFLES = (0, EDGES - 1), (0, MOST_SHUFFLES)
# Lowest and highest number of each field; `_problems` checks the limits of deck and players.
RANGES: dict[str, Range] = {
    "seen_decisions": (0, 2**31 - 2**16),
    "asked": (0, len(c.ASKED) - 1),
    "phase": (c.CHOOSING_SIDES, c.DRAWING),
    "active": (0, c.MAX_PLAYERS - 1),
    "turn": (0, 2**14),
    "actions_left": (0, 100),
    **dict.fromkeys(("gained", "gained_ever"), (0, c.MOST_GAINED)),
    "banned": (0, (1 << (c.ACTIONS + 1)) - 1),
    "bonus": (-MOST, MOST),
    **dict.fromkeys(("surprised", "won", "known"), (0, 1)),
    "collect_bonus": (-c.MOST_DATA, c.MOST_DATA),
    "begun": (0, 1000),
    "once": (0, (1 << c.MOST_ONCE) - 1),
    **dict.fromkeys(("latest", "filled", "hand", "hex"), _CARD),
    "ship": (0, CELLS - 1),
    "landed": _CELL,
    **dict.fromkeys(("store", "hex_data"), (0, c.MOST_DATA)),
    "counters": (0, c.MOST_COUNTERS),
    "file": (c.NOTHING, c.FILES - 1),
    "side": (c.NOTHING, c.SIDES - 1),
    "points": (c.NOTHING, c.TYPES - 1),
    **dict.fromkeys(("epoch", "shuffles"), _SHUFFLES),
    "hand_size": (0, c.HAND),
    "deck": (0, c.KINDS - 1),
    **dict.fromkeys(("deck_size", "deck_known", "discard", "discard_size"), (0, c.MOST_CARDS)),
    "turned": _TURNED,
    "placed": (0, CELLS - 1),
    "hexes": (2, CELLS),
    **dict.fromkeys(("rolled", "reached"), (0, 0)),
    "depth": (0, c.MOST_FRAMES - 1),
}
# Lowest and highest number of the fields of each kind of frame; its other fields must be blank.
FRAME_RANGES: dict[int, dict[str, Range]] = {
    c.PLAYING: {
        "step": (0, declare.FINISH),
        "mode": (c.MAP, c.COPY),
        "epoch": _SHUFFLES,
        "branch": (0, MOST_COSTS - 1),
        "cell": _CELL,
        "turned": _TURNED,
        **dict.fromkeys(("card", "before"), _CARD),
        **dict.fromkeys(("cancelled", "gone"), (0, 1)),
        **dict.fromkeys(("about", "home"), _FRAME),
    },
    c.ANSWERING: {"mode": (0, c.WINDOWS - 1), "left": (0, MOST), "taken": (0, (1 << c.MAX_PLAYERS) - 1)},
    c.ROLLING: {"step": (moving.THROWN, moving.THROWN), "mode": (c.MOVE, c.EVENT), "roll": (-MOST, MOST)},
    c.MOVING: {
        "step": (0, moving.ENDED),
        **dict.fromkeys(("roll", "left", "taken"), (0, MOST)),
        "cell": (0, CELLS - 1),
        "turned": _TURNED,
        "came": (c.NOTHING, EDGES - 1),
        "more": (-MOST, MOST),
    },
    c.CARRYING_OUT: {
        "step": (effects.WHICH, effects.LAY),
        "card": (0, c.KINDS - 1),
        "pc": (0, 2**15 - 1),
        **dict.fromkeys(("cell", "hex"), _CELL),
        "turned": _TURNED,
        **dict.fromkeys(("about", "home"), _FRAME),
        "target": (c.NOTHING, c.MAX_PLAYERS - 1),
        "roll": (0, MOST),
        "taken": (0, c.MAX_PLAYERS),
        "more": (-MOST, MOST),
        "held": _CARD,
        "held_epoch": _SHUFFLES,
        "queue": (0, (1 << 3 * c.MOST_GAINED) - 1),
    },
    c.DISCARDING: {"mode": (0, c.ANY_TYPE), "left": (0, MOST)},
    c.GAINING: {"mode": (c.MAP, c.ANY)},
}
# Values of fields for absent seats; 0 for all other fields in BY_SEAT.
ABSENT = {"landed": c.NOTHING, "file": c.NOTHING, "side": c.NOTHING, "points": c.NOTHING, "filled": c.NOTHING,
          "hand": c.NOTHING}  # fmt: skip
BY_SEAT = (*ABSENT, "collect_bonus", "once", "gained_ever", "banned", "bonus", "surprised", "store",
           "counters", "won", "known", "epoch", "hand_size")  # fmt: skip
# The kind of frame below a window, which opened it. Windows of a turn have none below; of Uploads, any.
BELOW = {
    **dict.fromkeys((*range(c.ACTIONS), c.SURPRISED), c.PLAYING),
    c.ROLLED: c.ROLLING,
    c.LANDED: c.MOVING,
    c.STOPPED: c.MOVING,
}
# Fields that follow from the hexes.
FROM_HEXES = (
    *("walls", "rows", "touches", "touches_space", "touches_plain", "open_cells"),
    *("hex", "turned", "placed", "placed_at", "hexes"),
)


def state_problem(s: np.record, t: np.record, num_players: int) -> str | None:
    """Why a state is not possible, or None."""
    return range_problem(s, num_players, RANGES) or next(_problems(s, t, num_players), None)


def _problems(s: np.record, t: np.record, n: int) -> Iterator[str]:
    for name in ("hand", "filled", "hex", "latest", "deck"):
        if (np.asarray(s[name]) >= t.kinds).any():
            yield f"{name} is out of range"
            return
    for name in BY_SEAT:
        if (s[name][n:] != ABSENT.get(name, 0)).any():
            yield f"{name} of an absent seat does not hold"
    yield from _turn_problems(s, t, n)
    yield from _deed_problems(s, t, n)
    yield from _seat_problems(s, t, n)
    yield from _frame_problems(s, t, n)
    yield from _board_problems(s, t, n)
    yield from _card_problems(s, t, n)
    if s.over == RUNNING and not _is_asked(s, t):
        yield "asked does not follow from what is under way"


def _turn_problems(s: np.record, t: np.record, n: int) -> Iterator[str]:
    if s.turn > n * int(t.max_turns) or s.round_number != max(0, int(s.turn) - 1) // n + 1:
        yield "turn is out of range"
    if s.active >= n or (
        s.over == RUNNING and s.active != (int(s.start_player) + max(0, int(s.turn) - 1)) % n
    ):
        yield "active does not hold"
    choosing = s.phase == c.CHOOSING_SIDES
    if choosing != (s.turn == 0) or choosing != (s.side[:n] == c.NOTHING).any() or (choosing and s.depth):
        yield "phase does not hold"
    if t.start_player not in (c.NOBODY, s.start_player):
        yield "start_player does not hold"
    if len({int(file) for file in s.file[:n]}) != n or (s.file[:n] < 0).any() or (s.file >= t.files).any():
        yield "file does not hold"
    if s.deck_known > s.deck_size or (s.epoch > s.shuffles).any():
        yield "deck_known does not hold"
    complete = [missions.uploads(s, j) == c.POINTS for j in range(n)]
    wins = s.won.any() and all(complete[j] for j in range(n) if s.won[j])
    if wins if s.over != FINISHED else not wins:
        yield "won does not hold"
    if s.over == TRUNCATED and s.turn != n * int(t.max_turns):
        yield "over does not hold"


def _deed_problems(s: np.record, t: np.record, n: int) -> Iterator[str]:
    seats, what, cards, numbers = np.asarray(s.deeds).T
    there = what != c.NOTHING
    limits = ((seats, 0, n - 1), (what, 0, len(c.DEED_NAMES) - 1), (numbers, 0, MOST))
    if any(((column < low) | (column > high))[there].any() for column, low, high in limits):
        yield "deeds is out of range"
    elif (np.diff(there.astype(int)) > 0).any() or (cards < c.NOTHING).any() or (cards >= t.kinds).any():
        yield "deeds does not hold"


def _seat_problems(s: np.record, t: np.record, n: int) -> Iterator[str]:
    for j in range(n):
        size, hand = int(s.hand_size[j]), s.hand[j]
        if (hand[:size] < 0).any() or (hand[size:] != c.NOTHING).any() or (np.diff(hand[:size]) < 0).any():
            yield f"hand of player_{j} does not hold"
        if s.known[j, size:].any() or s.epoch[j, size:].any():
            yield f"epoch of player_{j} does not hold"
        points = t.missions[s.file[j], s.side[j]] if s.side[j] != c.NOTHING else c.NOTHING
        if (s.points[j] != points).any():
            yield f"points of player_{j} does not hold"
        there = s.filled[j] != c.NOTHING
        if (t.type[s.filled[j][there]] != s.points[j][there]).any():
            yield f"filled of player_{j} does not hold"


def _board_problems(s: np.record, t: np.record, n: int) -> Iterator[str]:
    cells, hexes, turned = s.placed[: s.hexes].tolist(), s.hex.tolist(), s.turned.tolist()
    if len(set(cells)) != len(cells) or any(
        hexes[cell] == c.NOTHING or t.placing[hexes[cell]] == c.NOTHING for cell in cells
    ):
        yield "placed does not hold"
        return
    again = np.zeros(1, STATE)[0]
    again.hex[:] = c.NOTHING
    for cell in cells:
        board.lay(again, t, cell, hexes[cell], turned[cell])
    for name in FROM_HEXES:
        if not np.array_equal(again[name], s[name]):
            yield f"{name} does not follow from the hexes"
    if any(hexes[cell] == c.NOTHING for cell in s.ship[:n]):
        yield "ship does not hold"
    if any(cell != c.NOTHING and hexes[cell] == c.NOTHING for cell in s.landed[:n]):
        yield "landed does not hold"
    if s.hex_data[s.hex == c.NOTHING].any():
        yield "hex_data does not hold"


def _card_problems(s: np.record, t: np.record, n: int) -> Iterator[str]:
    there = np.zeros(len(t.copies), np.int64)
    frames = s.stack[: s.depth]
    table = [
        int(f.card) for f in frames if f.kind == c.PLAYING and f.mode not in (c.MOVE, c.COPY) and not f.gone
    ]
    held = [int(f.held) for f in frames if f.kind == c.CARRYING_OUT and f.held != c.NOTHING]
    hands = [s.hand[j, : s.hand_size[j]] for j in range(n)]
    laid, filled = s.hex[s.hex != c.NOTHING], s.filled[s.filled != c.NOTHING]
    for kinds in (laid, table, held, *hands, s.deck[: s.deck_size], filled):
        np.add.at(there, np.asarray(kinds, np.int64), 1)
    there += s.discard
    there[[t.space_base, t.delta_colony]] -= 1
    if (there != t.copies).any() or s.discard.sum() != s.discard_size:
        yield "cards are not those of the deck"


def _frame_problems(s: np.record, t: np.record, n: int) -> Iterator[str]:
    depth = int(s.depth)
    if (s.stack[depth:] != BLANK[0]).any():
        yield "stack holds more frames than depth says"
    codes = int(np.flatnonzero(t.code.any(axis=1)).max(initial=0)) + 2
    limits = {"card": t.kinds, "before": t.kinds, "held": t.kinds, "target": n, "pc": codes}
    for d in range(depth):
        f = s.stack[d]
        ranges = FRAME_RANGES.get(int(f.kind), {})
        for name in f.dtype.names:
            blank = int(BLANK[0][name])
            low, high = (0, n - 1) if name == "seat" else ranges.get(name, (blank, blank))
            high = min(high, limits.get(name, high + 1) - 1, d - 1 if high == c.MOST_FRAMES - 2 else high)
            if name != "kind" and not low <= f[name] <= high:
                yield f"stack: {name} of frame {d} is out of range"
                return
        if f.kind not in FRAME_RANGES or max(f.epoch, f.held_epoch) > s.shuffles:
            yield f"stack: frame {d} does not hold"
        if f.kind == c.ANSWERING and not _can_be_open(s, d):
            yield f"stack: mode of frame {d} does not hold"
        if f.about != c.NOTHING and s.stack[f.about].kind != c.ANSWERING:
            yield f"stack: about of frame {d} does not hold"
        if f.home != c.NOTHING and (s.stack[f.home].kind != c.PLAYING or s.stack[f.home].card == c.NOTHING):
            yield f"stack: home of frame {d} does not hold"
        if f.kind == c.PLAYING and not _can_be_played(s, t, f):
            yield f"stack: card of frame {d} does not hold"
        if f.kind == c.CARRYING_OUT and not _can_be_under_way(s, t, f):
            yield f"stack: step of frame {d} does not hold"


def _can_be_open(s: np.record, d: int) -> bool:
    """Whether the frame below a window can open it."""
    mode = int(s.stack[d].mode)
    if mode in (c.TURN_BEGINS, c.TURN_ENDS):
        return d == 0
    return d > 0 and s.stack[d - 1].kind == BELOW.get(mode, s.stack[d - 1].kind)


def _can_be_played(s: np.record, t: np.record, f: np.record) -> bool:
    """Whether the fields of a PLAYING frame fit its step."""
    if f.mode == c.ANY or (f.mode == c.MOVE) != (f.card == c.NOTHING):
        return False
    if f.mode == c.MAP:
        placed = f.cell != c.NOTHING or f.step <= declare.CHOOSE
        return bool(placed and t.placing[f.card] != c.NOTHING and f.step != declare.RESOLVE)
    if f.cell != c.NOTHING or f.turned or f.step == declare.TURN:
        return False
    if f.mode == c.UPLOAD:
        fits = f.step != declare.RESOLVE or missions.open_point(s, t, int(f.seat), int(f.card)) != c.NOTHING
        return bool(fits and f.branch in (NORMAL_UPLOAD, t.alt_cost[f.card]))
    if f.mode in (c.EVENT, c.SURPRISE, c.COPY):
        return bool(f.branch < t.branches[f.card] and (f.mode != c.SURPRISE or t.answers[f.card] != 0))
    return bool(f.branch == 0)


def _can_be_under_way(s: np.record, t: np.record, f: np.record) -> bool:
    """Whether the fields of a CARRYING_OUT frame fit its step, and its queue is valid."""
    queue, op = int(f.queue), t.code[f.pc, 0]
    while queue:
        if not 1 <= queue & 7 <= c.ANY + 1:
            return False
        queue >>= 3
    lays = op in (PLACE_OP, REPLACE_HEX)
    if f.step and not lays and (op != ROLL_OP or f.step > 1):
        return False
    if (f.held != c.NOTHING) != (lays and f.step >= effects.WHERE):
        return False
    if f.held == c.NOTHING:
        return True
    cell = f.step < effects.HOW or f.cell != c.NOTHING
    return bool(cell and t.placing[f.held] != c.NOTHING and (op == PLACE_OP or f.cell == f.hex))


def _is_asked(s: np.record, t: np.record) -> bool:
    """Whether the stack leads to the decision of the state, with a legal move."""
    again = np.array(s).reshape(1)
    a = again[0]
    f = a.stack[max(0, int(s.depth) - 1)]
    # Undo the step that asked.
    if s.asked == c.BRANCH and f.kind == c.PLAYING and f.step == declare.ANNOUNCE:
        f.step = declare.CHOOSE
    if s.asked == c.COLLECT and f.kind == c.MOVING and f.step == moving.ENDING:
        f.step = moving.AT_PLANET
    a.asked, a.player = 0, 0
    if not play.advance(a, t) or again.tobytes() != np.array(s).tobytes():
        return False
    return bool(legal.next_legal(a, t, legal.open_actions(a, t, a.player), 0) != c.NOTHING)
