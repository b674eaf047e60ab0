"""Converts the engine's state to the oracle's form (tests/oracle), for comparison."""

from types import SimpleNamespace

from spacemission_env.core.reading import Json
from spacemission_env.games.space_mission.engine.constants import KIND_NAMES, NOWHERE, PHASE_NAMES
from spacemission_env.games.space_mission.engine.state import STATE
from spacemission_env.games.space_mission.game import Game


def snapshot(game: Game) -> Json:
    """The whole state, with the keys and types of `OracleGame.snapshot()`."""
    # Convert to lists first: this runs at every decision of thousands of games.
    s = SimpleNamespace(**{name: game.states[name][0].tolist() for name in STATE.names or ()})
    n, ring = game.num_players, range(game.components.ring)
    card = [c.id for c in game.components.cards]

    def kinds(counts: list[int]) -> list[str]:
        return sorted(name for name, count in zip(KIND_NAMES, counts, strict=True) for _ in range(count))

    def seats(flags: list[list[int]], p: int) -> list[int]:
        return [j for j in range(n) if flags[j][p]]

    def or_none(value: int) -> int | None:
        return None if value == NOWHERE else value

    looked = [[x != NOWHERE for x in row] for row in s.looked]
    taken = [list(zip(s.taken_by[p], s.taken_kind[p], strict=True))[: s.taken[p]] for p in ring]
    return {
        "player": game.player,
        "phase": PHASE_NAMES[s.phase],
        "actions_left": s.actions_left,
        "round": s.round_number,
        "last_round": bool(s.last_round),
        "ring": [game.components.planets[p].name for p in s.ring[: len(ring)]],
        "piles": [kinds(s.pile[p]) for p in ring],
        "face_up": [bool(s.face_up[p]) for p in ring],
        "stations": [or_none(s.station[p]) for p in ring],
        "taken": [[[by, KIND_NAMES[kind]] for by, kind in pile] for pile in taken],
        "scanned": [seats(s.scanned, p) for p in ring],
        "seen": [seats(looked, p) for p in ring],
        "ships": [or_none(x) for x in s.ship[:n]],
        "supply": s.supply[:n],
        "gate": s.gate[:n],
        "hands": [[card[c] for c in s.hand[j][: s.hand_size[j]]] for j in range(n)],
        "tiles": [kinds(s.tiles[j]) for j in range(n)],
        "draw_pile": [card[c] for c in s.draw[: s.draw_size][::-1]],
        "discard": sorted(card[c] for c in range(len(card)) for _ in range(s.discard[c])),
        "revealed": s.revealed,
        "reason": game.reason,
        "start_player": s.start_player,
    }
