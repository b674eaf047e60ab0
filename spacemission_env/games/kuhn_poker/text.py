"""Kuhn poker in words, from what a seat may know."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from spacemission_env.games.kuhn_poker.engine.layout import LAYOUT
from spacemission_env.games.kuhn_poker.options import CARD_NAMES

ACTS = ("passed", "bet")


def board(game: Any, seat: int | None = None) -> str:
    """The table as a seat (default: the one to act) knows it, made from its observation alone."""
    seat = int(game.states[0].player) if seat is None else seat
    seen = game.observe(seat)
    piece = {name: seen[one.slice].reshape(one.shape) for name, one in LAYOUT.items()}
    n = int(piece["num_players"].argmax()) + 2
    stake = game.rules.ante + 1
    lines = [f"You are player_{seat} and hold {CARD_NAMES[int(piece['card'].argmax())]}."]
    for j in range(n):
        k = (j - seat) % n
        acts = [ACTS[int(turn.argmax())] for turn in piece["betting"][k] if turn.any()]
        turn = ", to act" if piece["player_to_act"][k] else ""
        chips = round(float(piece["put_in"][k]) * stake)
        lines.append(f"player_{j}: {chips} in the pot; {', then '.join(acts) or 'has not acted'}{turn}")
    return "\n".join(lines) + "\n"


def open_board(game: Any) -> str:
    """The table with all cards laid open."""
    return "\n".join(board(game, seat) for seat in range(game.num_players))


def move_words(game: Any, action: int, seat: int | None = None) -> str:
    """A legal move in words, ahead of it; nothing of it is hidden."""
    return f"player_{int(game.states[0].player)} {game.move(action)['kind']}s"


def result_words(game: Any, agents: Sequence[str] | None = None) -> str:
    """Who won how many chips."""
    lines = []
    for seat, chips in enumerate(np.ravel(game.scores()).tolist()):
        agent = f"  {agents[seat]}" if agents else ""
        lines.append(f"player_{seat}  {chips:+d} chips{agent}")
    return "\n".join(lines) + "\n"
