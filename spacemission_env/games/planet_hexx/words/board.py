"""Writes the table as text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from textwrap import wrap

from spacemission_env.core.game import Game
from spacemission_env.core.reading import Json
from spacemission_env.games.planet_hexx.actions import PROMPTS
from spacemission_env.games.planet_hexx.components.deck import deck_of
from spacemission_env.games.planet_hexx.engine.constants import NOTHING, POINTS
from spacemission_env.games.planet_hexx.engine.grid import COORDINATES
from spacemission_env.games.planet_hexx.words.cards import branch_text, listed, name_within, story

WIDTH, STORY_WIDTH = 100, 80
View = Json


def board(game: Game, seat: int | None = None) -> str:
    """The table as a seat (default: the seat to act) sees it, at most 100 columns wide."""
    view = game.seat_json(seat)
    own = ["Your hand:" if view["hand"] else "Your hand: empty", *_hand(view)]
    return _fitted([*_table(game, view), "", *_cards(view), "", *own])


def open_board(game: Game) -> str:
    """The table with all hands open."""
    view, cards, s = game.seat_json(), deck_of(game).cards, game.states[0]
    hands = [", ".join(cards[k].name for k in s.hand[j, : s.hand_size[j]]) for j in range(s.num_players)]
    held = [f"player_{j} holds {hand or 'empty'}" for j, hand in enumerate(hands)]
    return _fitted([*_table(game, {**view, "seat": None}), *held, "", *_cards(view)])


def _fitted(lines: Iterable[str]) -> str:
    """Join lines and wrap long ones."""
    rows = (wrap(line, WIDTH, subsequent_indent=" " * 8) or [""] for line in lines)
    return "\n".join(row for some in rows for row in some) + "\n"


def _name(view: View, card: str) -> str:
    name: str = view["cards"][card]["name"]
    return name


def _table(game: Game, view: View) -> Iterable[str]:
    yield from (_turn(view), *_under_way(game, view), "")
    yield from (*(_hex(view, one) for one in view["hexes"]), "")
    for j in range(view["num_players"]):
        yield f"{_seat(view, j)}."
        yield f"        {_mission(view, j)}"


def result_words(game: Game, agents: Sequence[str] | None = None) -> str:
    """The result of each seat, and the stories of complete Mission Files."""
    lines = []
    for seat, row in enumerate(game.scores_json()):
        won = "  won" if row["won"] else ""
        agent = f"  {agents[seat]}" if agents else ""
        lines.append(f"player_{seat}  {row['uploads']} of {POINTS} points, {row['data']} Data{won}{agent}")
    stories = end_words(game)
    return "\n".join([*lines, *(["", stories] if stories else [])]) + "\n"


def end_words(game: Game) -> str:
    """The stories of complete Mission Files (HX-53), without a final line break."""
    s, cards, stories = game.states[0], deck_of(game).cards, []
    for seat in range(s.num_players):
        filled = [int(kind) for kind in s.filled[seat]]
        if NOTHING not in filled:
            side = int(s.file[seat]), int(s.side[seat])
            mission = next(one for one in deck_of(game).missions if (one.file, one.side) == side)
            stories.append(f"player_{seat}: {mission.name}")
            stories += wrap(story(mission, [cards[kind].name for kind in filled]), STORY_WIDTH)
    return "\n".join(stories)


def _turn(view: View) -> str:
    if view["over"]:
        return "The game is over."
    gained = [f"{count} {kind}" for kind, count in view["gained"].items()]
    more = f" and for one purpose {', '.join(gained)}" if gained else ""
    asked = ""
    if view["asked"]:
        asked = f" player_{view['player_to_act']}: {PROMPTS[view['asked']['what']]}"
        asked += "" if asked.endswith("?") else "."
    began = f"player_{view['start_player']} began"
    if not view["turn"]:
        return f"Sides are being chosen; {began}.{asked}"
    turn = f"Turn {view['turn']}, round {view['round']}: player_{view['active']}"
    actions = f"{view['begun']} Actions begun, {view['actions_left']} left{more}"
    return f"{turn}; {actions}; {began}.{asked}"


def _under_way(game: Game, view: View) -> Iterable[str]:
    """The open window and the frames, the innermost first."""
    if "window" in (view["asked"] or ()):
        opened = view["asked"]
        yield f"Open to Surprises: {opened['window']} of player_{opened['opener']}."
    for one in view["under_way"]:
        yield f"Under way: {_frame(game, view, one)}."


def _frame(game: Game, view: View, one: View) -> str:
    seat, what = f"player_{one['seat']}", one["what"]
    card = "" if one["card"] is None else f" with {name_within(_name(view, one['card']))}"
    if what == "roll":
        words = f"{seat}'s roll of {one['roll']}"
    elif what == "flight":
        words = f"{seat}'s flight, {one['left']} of {one['roll']} steps left"
    elif what == "effect":
        words = f"an effect of {seat}{card}" + (f", roll {one['roll']}" if one["roll"] else "")
    elif what == "discards":
        words = f"{seat} discards, {one['left']} left, of type {one['of']}"
    elif what == "gained":
        words = f"{seat} has gained an Action: {one['of']}"
    else:
        name = what if what == "copy" else what.capitalize()
        words = f"{seat}'s {name}{card}{', cancelled' if one['cancelled'] else ''}"
    target = "" if one["target"] is None else f", aimed at player_{one['target']}"
    cell = "" if one["cell"] is None or what == "flight" else f", at {COORDINATES[one['cell']]}"
    data = "" if one["more"] is None else f", {one['more']:+d} Data"
    return f"{words}{target}{cell}{data}{_choice(game, view, one)}"


def _choice(game: Game, view: View, one: View) -> str:
    """The chosen branch or cost of a played card."""
    if one["choice"] is None or one["card"] is None:
        return ""
    if one["what"] == "upload":
        return ", at its other cost" if one["choice"] else ""
    card = deck_of(game).cards[view["cards"][one["card"]]["kind"]]
    if len(card.play) < 2:
        return ""
    return f': "{branch_text(deck_of(game), card, one["choice"]).removesuffix(".")}"'


def _hex(view: View, one: View) -> str:
    card = view["cards"][one["card"]]
    parts = [
        f"{(one['q'], one['r'])!s:>9}  {card['type']:<6}  {card['name']}",
        f"Data {one['data']}" if card["type"] == "planet" else "",
        f"walls {''.join(map(str, one['walls']))}" if one["walls"] else "",
        f"ships {''.join(map(str, one['ships']))}" if one["ships"] else "",
        f"last Landed {''.join(map(str, one['landed']))}" if one["landed"] else "",
    ]
    return _with("  ".join(filter(None, parts)), card["text"])


def _seat(view: View, j: int) -> str:
    seat = view["seats"][j]
    known = ", ".join(_name(view, card) for card in seat["known"])
    said = [
        f"{seat['data']} Data, {seat['hand_size']} cards",
        f"{seat['counters']} Snooger counter{'s' * (seat['counters'] > 1)}" if seat["counters"] else "",
        f"{seat['bonus']:+d} to Move rolls" if seat["bonus"] else "",
        f"may take no {listed([kind.capitalize() for kind in seat['banned']])} Action" * bool(seat["banned"]),
        f"has gained {seat['gained']} Actions" if seat["gained"] else "",
        f"{seat['collect_bonus']:+d} to Data Collected" if seat["collect_bonus"] else "",
        f"has used {', '.join(_name(view, card) for card in seat['once'])}" if seat["once"] else "",
        "has played a Surprise" if seat["surprised"] else "",
        f"known: {known}" if known and view["seat"] is not None else "",
    ]
    return f"player_{j}{' (you)' if j == view['seat'] else ''}: {'; '.join(filter(None, said))}"


def _mission(view: View, j: int) -> str:
    """A seat's mission with points and uploaded cards; before the choice, the viewer's own two sides."""
    seat = view["seats"][j]
    if seat["mission"] is None:
        sides = [f"{side['name'].capitalize()} ({', '.join(side['points'])})" for side in view["sides"]]
        return f"no side yet: {' or '.join(sides)}" if j == view["seat"] else "no side yet"
    points = [
        point["type"] + (f": {_name(view, point['filled'])}" if point["filled"] else "")
        for point in seat["points"]
    ]
    return f"{seat['mission'].capitalize()}: {'; '.join(points)}"


def _hand(view: View) -> Iterable[str]:
    for card in (view["cards"][card] for card in view["hand"]):
        data = f", Data {card['data']}" if card["type"] == "planet" else ""
        walls = f", walls {''.join(map(str, card['walls']))}" if card["walls"] else ""
        yield _with(f"  {card['name']} ({card['type']}{data}{walls})", card["text"])


def _with(what: str, text: str) -> str:
    return f"{what}: {text}" if text else what


def _cards(view: View) -> Iterable[str]:
    if view["table"]:
        yield "Being played: " + ", ".join(_name(view, card) for card in view["table"])
    if view["latest"] is not None:
        yield f"Latest Event of this turn: {_name(view, view['latest'])}"
    top = ", ".join(_name(view, card) for card in view["deck_top"])
    yield f"Deck: {view['deck']} cards{f', on top {top}' if top else ''}"
    named = [f"{n} " * (n > 1) + _name(view, card) for card, n in view["discard"].items()]
    yield f"Discard: {', '.join(named) or 'empty'}"
