"""Draws the seat panels (public pieces and points) and the legend."""

from __future__ import annotations

from spacemission_env.games.space_mission.picture.pieces import coordinate, probe, station, tile, tile_back
from spacemission_env.pictures import parts as shared
from spacemission_env.pictures.parts import View
from spacemission_env.pictures.svg import disc, group

HIGHEST, _KEY = 168, 236  # largest height of a panel; height of the legend
_LARGER = 1.45  # scale of the row of pieces in a roomy panel
# The tile drawn for a category of points.
_OF_CATEGORY = {
    "minerals": "mineral_purple",
    "aliens": "alien_brown",
    "matter": "matter_green",
    "water": "water",
    "medals": "medal",
    "space": "space",
}
# The points of tiles (SM-62 to SM-66).
_WORTH = (
    (("mineral_red", "mineral_blue"), "number × most of one colour"),
    (("alien_brown", "alien_blue"), "number × most of one colour"),
    (("matter_green", "matter_blue"), "a pair 7, else 2 each"),
    (("water",), "1, 2, 3, 4 tiles: 2, 5, 9, 14"),
    (("medal",), "3 each;  a station 3"),
    (("space",), "no points; enough of them are the end"),
)


def seat_panel(d: shared.Drawing, j: int, at: shared.Place) -> str:
    view, seat = d.view, d.view["seats"][j]
    won = view["result"] is not None and j in view["result"]["winners"]
    by = seat["points"]
    known = "total" in by
    number = str(by["total"] if known else by["gate"] + by["stations"])
    right = at.right - (16 if at.roomy else 18)
    parts = shared.figure(d, right, at.top, number, 28, "points" if known else "and tiles")
    drawn = _pieces if seat["tiles"] is None else _tiles
    if at.roomy:
        parts += _points(d, j, at.left + 226, at.top + 27)
        parts.append(group(drawn(d, j, 30, 0, 70), at.left + 14, at.top + 61, scale=_LARGER))
    else:
        parts += drawn(d, j, at.left + 36, at.top + 58 + max(0, (at.high - 130) / 4), 60.5)
        parts += _points(d, j, at.left + 27, at.top + at.high - 17)
    marked = won or j == view["player_to_act"]
    status = _status(view, j, won)
    return shared.panel(d, j, at, parts, status=status, room=165, marked=marked, title=_words(seat, j))


def _words(seat: View, j: int) -> str:
    if seat["tiles"] is not None:
        tiles = ", ".join(f"{n} {kind.replace('_', ' ')}" for kind, n in seat["tiles"].items()) or "no tiles"
        return f"player_{j}: {seat['gate']} probes on the gate, {len(seat['stations'])} stations, {tiles}"
    return (
        f"player_{j}: {seat['supply']} chips, {seat['gate']} probes on the gate, {seat['hand_size']} cards, "
        f"{seat['tile_total']} tiles, {len(seat['stations'])} stations"
    )


def _status(view: View, j: int, won: bool) -> tuple[str, bool]:
    """Words for a seat's status (to act, its last actions, or won), and whether they are bold."""
    left, last = view["actions_left"], view["seats"][j]["last_actions"]
    if view["result"] is not None:
        return "won" if won else "", True
    if j == view["player_to_act"]:
        picks = view["phase"] != "action"
        return "picks a tile" if picks else f"to act, {left} action{'s' * (left != 1)} left", True
    return f"last: {', then '.join(reversed(last))}" if last else "has not acted yet", False


def _points(d: shared.Drawing, j: int, left: float, y: float) -> list[str]:
    """Draw the points by category, each beside a small piece."""
    parts = []
    by = [(name, n) for name, n in d.view["seats"][j]["points"].items() if name != "total" and n]
    for i, (name, number) in enumerate(by):
        x = left + 38 * i
        if name == "gate":
            piece = _ring(d, 7.5, 2, "5 1.85")
        else:
            piece = (
                station(d.ink, j, 0, 2, 0.45) if name == "stations" else tile(_OF_CATEGORY[name], 0, 0, 16)
            )
        parts.append(f'<g transform="translate({x} {y:g})"><title>{name}</title>{piece}</g>')
        parts.append(d.left(x + 11, y + 4.5, str(number), 13, "soft"))
    return parts


def _ring(d: shared.Drawing, r: float, width: float, dash: str) -> str:
    """Draw a small jump gate."""
    paint = f'fill="none" stroke="{d.ink["gate"]}" stroke-width="{width}" stroke-dasharray="{dash}"'
    return disc(0, 0, r, paint)


def _pieces(d: shared.Drawing, j: int, left: float, y: float, step: float) -> list[str]:
    """Draw the numbers of chips, probes on the gate, cards, tiles and stations."""
    seat, ink = d.view["seats"][j], d.ink
    drawn = [
        (shared.chips(ink[f"seat_{j}"], ink["rim"], 0, 5, 3), seat["supply"], "chips"),
        (probe(ink, j, 0, 0, 6) + _ring(d, 11, 2.4, "7 2.6"), seat["gate"], "on gate"),
        ("".join(shared.card_back(ink, x, -10, 14, 20) for x in (-13, -7, -1)), seat["hand_size"], "cards"),
        (tile_back(ink, -3, -2, 17) + tile_back(ink, 3, 3, 17), seat["tile_total"], "tiles"),
        (station(ink, j, 0, 2, 0.72), len(seat["stations"]), "stations"),
    ]
    parts = []
    for i, (piece, count, what) in enumerate(drawn):
        x = left + step * i
        parts.append(f'<g transform="translate({x - 9:g} {y + 14:g})">{piece}</g>')
        parts.append(d.left(x + 11, y + 20, str(count), 16.5, weight=600))
        parts.append(d.text(x, y + 42, what, 10.5, "soft"))
    return parts


def _tiles(d: shared.Drawing, j: int, left: float, y: float, step: float) -> list[str]:
    """Draw the seat's tiles by kind, in place of `_pieces`; the end of the game reveals them."""
    own = d.view["seats"][j]["tiles"]
    parts = []
    for i, (kind, count) in enumerate(own.items()):
        x = left - 18 + i * min(step, 5 * step / len(own))
        parts += [tile(kind, x, y + 10, 16), d.text(x, y + 32, str(count), 13, weight=600)]
    return parts


def _key(d: shared.Drawing, left: float, top: float) -> str:
    """Draw the legend: the shapes of coordinates and the points of tiles."""
    parts = [shared.key_box(d, left, top, _KEY)]
    for at, colour, words in (
        (26, "jump", "jump"),
        (106, "scan", "scan"),
        (186, "landing", "land (two cards)"),
    ):
        parts.append(coordinate(colour, "", left + at, top + 26, 0.75))
        parts.append(d.left(left + at + 16, top + 31, words, 13, "soft"))
    for i, (kinds, words) in enumerate(_WORTH):
        y = top + 56 + 27 * i
        parts += [tile(kind, left + 26 + 26 * k, y, 22) for k, kind in enumerate(kinds)]
        parts.append(d.left(left + 76, y + 5, words, 13, "soft", within=236))
    parts.append(d.left(left + 15, top + 226, "Probes on the gate: 9, 6, 3, 1 points by rank", 13, "soft"))
    return "".join(parts)


KEY = shared.Key(_key, _KEY)
