"""Draws the whole table, wide or in one column, and maps moves to its elements."""

from __future__ import annotations

from collections.abc import Sequence

from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.engine.grid import NEIGHBOURS
from spacemission_env.games.planet_hexx.picture import choices
from spacemission_env.games.planet_hexx.picture.choices import BOTTOM, LEFT, RIGHT, TOP, asked
from spacemission_env.games.planet_hexx.picture.hand import MOST_ON_TABLE, ON_TABLE, below, on_table
from spacemission_env.games.planet_hexx.picture.hexes import empty_cells, fitted, hexes
from spacemission_env.games.planet_hexx.picture.seats import HIGHEST, KEY, seat_panel
from spacemission_env.pictures.parts import Drawing, View, drawing, in_words, seats_below, seats_beside
from spacemission_env.pictures.sky import night
from spacemission_env.pictures.svg import document

_WIDTH, _HEIGHT = 1200, 900
_TALL_WIDTH, _TALL_LEFT, _TALL_MAP = 600, 24, 520  # `_TALL_MAP`: height of the map


def draw(view: View, *, theme: str = "light", legal: Sequence[int] = (), changed: Sequence[str] = ()) -> str:
    """An SVG document of a view (`Game.seat_json`, `Game.public_json`)."""
    d = drawing(view, theme, legal, changed, targets)
    floor = BOTTOM - choices.high_of(d)
    parts = [
        _title(d, 480),
        hexes(d, fitted(_cells(d), LEFT, TOP, RIGHT - LEFT, floor - TOP)),
        on_table(d, 822, 44),
        seats_beside(d, seat_panel, KEY, HIGHEST, with_key=view["num_players"] <= 2),
        below(d, (32, 752), 250, 752, 1174),
        choices.choices(d),
    ]
    return document(_WIDTH, _HEIGHT, parts, description(view), night(_WIDTH, _HEIGHT, theme, 430, 420))


def draw_tall(
    view: View, *, theme: str = "light", legal: Sequence[int] = (), changed: Sequence[str] = ()
) -> str:
    """An SVG document in one column, for narrow pages."""
    d = drawing(view, theme, legal, changed, targets)
    left, room = _TALL_LEFT, _TALL_WIDTH - 2 * _TALL_LEFT
    top = 124 + ON_TABLE * min(MOST_ON_TABLE, len(view["table"]))
    asked_at = top + _TALL_MAP
    hand = asked_at + choices.high_below(d) + 20
    panels, bottom = seats_below(d, seat_panel, KEY, hand + 310)
    parts = [
        _title(d, 530),
        on_table(d, left + room, 136),
        hexes(d, fitted(_cells(d), left, top, room, _TALL_MAP)),
        below(d, (32, hand + 146), left + 3, hand, left + room),
        panels,
        choices.choices_below(d, left, asked_at, room),
    ]
    return document(
        _TALL_WIDTH, bottom, parts, description(view), night(_TALL_WIDTH, bottom, theme, 300, 380, 140)
    )


def _title(d: Drawing, room: float) -> str:
    return d.heading("Mission to Planet Hexx!", 31, turn(d.view), asked(d.view), 105, room)


def _cells(d: Drawing) -> set[int]:
    return {one["cell"] for one in d.view["hexes"]} | set(empty_cells(d))


def targets(view: View, action: int) -> tuple[str, ...]:
    """Ids of the elements to click, in any order, to make a move of the view's seat."""
    seat, n = view["seat"], view["num_players"]
    what = (view["asked"] or {"what": "main"})["what"]
    hand = f"hand-{(action - c.TO_PLAY) % c.HAND}"
    if what == "collect":  # a number from 0 to 6, or the effect of the hex
        return ("choice-effect",) if action == c.YES else (f"choice-number-{action - c.TO_NUMBER}",)
    if action == c.PASS:
        return ("choice-no",) if what == "may" else ("choice-pass",)
    if action == c.YES:
        return ("choice-yes",)
    if action < c.TO_MOVE:
        return (f"choice-{'side' if what == 'side' else 'branch'}-{action - c.TO_BRANCH}",)
    if action == c.TO_MOVE and what in ("main", "gained"):
        return (f"ship-{seat}",)
    if action < c.TO_UPLOAD:
        return (hand,)
    if action < c.TO_DISCARD:
        return (f"seat-{seat}", hand) if action < c.TO_ALT else (f"seat-{seat}", hand, "choice-other-cost")
    if action < c.TO_CELL:
        return ("discard", hand)
    if action < c.TO_TURN:
        return (f"cell-{action - c.TO_CELL}",)
    if action < c.TO_SEAT:
        direction = action - c.TO_TURN
        if what == "step":
            return (f"cell-{NEIGHBOURS[view['seats'][seat]['ship'], direction]}",)
        return (f"choice-turn-{direction}",)
    if action < c.TO_NUMBER:
        return (f"seat-{(seat + action - c.TO_SEAT) % n}",)
    if action < c.TO_POINT:
        return (f"choice-number-{action - c.TO_NUMBER}",)
    if action < c.TO_KIND:
        k, point = divmod(action - c.TO_POINT, c.POINTS)
        return (f"seat-{(seat + k) % n}", f"point-{(seat + k) % n}-{point}")
    return ("discard", f"choice-card-{action - c.TO_KIND}")


def description(view: View) -> str:
    """A description of the drawing, for screen readers."""
    return in_words("Mission to Planet Hexx!", view, f"turn {view['turn']}")


def turn(view: View) -> str:
    """The turn, or the winners."""
    if view["over"]:
        winners = [f"player_{j}" for j in view["result"]["winners"]]
        return f"{' and '.join(winners)} won" if winners else "Broken off: nobody has won"
    return f"Turn {view['turn']}: player_{view['active']}" if view["turn"] else "Sides are being chosen"
