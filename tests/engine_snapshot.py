"""The engine's state in the oracle's plain form (tests/oracle), for comparison state by state."""

from __future__ import annotations

from typing import Any

from spacemission_env.engine.constants import KIND_NAMES, NOWHERE, PHASE_NAMES, RING
from spacemission_env.game import Game


def snapshot(game: Game) -> dict[str, Any]:
    """Everything in the state, in the keys and types of `OracleGame.snapshot()`."""
    s = game.states[0]
    n = game.num_players
    card = [c.id for c in game.components.cards]

    def kinds(counts: Any) -> list[str]:
        return sorted(name for name, count in zip(KIND_NAMES, counts, strict=True) for _ in range(count))

    def seats(flags: Any) -> list[int]:
        return [j for j in range(n) if flags[j]]

    def or_none(value: Any) -> int | None:
        return None if value == NOWHERE else int(value)

    return {
        "player": game.player,
        "phase": PHASE_NAMES[s.phase],
        "actions_left": int(s.actions_left),
        "round": int(s.round_number),
        "last_round": bool(s.last_round),
        "ring": [game.components.planets[p].name for p in s.ring],
        "piles": [kinds(s.pile[p]) for p in range(RING)],
        "face_up": [bool(x) for x in s.face_up],
        "stations": [or_none(x) for x in s.station],
        "taken": [
            [[int(s.taken_by[p, i]), KIND_NAMES[s.taken_kind[p, i]]] for i in range(s.taken[p])]
            for p in range(RING)
        ],
        "scanned": [seats(s.scanned[:, p]) for p in range(RING)],
        "seen": [seats(s.looked[:, p] != NOWHERE) for p in range(RING)],
        "ships": [or_none(x) for x in s.ship[:n]],
        "supply": [int(x) for x in s.supply[:n]],
        "gate": [int(x) for x in s.gate[:n]],
        "hands": [[card[c] for c in s.hand[j, : s.hand_size[j]]] for j in range(n)],
        "tiles": [kinds(s.tiles[j]) for j in range(n)],
        "draw_pile": [card[c] for c in s.draw[: s.draw_size][::-1]],
        "discard": sorted(card[c] for c in range(len(card)) for _ in range(s.discard[c])),
        "revealed": int(s.revealed),
        "reason": game.reason,
        "start_player": int(s.start_player),
    }
