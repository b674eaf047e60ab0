"""Describes moves in words, and explains why a move is illegal."""

from __future__ import annotations

import numpy as np

from spacemission_env.core.game import Game
from spacemission_env.games.planet_hexx.actions import DECISIONS, move_of, seat_and_point, slot_of
from spacemission_env.games.planet_hexx.components.deck import Card, deck_of
from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.engine.cards import is_first
from spacemission_env.games.planet_hexx.engine.conditions import allows
from spacemission_env.games.planet_hexx.engine.costs import has_action
from spacemission_env.games.planet_hexx.engine.declare import action_of
from spacemission_env.games.planet_hexx.engine.effect_codes import TARGET
from spacemission_env.games.planet_hexx.engine.grid import COORDINATES, EDGES, NEIGHBOURS
from spacemission_env.games.planet_hexx.engine.moving import collected
from spacemission_env.games.planet_hexx.words.cards import branch_text, name_within, with_article

PASSES = {
    "main": "ends the turn",
    "gained": "lets the gained Action go",
    "step": "stops here",
    "window": "plays no Surprise",
    "place": "lays nothing",
    "replace": "replaces nothing",
    "upload_now": "Uploads nothing",
}
# Words for each kind of move except passes; `_Parts` fills in the names in braces.
WORDS = {
    "side": "takes the mission {side}",
    "move": "declares a Move",
    "map": "lays {named}",
    "event": "plays {named}",
    "surprise": "answers with {named}",
    "upload": "Uploads {named}",
    "alt_upload": "Uploads {named} at its other cost",
    "refresh": "swaps {named} for a new card",
    "step": "flies to {next}",
    "may": "{uses} the effect of {card}",
    "collect": "Collects {data}",
    "branch": 'chooses "{branch}"',
    "discard": "discards {named}",
    "map_cell": "puts {card} at {place}",
    "map_rotation": "turns {card} to {angle}",
    "target_seat": "aims at {seat}",
    "target_hex": "chooses {there}",
    "relocate": "puts {ship} on {there}",
    "ships_to": "puts the ships on {there}",
    "move_hex": "moves {here} to {place}",
    "rotate": "turns {here} to {angle}",
    "place": "lays {named}",
    "place_cell": "puts {card} at {place}",
    "place_rotation": "turns {card} to {angle}",
    "replace": "puts {named} in place of {here}",
    "upload_now": "Uploads {named} for nothing",
    "delete_upload": "deletes {deleted}",
    "recover": "takes {named} from the Discard",
}


def move_words(game: Game, action: int, seat: int | None = None) -> str:
    """A legal move in words, before it is made; passes in windows are hidden from other seats."""
    s = game.states[0]
    if int(s.asked) == c.WINDOW and action == c.PASS and seat not in (None, int(s.player)):
        return "nobody answers yet"
    kind, named = move_of(s, deck_of(game), action)
    words = PASSES[c.ASKED_NAMES[s.asked]] if kind in ("pass", "stop") else WORDS[kind]
    return f"player_{int(s.player)} {words.format_map(_Parts(game, action, named))}"


class _Parts(dict[str, str]):
    """The parts of a move's description, made on demand; `named`: what the move names (see `move_of`)."""

    def __init__(self, game: Game, action: int, named: str) -> None:
        super().__init__()
        self.deck, self.s, self.t = deck_of(game), game.states[0], game.t
        self.action, self.name = action, named
        self.frame = self.s.stack[max(0, self.s.depth - 1)]

    def __missing__(self, part: str) -> str:
        words: str = getattr(self, f"_{part}")()
        return words

    def _named(self) -> str:
        """The card that the move names."""
        return name_within(self.deck.names[self.name])

    def _played(self) -> Card:
        """The card of the top frame: the card that is played, has the effect, or will be laid."""
        f = self.frame
        return self.deck.cards[f.held if f.kind == c.CARRYING_OUT and f.held != c.NOTHING else f.card]

    def _card(self) -> str:
        return name_within(self._played().name)

    def _hex(self, cell: int) -> str:
        """A hex by name and coordinates, because names repeat."""
        return f"{name_within(self.deck.cards[self.s.hex[cell]].name)} {COORDINATES[cell]}"

    def _place(self) -> str:
        return str(COORDINATES[self.action - c.TO_CELL])

    def _there(self) -> str:
        return self._hex(self.action - c.TO_CELL)

    def _here(self) -> str:
        return self._hex(self.frame.hex)

    def _next(self) -> str:
        return self._hex(NEIGHBOURS[self.s.ship[self.s.player], self.action - c.TO_TURN])

    def _side(self) -> str:
        own = [m for m in self.deck.missions if m.file == self.s.file[self.s.player]]
        side = next(m for m in own if m.side == int(self.name))
        return f"{side.name.capitalize()}: {', '.join(side.points)}"

    def _branch(self) -> str:
        return branch_text(self.deck, self._played(), int(self.name))

    def _uses(self) -> str:
        return "uses" if self.action == c.YES else "declines"

    def _data(self) -> str:
        if self.name == "effect":
            return f"by the effect of {self._hex(self.s.ship[self.s.player])}"
        f = self.frame
        data = int(collected(self.s, f.seat, f.cell, 1 + int(f.more))) if self.name == "data" else 0
        return f"{data} Data" if data else "nothing"

    def _angle(self) -> str:
        return f"{360 // EDGES * int(self.name)}°"

    def _seat(self) -> str:
        return self.name

    def _ship(self) -> str:
        f = self.frame
        whose = int(f.target if self.t.code[f.pc, 3] == TARGET else f.seat)
        return "its ship" if whose == self.s.player else f"the ship of player_{whose}"

    def _deleted(self) -> str:
        seat, point = seat_and_point(self.s, self.action)
        name = name_within(self.deck.cards[self.s.filled[seat, point]].name)
        return f"{name}, point {point + 1} of player_{seat}"


def reason(game: Game, action: int) -> str:
    """Why a move is illegal, with the rule."""
    s = game.states[0]
    decision = DECISIONS[s.asked]
    if not (action < c.TO_BRANCH or decision.first <= action <= decision.last):
        return f"something else is asked now: {decision.prompt} ({decision.rule})"
    if s.asked == c.COLLECT and action == c.YES and game.t.on_collect[s.hex[s.ship[s.player]]] != c.NOTHING:
        return "the effect of the hex cannot happen, or its price cannot be paid now (HX-25, HR-39)"
    if action < c.TO_BRANCH:
        return f"this is no answer to the question: {decision.prompt} ({decision.rule})"
    slot, size = slot_of(action), int(s.hand_size[s.player])
    if slot is not None and slot >= size:
        return f"the hand has only {size} cards"
    if slot is not None and not is_first(s, int(s.player), slot):
        return "the copy further left stands for all copies of the card (HR-36)"
    if s.asked in (c.MAIN, c.GAINED):
        return _no_action(game, action, slot)
    if s.asked == c.STEP:
        return _no_step(s, game.t, action - c.TO_TURN)
    if s.asked == c.WINDOW:
        return "the card does not answer this window, or cannot be played or paid now (HX-43, HX-44)"
    if s.asked in (c.MAP_CELL, c.PLACE_CELL):
        return _no_place(s, game.t, action - c.TO_CELL)
    if s.asked in (c.MAP_ROTATION, c.PLACE_ROTATION, c.ROTATE):
        return "the walls would lie as in another rotation or as they lie now (HR-37)"
    if s.asked == c.BRANCH and action < c.TO_BRANCH + game.t.branches[s.stack[s.depth - 1].card]:
        return "the price of this branch cannot be paid (HR-39)"
    if s.asked == c.DISCARD:
        return f"the card to discard must have another type ({decision.rule})"
    return f"the effect does not allow this choice ({decision.rule})"


def _no_action(game: Game, action: int, slot: int | None) -> str:
    s, t = game.states[0], game.t
    seat = int(s.player)
    card = c.NOTHING if slot is None else int(s.hand[seat, slot])
    kind = int(action_of(t, card, action))
    banned = _banned(s, t, seat, kind)
    if banned:
        return banned
    if kind in (c.MOVE, c.REFRESH):
        return _none_left(kind)
    if kind == c.UPLOAD:
        return _no_upload(game, seat, card, action >= c.TO_ALT) or _none_left(kind)
    if kind == c.EVENT and (not t.own_turn[card] or (t.answers[card] and seat != s.active)):
        return "it is a Surprise, which only answers others (HX-44, HX-45)"
    if kind == c.EVENT and not allows(s, t, t.only_if, card, seat, 1):
        return "the card restricts when it may be played (HX-50)"
    if not _has(s, kind):
        return _none_left(kind)
    return "no cell fits the hex (HX-10 to HX-12)" if kind == c.MAP else "its cost cannot be paid (HX-43)"


def _has(s: np.record, kind: int) -> bool:
    if s.asked == c.GAINED:
        return int(s.stack[s.depth - 1].mode) in (kind, c.ANY)
    return bool(has_action(s, kind))


def _none_left(kind: int) -> str:
    return f"no Action is left for {with_article(c.ACTION_NAMES[kind].capitalize())} (HX-8, HX-46)"


def _banned(s: np.record, t: np.record, seat: int, kind: int) -> str:
    """HX-20: the reason if the hex, or a ban of this turn, forbids an Action; otherwise ""."""
    bits = 1 << kind | 1 << c.ANY
    name = c.ACTION_NAMES[kind].capitalize()
    if int(t.start_ban[s.hex[s.ship[seat]]]) & bits:
        return f"no {name} Action may be taken from this hex (HX-20)"
    return f"no {name} Action may be taken in this turn" if int(s.banned[seat]) & bits else ""


def _no_upload(game: Game, seat: int, card: int, at_other_cost: bool) -> str:
    """Why an Upload is illegal (HX-35, HX-36, HX-39)."""
    s, details = game.states[0], deck_of(game).cards[card]
    other = details.alt_upload
    if at_other_cost and other is None:
        return "the card has no other cost (HX-39)"
    open_types = {
        int(kind) for kind, by in zip(s.points[seat], s.filled[seat], strict=True) if by == c.NOTHING
    }
    if int(game.t.type[card]) not in open_types:
        return f"no open point takes {with_article(details.type.capitalize())} (HX-36)"
    anywhere = at_other_cost and other is not None and other.anywhere
    if not anywhere and game.t.type[s.hex[s.ship[seat]]] != c.SPACE:
        return "the ship is not on a Space (HX-35)"
    if not _has(s, c.UPLOAD):
        return ""
    if at_other_cost:
        return "the other cost cannot be paid (HX-39)"
    return f"an Upload costs {int(game.t.upload_cost)} Data (HX-35)"


def _no_step(s: np.record, t: np.record, direction: int) -> str:
    """Why a step is illegal (HX-17 to HX-21)."""
    seat, frame = int(s.player), s.stack[s.depth - 1]
    here = int(s.ship[seat])
    to = int(NEIGHBOURS[here, direction])
    if to == c.NOTHING or s.hex[to] == c.NOTHING:
        return "no hex lies there (HX-21)"
    if frame.left <= 0:
        return "no step is left (HX-17)"
    back = (direction + EDGES // 2) % EDGES
    if s.walls[here] >> direction & 1 or s.walls[to] >> back & 1:
        return "a wall is in the way (HX-20)"
    if t.type[s.hex[to]] == c.PLANET and s.landed[seat] == to:
        return "the ship Landed there last (HX-19)"
    if not allows(s, t, t.enter_if, s.hex[to], seat, 0):
        return "the hex restricts who may enter it (HX-20)"
    return f"leaving this hex needs a Move roll of {int(t.leave_roll[s.hex[here]])} or more (HX-20)"


def _no_place(s: np.record, t: np.record, cell: int) -> str:
    """Why a hex may not be laid on a cell (HX-10 to HX-12)."""
    if s.hex[cell] != c.NOTHING:
        return "a hex lies there (HX-10)"
    if s.touches[cell] == 0:
        return "the cell touches no hex (HX-10)"
    return "a Planet has to touch a Space and no Planet (HX-11)"
