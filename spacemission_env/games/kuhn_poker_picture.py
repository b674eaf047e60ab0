"""Draws Kuhn poker from a seat's view: cards around a pot."""

from collections.abc import Sequence
from functools import partial

from spacemission_env.pictures import parts as shared
from spacemission_env.pictures.parts import View
from spacemission_env.pictures.sky import night, world
from spacemission_env.pictures.svg import box, disc, document, ellipse, path, stroke

GOLD = "#f2c94c", "#6b4a00"
ROCKET = "M0-26C9-16 12-4 12 8L18 20L6 16H-6L-18 20L-12 8C-12-4-9-16 0-26Z"
RAYS = "M0-19V-27M13-13L19-19M19 0H27M13 13L19 19M0 19V27M-13 13L-19 19M-19 0H-27M-13-13L-19-19"
ART = {  # the drawing on each card; (0, 0) is the centre of the card
    "J": path(ROCKET, 'fill="#2a68dc"') + disc(0, -4, 5, 'fill="#ffffff"'),
    "Q": path("M11-22A23 23 0 1 0 11 22A18 18 0 1 1 11-22Z", 'fill="#7d1f5f"'),
    "K": world("king 3", 0, 0, 22),
    "A": disc(0, 0, 14, 'fill="#d2440c"') + path(RAYS, stroke("#d2440c", 4)),
}
Shape = tuple[int, ...]  # size; table's centre, half axes; seats' distance from centre; buttons' place, width
WIDE: Shape = (1000, 700, 500, 322, 320, 186, 290, 168, 740, 600, 105)
TALL: Shape = (600, 850, 300, 412, 240, 270, 150, 246, 32, 780, 262)
Moves = Sequence[int]
Ids = Sequence[str]


def targets(view: View, action: int) -> tuple[str, ...]:
    """The id of a move's button."""
    words = ("fold", "call") if view["bet"] else ("check", "bet")
    return (f"choice-{words[action]}",)


def draw(view: View, *, theme: str = "light", legal: Moves = (), changed: Ids = (), on: Shape = WIDE) -> str:
    """An SVG document of a view."""
    d, pot, result = shared.drawing(view, theme, legal, changed, targets), view["pot"], view["result"]
    width, height, x, y, across, down, far_x, far_y, left, top, button = on
    takers = " and ".join(f"player_{j}" for j in result["winners"]) if result else ""
    turn = f"{takers} won the pot" if takers else f"player_{view['player_to_act']} to act"
    pile = [shared.chips(*GOLD, x, y + 8, min(pot, 6), 38), d.text(x, y + 48, f"pot {pot}", 19, weight=600)]
    parts = [
        ellipse(x, y, across, down, stroke(d.ink["edge"], 3, fill=d.ink["panel"])),
        d.left(30, 54, view["title"], 31, weight=700) + d.left(31, 80, turn, 15, "soft"),
        d.marks.target("pot", f"Pot: {pot} chips", pile, box(x - 70, y - 52, 140, 112, 14)),
    ]
    for j, seat_x, seat_y in shared.around(view, x, y, far_x, far_y):
        seat, acts = view["seats"][j], j == view["player_to_act"]
        at = shared.Place(seat_x - 140, seat_y - 72, 280, 144)
        did = "to act" if acts else ", then ".join(seat["acts"]) or "has not acted"
        won = f"{result['scores'][j]['chips']:+d} chips" if result else ""
        art, title = ART.get(seat["card"], ""), f"Card of player_{j}: {seat['card'] or 'face down'}"
        face = shared.card(d, seat["card"], at.right - 92, at.top + 14, 80, art, seat["folded"])
        drawn = [
            shared.chips(*GOLD, at.left + 30, at.top + 94, min(seat["chips"], 5), 24),
            d.left(at.left + 50, at.top + 96, f"{seat['chips']} in", 15, "soft"),
            d.left(at.left + 18, at.top + 130, won, 19, weight=700),
            d.marks.target(f"card-{j}", title, [face], box(at.right - 95, at.top + 11, 86, 122, 12)),
        ]
        words = f"player_{j}: {seat['chips']} chips in the pot; {did}"
        parts.append(shared.panel(d, j, at, drawn, status=(did, acts), room=122, marked=acts, title=words))
    labels = [(name, name.removeprefix("choice-")) for name in d.marks.missing]
    parts.append(shared.buttons(d.marks, labels, left, top, button, 2))
    words = shared.in_words(view["title"], view, f"{pot} chips in the pot")
    return document(width, height, parts, words, night(width, height, theme, x, y))


draw_tall = partial(draw, on=TALL)  # the picture for narrow pages


def draw_small(view: View, *, theme: str = "light") -> str:
    """Draw a view for small pictures, such as 256 by 256 pixels."""
    d, pot, result = shared.drawing(view, theme, (), (), targets), view["pot"], view["result"]
    parts = [ellipse(128, 118, 104, 66, stroke(d.ink["edge"], 2, fill=d.ink["panel"]))]
    parts += [shared.chips(*GOLD, 112, 122, min(pot, 6), 26), d.left(134, 126, str(pot), 22, weight=700)]
    for j, x, y in shared.around(view, 118, 122, 92, 80):
        seat, won = view["seats"][j], result and f"{result['scores'][j]['chips']:+d}"
        dot = shared.seat_dot(d.ink, j, x + 29, y - 14, 9)
        words = d.left(x + 22, y + 18, "fold" if seat["folded"] else won or str(seat["chips"]), 14)
        parts += [shared.card(d, seat["card"], x - 17, y - 25, 34), dot, words]
    words = shared.in_words(view["title"], view, f"{pot} chips in the pot")
    return document(256, 256, parts, words, night(256, 256, theme, 128, 118, 30))
