"""Whether a state that was read from a file can be one of Planet Hexx: compiled code trusts its numbers.

Ranges of all fields, cards that are all there once, a board whose counts agree with its hexes, and frames
that point to what is there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from spacemission_env.core.constants import RUNNING, TRUNCATED
from spacemission_env.games.planet_hexx.engine import board
from spacemission_env.games.planet_hexx.engine.constants import (
    ACTIONS,
    ANSWERING,
    ASKED,
    BRANCHES,
    CARRYING_OUT,
    COPY,
    DEED_NAMES,
    DRAWING,
    FILES,
    GAINING,
    HAND,
    MAX_PLAYERS,
    MOST_CARDS,
    MOST_COUNTERS,
    MOST_DATA,
    MOST_FRAMES,
    MOST_GAINED,
    MOST_ONCE,
    NOTHING,
    PLAYING,
    POINTS,
    SIDES,
    TYPES,
)
from spacemission_env.games.planet_hexx.engine.grid import CELLS, EDGES
from spacemission_env.games.planet_hexx.engine.state import STATE

# Lowest and highest number of fields, where that does not depend on the game.
RANGES = {
    "seed": (0, 2**63 - 1),
    "salt": (0, 2**63 - 1),
    "decisions": (0, 2**31 - 1),
    "seen_decisions": (0, 2**31 - 1),
    "over": (RUNNING, TRUNCATED),
    "asked": (0, len(ASKED) - 1),
    "phase": (0, DRAWING),
    "actions_left": (0, 100),
    "gained": (0, MOST_GAINED),
    "gained_ever": (0, MOST_GAINED),
    "banned": (0, (1 << (ACTIONS + 1)) - 1),
    "bonus": (-10_000, 10_000),
    "surprised": (0, 1),
    "collect_bonus": (-MOST_DATA, MOST_DATA),
    "begun": (0, 1000),
    "once": (0, (1 << MOST_ONCE) - 1),
    "ship": (0, CELLS - 1),
    "landed": (NOTHING, CELLS - 1),
    "store": (0, MOST_DATA),
    "counters": (0, MOST_COUNTERS),
    "won": (0, 1),
    "file": (NOTHING, FILES - 1),
    "side": (NOTHING, SIDES - 1),
    "points": (NOTHING, TYPES - 1),
    "known": (0, 1),
    "hand_size": (0, HAND),
    "deck_size": (0, MOST_CARDS),
    "hex_data": (0, MOST_DATA),
    "turned": (0, EDGES - 1),
    "placed": (0, CELLS - 1),
    "hexes": (2, CELLS),
    "depth": (0, MOST_FRAMES - 1),
    "reached": (0, 0),
    "rolled": (0, 10_000),
}
# What can be worked out from the hexes.
FROM_HEXES = ("walls", "rows", "touches", "touches_space", "touches_plain", "open_cells")


def state_problem(s: Any, t: Any, num_players: int) -> str | None:
    """What cannot be, in words, or None."""
    return next(_problems(s, t, num_players), None)


def _problems(s: Any, t: Any, n: int) -> Iterator[str]:
    if s.num_players != n:
        yield f"num_players is not {n}"
        return
    for name, (low, high) in RANGES.items():
        values = np.asarray(s[name])
        if (values < low).any() or (values > high).any():
            yield f"{name} is out of range"
            return
    for name in ("player", "active", "start_player"):
        if not 0 <= s[name] < n:
            yield f"{name} is out of range"
    for name in ("hand", "filled", "hex", "latest"):
        values = np.asarray(s[name])
        if (values < NOTHING).any() or (values >= t.kinds).any():
            yield f"{name} is out of range"
            return
    yield from _turn_problems(s, t, n)
    yield from _deed_problems(s, t, n)
    if not (s.phase == 0 and s.turn == 0):
        yield from _hand_problems(s, n)
    yield from _frame_problems(s, t, n)
    yield from _board_problems(s, t, n)
    yield from _card_problems(s, t, n)


def _turn_problems(s: Any, t: Any, n: int) -> Iterator[str]:
    if not 0 <= s.turn <= n * t.max_turns or s.round_number != max(0, int(s.turn) - 1) // n + 1:
        yield "turn is out of range"
    if len({int(file) for file in s.file[:n]}) != n or (s.file[:n] < 0).any():
        yield "file does not hold"
    if not 0 <= s.deck_known <= s.deck_size or s.shuffles < 0 or (s.epoch > s.shuffles).any():
        yield "deck_known does not hold"
    if s.over != RUNNING and (s.over == TRUNCATED) != (not s.won.any()):
        yield "won does not hold"


def _deed_problems(s: Any, t: Any, n: int) -> Iterator[str]:
    seats, what, cards, numbers = np.asarray(s.deeds).T
    there = what != NOTHING
    limits = ((seats, 0, n - 1), (what, 0, len(DEED_NAMES) - 1), (numbers, 0, 10_000))
    if any(((column < low) | (column > high))[there].any() for column, low, high in limits):
        yield "deeds is out of range"
    elif (np.diff(there.astype(int)) > 0).any() or (cards < NOTHING).any() or (cards >= t.kinds).any():
        yield "deeds does not hold"


def _hand_problems(s: Any, n: int) -> Iterator[str]:
    for j in range(MAX_PLAYERS):
        size = int(s.hand_size[j]) if j < n else 0
        hand = s.hand[j]
        if (hand[:size] < 0).any() or (hand[size:] != NOTHING).any() or (np.diff(hand[:size]) < 0).any():
            yield f"hand of player_{j} does not hold"
        if (s.epoch[j] < 0).any() or s.known[j, size:].any():
            yield f"epoch of player_{j} does not hold"
        if j < n and (s.side[j] < 0 or (s.points[j] < 0).any()):
            yield f"side of player_{j} does not hold"


def _board_problems(s: Any, t: Any, n: int) -> Iterator[str]:
    cells = [int(cell) for cell in s.placed[: s.hexes]]
    if set(cells) != {int(cell) for cell in np.flatnonzero(s.hex != NOTHING)} or len(set(cells)) != len(
        cells
    ):
        yield "placed does not hold"
        return
    if any(t.placing[s.hex[cell]] == NOTHING for cell in cells):
        yield "hex does not hold"
        return
    if any(s.placed_at[cell] != i for i, cell in enumerate(cells)):
        yield "placed_at does not hold"
    if any(s.hex[s.ship[j]] == NOTHING for j in range(n)):
        yield "ship does not hold"
    if any(s.landed[j] != NOTHING and s.hex[s.landed[j]] == NOTHING for j in range(MAX_PLAYERS)):
        yield "landed does not hold"
    empty = s.hex == NOTHING
    if s.hex_data[empty].any() or s.turned[empty].any() or s.walls[empty].any():
        yield "hex_data does not hold"
    again = np.zeros(1, STATE)[0]
    again.hex[:] = NOTHING
    for cell in cells:
        board.lay(again, t, cell, int(s.hex[cell]), int(s.turned[cell]))
    for name in FROM_HEXES:
        if not np.array_equal(again[name], s[name]):
            yield f"{name} does not follow from the hexes"


def _card_problems(s: Any, t: Any, n: int) -> Iterator[str]:
    there = np.zeros(len(t.copies), np.int64)
    on_board = s.hex[s.hex != NOTHING]
    frames = s.stack[: s.depth]
    table = [
        int(f.card)
        for f in frames
        if f.kind == PLAYING and f.mode != COPY and not f.gone and f.card != NOTHING
    ]
    held = [int(f.held) for f in frames if f.kind == CARRYING_OUT and f.held != NOTHING]
    hands = [s.hand[j, : s.hand_size[j]] for j in range(n)]
    deck = s.deck[: s.deck_size]
    if (deck < 0).any() or (deck >= t.kinds).any():
        yield "deck is out of range"
        return
    filled = s.filled[:n][s.filled[:n] != NOTHING]
    for kinds in (on_board, table, held, *hands, deck, filled):
        np.add.at(there, np.asarray(kinds, np.int64), 1)
    there += s.discard
    there[[t.space_base, t.delta_colony]] -= 1
    if (there != t.copies).any() or s.discard.sum() != s.discard_size:
        yield "cards are not those of the deck"
    if (s.filled[:n] != NOTHING).any() and any(
        t.type[s.filled[j, p]] != s.points[j, p]
        for j in range(n)
        for p in range(POINTS)
        if s.filled[j, p] != NOTHING
    ):
        yield "filled does not hold"


def _frame_problems(s: Any, t: Any, n: int) -> Iterator[str]:
    codes = int(np.flatnonzero(t.code.any(axis=1)).max(initial=0)) + 2
    limits = {
        "kind": (PLAYING, GAINING),
        "step": (0, 8),
        "mode": (0, COPY),
        "seat": (0, n - 1),
        "card": (NOTHING, int(t.kinds) - 1),
        "held": (NOTHING, int(t.kinds) - 1),
        "epoch": (0, int(s.shuffles)),
        "held_epoch": (0, int(s.shuffles)),
        "cell": (NOTHING, CELLS - 1),
        "hex": (NOTHING, CELLS - 1),
        "turned": (0, EDGES - 1),
        "came": (NOTHING, EDGES - 1),
        "target": (NOTHING, n - 1),
        "pc": (NOTHING, codes - 1),
        "roll": (-10_000, 10_000),
        "left": (0, 10_000),
        "more": (-10_000, 10_000),
        "taken": (0, 10_000),
        "branch": (0, len(t.costs) - 1),
        "queue": (0, (1 << 18) - 1),
    }
    for d in range(int(s.depth)):
        f = s.stack[d]
        for name, (low, high) in limits.items():
            if not low <= f[name] <= high:
                yield f"stack: {name} of frame {d} is out of range"
                return
        if f.kind in (PLAYING, CARRYING_OUT) and f.mode == COPY and f.branch >= BRANCHES:
            yield f"stack: branch of frame {d} is out of range"
        if not NOTHING <= f.home < d or not NOTHING <= f.about < d:
            yield f"stack: home of frame {d} does not hold"
            return
        if f.about != NOTHING and s.stack[f.about].kind != ANSWERING:
            yield f"stack: about of frame {d} does not hold"
        if f.kind == CARRYING_OUT and f.pc < 0:
            yield f"stack: pc of frame {d} is out of range"
