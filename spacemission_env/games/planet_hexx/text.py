"""Planet Hexx in words, from what a seat may know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from textwrap import wrap
from typing import Any

from spacemission_env.core.constants import RUNNING
from spacemission_env.core.errors import SetupError
from spacemission_env.games.planet_hexx.engine.constants import (
    ACTION_NAMES,
    ACTIONS,
    ANSWERING,
    ASKED_NAMES,
    CARRYING_OUT,
    COPY,
    DISCARDING,
    MOVING,
    NOTHING,
    PLAYING,
    POINTS,
    ROLLING,
    SURPRISE,
    TYPE_NAMES,
    WINDOW_NAMES,
)
from spacemission_env.games.planet_hexx.engine.grid import CELLS, COORDINATES, EDGES
from spacemission_env.games.planet_hexx.move_words import move_words
from spacemission_env.games.planet_hexx.phrases import name_within
from spacemission_env.games.planet_hexx.picture.words import ASKED_WORDS
from spacemission_env.games.planet_hexx.seen import deck_told
from spacemission_env.games.planet_hexx.texts import story

__all__ = ["board", "end_words", "move_words", "open_board", "result_words"]  # what a game's texts are

WIDTH, STORY_WIDTH = 100, 80


def board(game: Any, seat: int | None = None) -> str:
    """The table as a seat (default: the one to act) knows it, at most 100 columns wide."""
    s = _dealt(game)
    seat = int(s.player) if seat is None else seat
    return _fitted([*_table(game, s, seat), "", *_cards(game, s), "", *_own_hand(game, s, seat)])


def open_board(game: Any) -> str:
    """The table with all hands laid open."""
    s = _dealt(game)
    hands = [f"player_{j} holds {_hand(game, s, j, False)}" for j in range(s.num_players)]
    return _fitted([*_table(game, s, None), *hands, "", *_cards(game, s)])


def _dealt(game: Any) -> Any:
    if not game.states[0].num_players:
        raise SetupError("board: the game has not been reset")
    return game.states[0]


def _fitted(lines: Iterable[str]) -> str:
    """Lines one below the other, the long ones in several."""
    rows = (wrap(line, WIDTH, subsequent_indent=" " * 8) or [""] for line in lines)
    return "\n".join(row for some in rows for row in some) + "\n"


def _table(game: Any, s: Any, seat: int | None) -> Iterable[str]:
    """The turn, the map and the seats."""
    yield from (_turn(s, seat), *_under_way(game, s), "")
    yield from (*_hexes(game, s), "")
    yield from (_seat(game, s, j, seat) for j in range(s.num_players))


def result_words(game: Any, agents: Sequence[str] | None = None) -> str:
    """Who has filled how many points, and the story of who filled all of them."""
    lines = []
    for seat, row in enumerate(game.scores_json()):
        won = "  won" if row["won"] else ""
        agent = f"  {agents[seat]}" if agents else ""
        lines.append(f"player_{seat}  {row['uploads']} of {POINTS} points, {row['data']} Data{won}{agent}")
    told = end_words(game)
    return "\n".join([*lines, *(["", told] if told else [])]) + "\n"


def end_words(game: Any) -> str:
    """The stories of the Mission Files that are filled, read aloud (HX-53); without a line end."""
    s, cards, told = game.states[0], game.components.cards, []
    for seat in range(s.num_players):
        filled = [int(kind) for kind in s.filled[seat]]
        if NOTHING not in filled:
            side = int(s.file[seat]), int(s.side[seat])
            mission = next(one for one in game.components.missions if (one.file, one.side) == side)
            told.append(f"player_{seat}: {mission.name}")
            told += wrap(story(mission, [cards[kind].name for kind in filled]), STORY_WIDTH)
    return "\n".join(told)


def _turn(s: Any, seat: int | None) -> str:
    if s.over != RUNNING:
        return "The game is over."
    gained = [f"{int(s.gained[k])} {ACTION_NAMES[k]}" for k in range(ACTIONS) if s.gained[k]]
    more = f" and for one purpose {', '.join(gained)}" if gained else ""
    asked = ""
    if seat is None or seat == int(s.player):
        asked = f" player_{int(s.player)}: {ASKED_WORDS[ASKED_NAMES[s.asked]]}"
        asked += "" if asked.endswith("?") else "."
    turn = f"Turn {int(s.turn)}: player_{int(s.active)}" if s.turn else "Sides are being chosen"
    return f"{turn}; {int(s.actions_left)} Actions left{more}.{asked}"


def _under_way(game: Any, s: Any) -> Iterable[str]:
    """What has begun and is not done, the innermost first; all seats see it."""
    if s.over != RUNNING:
        return
    frames = [s.stack[d] for d in range(int(s.depth) - 1, -1, -1)]
    if frames and frames[0].kind == ANSWERING:
        yield f"Open to Surprises: {WINDOW_NAMES[frames[0].mode]} of player_{int(frames[0].seat)}."
    for f in frames:
        if f.kind != ANSWERING:
            yield f"Under way: {_frame_words(game, f)}."


def _frame_words(game: Any, f: Any) -> str:
    seat = f"player_{int(f.seat)}"
    card = "" if f.card == NOTHING else f" with {name_within(game.components.cards[f.card].name)}"
    if f.kind == PLAYING:
        name = {SURPRISE: "Surprise", COPY: "copy"}.get(int(f.mode)) or ACTION_NAMES[f.mode].capitalize()
        return f"{seat}'s {name}{card}{', cancelled' if f.cancelled else ''}"
    if f.kind == ROLLING:
        return f"{seat}'s roll of {max(0, int(f.roll))}"
    if f.kind == MOVING:
        return f"{seat}'s flight, {int(f.left)} of {max(0, int(f.roll))} steps left"
    if f.kind == CARRYING_OUT:
        return f"an effect of {seat}{card}"
    if f.kind == DISCARDING:
        return f"{seat} discards, {int(f.left)} left"
    return f"{seat} has gained an Action: {ACTION_NAMES[f.mode]}"


def _hexes(game: Any, s: Any) -> Iterable[str]:
    cards, told = game.components.cards, deck_told(game.components).cards
    for cell in range(CELLS):
        if s.hex[cell] == NOTHING:
            continue
        card = cards[s.hex[cell]]
        walls = "".join(str(d) for d in range(EDGES) if s.walls[cell] >> d & 1)
        ships = "".join(str(j) for j in range(s.num_players) if s.ship[j] == cell)
        parts = [
            f"{COORDINATES[cell]!s:>9}  {card.type:<6}  {card.name}",
            f"Data {int(s.hex_data[cell])}" if card.type == "planet" else "",
            f"walls {walls}" if walls else "",
            f"ships {ships}" if ships else "",
        ]
        yield _with("  ".join(filter(None, parts)), told[card.id]["text"])


def _seat(game: Any, s: Any, j: int, seat: int | None) -> str:
    points = [
        f"{TYPE_NAMES[s.points[j, p]]}{'*' if s.filled[j, p] != NOTHING else ''}"
        for p in range(POINTS)
        if s.points[j, p] != NOTHING
    ]
    seen = "" if seat in (j, None) else _hand(game, s, j, True)
    count = int(s.counters[j])
    counters = f", {count} Snooger counter{'s' * (count > 1)}" if count else ""
    name = f"player_{j}{' (you)' if j == seat else ''}"
    mission = ", ".join(points) or "no side yet"
    known = f"; known: {seen}" if seen else ""
    return f"{name}: {int(s.store[j])} Data, {int(s.hand_size[j])} cards{counters}; {mission}{known}"


def _own_hand(game: Any, s: Any, seat: int) -> Iterable[str]:
    """The cards of a hand with what they say."""
    cards = game.components.cards
    told = [deck_told(game.components).cards[cards[kind].id] for kind in s.hand[seat, : s.hand_size[seat]]]
    yield "Your hand:" if told else "Your hand: empty"
    for card in told:
        yield _with(f"  {card['name']} ({card['type']})", card["text"])


def _with(what: str, text: Any) -> str:
    """A card with what it says, if it says something."""
    return f"{what}: {text}" if text else what


def _hand(game: Any, s: Any, j: int, known: bool) -> str:
    cards = game.components.cards
    names = [cards[s.hand[j, i]].name for i in range(s.hand_size[j]) if not known or s.known[j, i]]
    return ", ".join(names) or ("" if known else "empty")


def _cards(game: Any, s: Any) -> Iterable[str]:
    cards = game.components.cards
    table = [
        int(f.held if f.kind == CARRYING_OUT else f.card)
        for f in s.stack[: s.depth]
        if (f.kind == PLAYING and f.mode != COPY and not f.gone and f.card != NOTHING)
        or (f.kind == CARRYING_OUT and f.held != NOTHING)
    ]
    if table and s.over == RUNNING:
        yield "Being played: " + ", ".join(cards[kind].name for kind in table)
    seen = [cards[s.deck[s.deck_size - 1 - i]].name for i in range(int(s.deck_known))]
    top = f", on top {', '.join(seen)}" if seen else ""
    yield f"Deck: {int(s.deck_size)} cards{top}"
    counts = Counter({cards[k].name: int(s.discard[k]) for k in range(len(cards)) if s.discard[k]})
    named = (f"{count} {name}" if count > 1 else name for name, count in counts.items())
    yield f"Discard: {', '.join(named) or 'empty'}"
