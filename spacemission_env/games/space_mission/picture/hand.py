"""Draws the card piles, the seat's hand and its tiles, below the ring."""

from __future__ import annotations

from dataclasses import dataclass

from spacemission_env.games.space_mission.engine.constants import KIND_NAMES
from spacemission_env.games.space_mission.picture.pieces import CARD_HEIGHT, CARD_WIDTH, Face, card, tile
from spacemission_env.pictures.parts import Drawing, View, pile
from spacemission_env.pictures.svg import group


@dataclass(frozen=True)
class Places:
    """The upper left corners of card piles, hand and tiles; the number of tile kinds in a row."""

    piles: tuple[float, float]
    hand: tuple[float, float]
    tiles: tuple[float, float]
    across: int


def below(d: Drawing, at: Places) -> str:
    """Draw the card piles, the hand and the tiles."""
    x, top = at.piles
    draw, counts = d.view["draw_pile"], d.view["discard"]
    names = ", ".join(f"{n} {name}" if n > 1 else name for name, n in counts.items()) or "empty"
    discarded = sum(counts.values())
    parts = [
        pile(d, "draw", f"Draw pile: {draw} cards", x, top, draw, f"draw {draw}", step=12),
        # The cards in the pile are public, their order is not.
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
