"""What a seat knows of a game as JSON types: its own card and all that was bet (KP-9)."""

from __future__ import annotations

from typing import Any

from spacemission_env.games.kuhn_poker.engine.constants import BET, NOBODY
from spacemission_env.games.kuhn_poker.options import CARD_NAMES


def seen(game: Any, seat: int | None) -> dict[str, Any]:
    """The table as a seat knows it; None: what all know."""
    s = game.states[0]
    n = int(s.num_players)
    return {
        "pot": int(s.put_in[:n].sum()),
        "ante": game.rules.ante,
        "bet": bool(s.bet_at != NOBODY),
        "deck": list(CARD_NAMES[: n + 1]),
        "seats": [
            {
                "chips": int(s.put_in[j]),
                "folded": bool(s.folded[j]),
                "acts": _acts(s, j, n),
                "card": CARD_NAMES[s.cards[j]] if j == seat else None,
            }
            for j in range(n)
        ],
    }


def _acts(s: Any, seat: int, n: int) -> list[str]:
    """What the seat did, in order: check, bet, fold, call (KP-3 to KP-5)."""
    words = []
    for turn in range(seat, int(s.decisions), n):
        after = s.bet_at != NOBODY and turn > s.bet_at
        said = ("fold", "call") if after else ("check", "bet")
        words.append(said[int(s.history[turn] == BET)])
    return words
