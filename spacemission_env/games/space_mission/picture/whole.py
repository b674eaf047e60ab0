"""Draws the whole table and names the elements to click for a move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from spacemission_env.games.space_mission.actions import kind_of, slots_of
from spacemission_env.games.space_mission.engine.constants import FLY_NEXT, JUMP, KIND_NAMES, RING, TAKE
from spacemission_env.games.space_mission.picture.pieces import CARD_HEIGHT, CARD_WIDTH, Face, card, tile
from spacemission_env.games.space_mission.picture.ring import Orbit, ring
from spacemission_env.games.space_mission.picture.seats import HIGHEST, KEY, seat_panel
from spacemission_env.pictures.parts import Drawing, View, drawing, in_words, pile, seats_below, seats_beside
from spacemission_env.pictures.sky import night
from spacemission_env.pictures.svg import box, document, group


@dataclass(frozen=True)
class Places:
    """The upper left corners of card piles, hand and tiles, and the number of tile kinds in a row."""

    piles: tuple[float, float]
    hand: tuple[float, float]
    tiles: tuple[float, float]
    across: int


_WIDTH, _HEIGHT, _TALL_WIDTH = 1200, 900, 600
_ORBIT, _TALL_ORBIT = Orbit(415, 388, 312, 246), Orbit(300, 482, 225, 285)
_PLACES = Places(piles=(32, 752), hand=(262, 752), tiles=(800, 752), across=5)
_TALL_PLACES = Places(piles=(32, 1062), hand=(44, 908), tiles=(290, 1062), across=4)
_TALL_SEATS = 1232  # top of the seat panels
_PHASES = {
    "action": "to act",
    "reserve": "reserves a tile",
    "develop": "takes a tile",
    "discover": "takes a tile",
}


def draw(view: View, *, theme: str = "light", legal: Sequence[int] = (), changed: Sequence[str] = ()) -> str:
    """An SVG document of a view (`Game.seat_json`, `Game.public_json`)."""
    d = drawing(view, theme, legal, changed, targets)
    parts = [
        _title(d),
        _end_track(d, 822, 290),
        ring(d, _ORBIT),
        seats_beside(d, seat_panel, KEY, HIGHEST, with_key=view["num_players"] <= 3),
        below(d, _PLACES),
    ]
    ground = night(_WIDTH, _HEIGHT, theme, _ORBIT.x, _ORBIT.y)
    return document(_WIDTH, _HEIGHT, parts, alt_text(view), ground)


def draw_tall(
    view: View, *, theme: str = "light", legal: Sequence[int] = (), changed: Sequence[str] = ()
) -> str:
    """Draw the same as `draw` in one column, for narrow pages."""
    d = drawing(view, theme, legal, changed, targets)
    panels, bottom = seats_below(d, seat_panel, KEY, _TALL_SEATS)
    parts = [_title(d), _end_track(d, 576, 240), ring(d, _TALL_ORBIT), below(d, _TALL_PLACES), panels]
    ground = night(_TALL_WIDTH, bottom, theme, _TALL_ORBIT.x, _TALL_ORBIT.y, 140)
    return document(_TALL_WIDTH, bottom, parts, alt_text(view), ground)


def targets(view: View, action: int) -> tuple[str, ...]:
    """Ids of the elements to click, in any order, to make a move of the view's seat."""
    kind, hand = kind_of(action), tuple(f"hand-{slot}" for slot in slots_of(action))
    here = view["seats"][view["seat"]]["ship"]
    if kind == "top_up":
        return ("draw", *hand)
    if kind == "jump":
        return (f"planet-{(action - JUMP) % RING}", *hand)
    if kind == "take":
        return (f"tile-{KIND_NAMES[action - TAKE]}",)
    if here is None:  # such a move is illegal on the gate, but the page shows why
        return (f"ship-{view['seat']}", *hand)
    if kind == "fly":
        step = 1 if action == FLY_NEXT else -1
        return (f"planet-{(here + step) % len(view['planets'])}", f"ship-{view['seat']}")
    if kind == "discover":
        return (f"planet-{here}", f"pile-{here}")
    return (f"planet-{here}", *hand)


def alt_text(view: View) -> str:
    """A description of the drawing, for screen readers."""
    return in_words("Space Mission", view, f"round {view['round']}")


def prompt(view: View) -> str:
    """The question that the seat to act has to answer."""
    if view["phase"] != "action":
        return f"choose a tile to {'reserve' if view['phase'] == 'reserve' else 'take'}"
    return f"choose an action, {view['actions_left']} left"


def _title(d: Drawing) -> str:
    last = ", the last" if d.view["last_round"] else ""
    return d.heading("Space Mission", 33, f"Round {d.view['round']}{last}", _state(d.view), 103, 270)


def _state(view: View) -> str:
    """The player to act and the phase, or the winners."""
    if view["over"]:
        winners = [f"player_{j}" for j in view["result"]["winners"]]
        return f"{' and '.join(winners)} won" + (" (broken off)" if view["over"] == "truncated" else "")
    left = view["actions_left"]
    more = f", {left} action{'s' * (left != 1)} left" if view["phase"] == "action" else ""
    return f"player_{view['player_to_act']} {_PHASES[view['phase']]}{more}"


def _end_track(d: Drawing, right: float, room: float) -> str:
    """Draw the space tiles found and the number that ends the game (SM-50)."""
    found, most = d.view["revealed"], d.view["space_tiles_to_end"]
    count = max(most, found)
    step = min(24, room / count)
    size = step - 4
    parts = [d.text(right, 44, f"Space tiles found: {found} of {most}", 15, "soft", anchor="end")]
    for i in range(count):
        x = right - size / 2 - (count - 1 - i) * step
        if i < found:
            parts.append(tile("space", x, 66, size))
        else:
            parts.append(box(x - size / 2, 66 - size / 2, size, size, size / 5, d.paint("faint", "line")))
    return "".join(parts)


# ---------------------------------------------------------------- piles, hand and tiles


def below(d: Drawing, at: Places) -> str:
    """Draw the card piles, the hand and the tiles."""
    x, top = at.piles
    draw, counts = d.view["draw_pile"], d.view["discard"]
    names = ", ".join(f"{n} {name}" if n > 1 else name for name, n in counts.items()) or "empty"
    discarded = sum(counts.values())
    parts = [
        pile(d, "draw", f"Draw pile: {draw} cards", x, top, draw, f"draw {draw}", step=12),
        # The cards in the pile are public, but not their order.
        pile(
            d, "discard", f"Discard pile: {names}", x + 104, top, discarded, "discarded",
            step=12, face_up=True,
        ),
    ]  # fmt: skip
    if d.view["hand"] is None:
        left, top = at.hand
        parts.append(d.left(left, top + 70, "You look on: hands and tiles are hidden.", 16, "soft"))
    else:
        parts += [_card(d, i, at) for i in range(len(d.view["hand"]))]
        parts.append(_tiles(d, at))
    return "".join(parts)


def face_of(view: View, name: str) -> Face:
    """The two coordinates of a card. Cards that look alike have one name with slashes."""
    return tuple((colour, number) for colour, number in view["faces"][name.split("/")[0]])


def _card(d: Drawing, i: int, at: Places) -> str:
    name = d.view["hand"][i]
    face = face_of(d.view, name)
    x, top = at.hand[0] + (CARD_WIDTH + 11) * i, at.hand[1]
    drawn = group([card(face, d.ink["card"], d.ink["edge"])], x, top)
    edge = f'<rect x="{x - 3}" y="{top - 3}" width="{CARD_WIDTH + 6}" height="{CARD_HEIGHT + 6}" rx="12"/>'
    words = ", ".join(f"{colour} {'any' if number == '?' else number}" for colour, number in face)
    return d.marks.target(f"hand-{i}", f"Card {name}: {words}", [drawn], edge)


def _tiles(d: Drawing, at: Places) -> str:
    """Draw the seat's tiles by kind."""
    own = d.view["tiles"]
    kinds = [kind for kind in KIND_NAMES if own.get(kind)]
    left, top = at.tiles
    if not kinds:
        return d.left(left, top + 70, "You have no tiles yet.", 14, "soft")
    step, across = (74, at.across) if len(kinds) <= 2 * at.across else (62, at.across + 1)
    parts = [d.left(left - 16, top + 6, "Your tiles", 13, "soft")]
    for i, kind in enumerate(kinds):
        row, column = divmod(i, across)
        x, y = left + step * column, top + 38 + 54 * row
        parts += [tile(kind, x, y, 38), d.left(x + 23, y + 6, str(own[kind]), 18, weight=600)]
    return f'<g id="tiles">{"".join(parts)}</g>'
