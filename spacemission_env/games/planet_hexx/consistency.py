"""Checks a state: fields must be in range, and no piece may be missing."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from spacemission_env.core.constants import RUNNING
from spacemission_env.core.layout import Range, range_problem
from spacemission_env.games.planet_hexx.engine import board, declare, effects, moving
from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.engine.grid import CELLS, EDGES
from spacemission_env.games.planet_hexx.engine.stack import on_table
from spacemission_env.games.planet_hexx.engine.state import BLANK, MOST_CODE, MOST_COSTS, STATE

MOST = 10_000  # limit of numbers that no rule limits, such as rolls and steps
MOST_SHUFFLES = 2**14

_CARD, _CELL = (c.NOTHING, c.KINDS - 1), (c.NOTHING, CELLS - 1)
_TURNED, _SHUFFLES = (0, EDGES - 1), (0, MOST_SHUFFLES)
# Lowest and highest number of each field; `_problems` checks limits that depend on deck and players.
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
# Lowest and highest number of each field of a frame that is in use.
FRAME_RANGES: dict[str, Range] = {
    "kind": (c.PLAYING, c.GAINING),
    "seat": (0, c.MAX_PLAYERS - 1),
    "step": (0, max(declare.FINISH, moving.ENDED, effects.LAY)),
    "mode": (0, max(c.COPY, c.WINDOWS - 1)),
    "branch": (0, MOST_COSTS - 1),
    "turned": _TURNED,
    "pc": (c.NOTHING, MOST_CODE - 1),
    "target": (c.NOTHING, c.MAX_PLAYERS - 1),
    "came": (c.NOTHING, EDGES - 1),
    **dict.fromkeys(("epoch", "held_epoch"), _SHUFFLES),
    **dict.fromkeys(("card", "before", "held"), _CARD),
    **dict.fromkeys(("cell", "hex"), _CELL),
    **dict.fromkeys(("cancelled", "gone"), (0, 1)),
    **dict.fromkeys(("about", "home"), (c.NOTHING, c.MOST_FRAMES - 2)),
    **dict.fromkeys(("left", "taken"), (0, MOST)),
    **dict.fromkeys(("roll", "more"), (-MOST, MOST)),
    "queue": (0, (1 << 3 * c.MOST_GAINED) - 1),
}
# Fields that can be computed from the hexes on the board.
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
    yield from _frame_problems(s, t)
    for name, holds in (*_of_turn(s, t, n), *(check for j in range(n) for check in _of_seat(s, t, j))):
        if not holds:
            yield f"{name} does not hold"
    yield from _board_problems(s, t, n)
    yield from _card_problems(s, t, n)


def _of_turn(s: np.record, t: np.record, n: int) -> Iterator[tuple[str, object]]:
    before = max(0, int(s.turn) - 1)  # turns that have ended
    choosing, deeds = s.phase == c.CHOOSING_SIDES, np.asarray(s.deeds)
    yield "turn", s.turn <= n * int(t.max_turns) and s.round_number == before // n + 1
    yield "active", s.active < n and (s.over != RUNNING or s.active == (int(s.start_player) + before) % n)
    yield "phase", choosing == (s.turn == 0) == (s.side[:n] == c.NOTHING).any() and not (choosing and s.depth)
    yield "start_player", t.start_player in (c.NOBODY, s.start_player)
    files = s.file[:n].tolist()
    yield "file", len(set(files)) == n and min(files) >= 0 and (s.file < t.files).all()
    yield "deck_known", s.deck_known <= s.deck_size and (s.epoch <= s.shuffles).all()
    most = (n, len(c.DEED_NAMES), t.kinds, MOST)
    yield "deeds", (deeds >= c.NOTHING).all() and (deeds < most).all()


def _of_seat(s: np.record, t: np.record, j: int) -> Iterator[tuple[str, object]]:
    size, hand, whose = int(s.hand_size[j]), s.hand[j], f"of player_{j}"
    held = (hand[:size] >= 0).all() and (hand[size:] == c.NOTHING).all()
    yield f"hand {whose}", held and (np.diff(hand[:size]) >= 0).all()
    yield f"epoch {whose}", not (s.known[j, size:].any() or s.epoch[j, size:].any())
    points = t.missions[s.file[j], s.side[j]] if s.side[j] != c.NOTHING else c.NOTHING
    yield f"points {whose}", (s.points[j] == points).all()
    there = s.filled[j] != c.NOTHING
    yield f"filled {whose}", (t.type[s.filled[j][there]] == s.points[j][there]).all()


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
    table = [card for f in s.stack[: s.depth] if (card := on_table(f)) != c.NOTHING]
    hands = [s.hand[j, : s.hand_size[j]] for j in range(n)]
    laid, filled = s.hex[s.hex != c.NOTHING], s.filled[s.filled != c.NOTHING]
    for kinds in (laid, table, *hands, s.deck[: s.deck_size], filled):
        np.add.at(there, np.asarray(kinds, np.int64), 1)
    there += s.discard
    there[[t.space_base, t.delta_colony]] -= 1
    if (there != t.copies).any() or s.discard.sum() != s.discard_size:
        yield "cards are not those of the deck"


def _frame_problems(s: np.record, t: np.record) -> Iterator[str]:
    frames, kinds = s.stack[: s.depth], ("card", "before", "held")
    for name, (low, high) in FRAME_RANGES.items():
        most = int(t.kinds) - 1 if name in kinds else high
        if (frames[name] < low).any() or (frames[name] > most).any():
            yield f"stack: {name} is out of range"
    if (s.stack[s.depth :] != BLANK[0]).any():
        yield "stack holds more frames than depth says"
