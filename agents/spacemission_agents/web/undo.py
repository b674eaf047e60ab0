"""Whether the last move may be taken back: not after something was drawn, revealed or answered by others.

Found without knowing the game: the move is made in worlds that the seat held possible before it. Where it
tells the seat the same in all of them, and the same seat is to act, the seat has learned nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from spacemission_agents.web.story import Entry, line_of
from spacemission_agents.web.timeline import Timeline
from spacemission_env.core.game import Game

WORLDS = 48


def may_undo(timeline: Timeline, log: Sequence[Entry], seat: int) -> bool:
    """Whether a seat may take the last move back."""
    line = line_of(log)
    if not line or timeline.now.over:
        return False
    last = line[-1]
    shown_to_all = all(words is not None for words in last.told)
    if last.player != seat or last.pause or not shown_to_all or any(_secret_before(log, line)):
        return False
    return learned_nothing(timeline.at(len(timeline) - 1), last.action, seat, timeline.now)


def _secret_before(log: Sequence[Entry], line: list[Entry]) -> tuple[bool, ...]:
    return line[-2].secret if len(line) > 1 else (False,) * len(log[0].secret)


def learned_nothing(before: Game, action: int, seat: int, after: Game) -> bool:
    """Whether a move tells its seat nothing that it did not know; `after`: where it led."""
    told = _told(after, seat)
    for number in range(WORLDS):
        world = before.determinize(seat, _seed(before, seat, number))
        world.step(action)
        if _told(world, seat) != told:
            return False
    return True


def _told(game: Game, seat: int) -> tuple[bool, int | None, bytes]:
    return game.over, game.player, game.information_state_key(seat)


def _seed(game: Game, seat: int, number: int) -> int:
    # From what the seat knows alone, so that the answer tells nothing else.
    digest = hashlib.sha256(game.information_state_key(seat) + number.to_bytes(4, "big")).digest()
    return int.from_bytes(digest[:7], "big")
