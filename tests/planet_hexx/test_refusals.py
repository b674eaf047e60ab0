"""Why a move is not legal: each illegal move has a reason that holds, with its rule."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import numpy as np
import pytest

from spacemission_env.core.errors import IllegalActionError
from spacemission_env.games.planet_hexx.actions import slot_of
from spacemission_env.games.planet_hexx.engine import constants as c
from tests.planet_hexx.positions import asked, at, new_game, play, random_move, slot, table

GAMES, DECISIONS = 12, 300


def why(game: Any, action: int) -> str:
    """The reason, without who and what; "" for a legal move."""
    said = game.why_illegal(action)
    return "" if said is None else said.partition(" is illegal: ")[2]


def holds(game: Any, action: int, reason: str) -> bool:
    """Whether a reason is true, as far as one line can look at it; True for those that are not looked at."""
    s, seat = game.states[0], int(game.player)
    number = slot_of(action)
    if reason.startswith("the hand has only"):
        return number is not None and number >= s.hand_size[seat]
    if reason.startswith("the ship is not on a Space"):
        return game.t.type[s.hex[s.ship[seat]]] != c.SPACE
    if reason.startswith("an Upload costs"):
        return bool(s.store[seat] < game.rules.upload_cost)
    if reason.startswith("no open point"):
        kind = game.t.type[s.hand[seat, number]]
        return not any(s.points[seat, p] == kind and s.filled[seat, p] == c.NOTHING for p in range(6))
    if reason.startswith("no Action is left") and asked(game)[1] == "main":
        return s.actions_left == 0
    if reason.startswith("it is a Surprise"):
        return game.components.cards[s.hand[seat, number]].surprise is not None
    if reason.startswith("a hex lies there"):
        return s.hex[action - 55] != c.NOTHING
    return True


def test_every_illegal_move_has_a_reason_that_holds() -> None:
    seen: Counter[str] = Counter()
    for seed in range(GAMES):
        game, rng = new_game(2 + seed % 3, seed), np.random.default_rng(seed)
        for step in range(DECISIONS):
            if game.over:
                break
            legal = set(game.legal_actions())
            for action in range(c.ACTION_COUNT) if step % 9 == 0 else ():
                reason = why(game, action)
                assert (reason == "") == (action in legal)
                if reason:
                    assert re.search(r"\((HX-\d+(, HX-\d+| to HX-\d+)?)\)$|cards$|this turn$", reason), reason
                    assert holds(game, action, reason), (action, reason)
                    seen[reason.split("(")[0]] += 1
            game.step(random_move(game, rng))
    assert len(seen) >= 30


def test_reasons_of_actions() -> None:
    game = table(["headwind", "miss_galaxy", "big_gus"], ["wormhole"])
    s = game.states[0]
    surprise, event, planet = (slot(game, 0, card) for card in ("headwind", "miss_galaxy", "big_gus"))
    assert why(game, c.TO_PLAY + surprise) == "it is a Surprise: it answers what others do (HX-44, HX-45)"
    assert why(game, c.TO_PLAY + event) == "its cost cannot be paid (HX-43)"
    assert why(game, c.TO_PLAY + 9) == "the hand has only 3 cards"
    assert why(game, c.TO_UPLOAD + planet) == "an Upload costs 3 Data (HX-35)"
    assert why(game, c.TO_ALT + planet) == "the card has no other cost (HX-39)"
    assert why(game, at(0, 1)) == "now it is about an Action of its turn (HX-8)"
    s.banned[0] |= 1 << 1
    assert why(game, c.TO_MOVE) == "no Move Action may be taken in this turn"
    s.banned[0] = 0
    s.ship[0] = at(1, 0) - 55
    assert why(game, c.TO_UPLOAD + planet) == "the ship is not on a Space (HX-35)"
    s.filled[0] = 1
    assert why(game, c.TO_UPLOAD + planet) == "no open point takes a Planet (HX-36)"
    with pytest.raises(
        IllegalActionError, match=r"player_0: action \d+ \(play\) is illegal: it is a Surprise"
    ):
        game.step(c.TO_PLAY + surprise)


def test_reasons_of_cells_and_steps() -> None:
    game = table(["wormhole"], ["big_gus"])
    play(game, "wormhole")
    assert why(game, at(0, 0)) == "a hex lies there (HX-10)"
    assert why(game, at(5, 0)) == "it touches no hex (HX-10)"
    assert why(game, c.PASS).startswith("now it is about where the hex goes")
    game.step(at(0, 1))
    game.step(c.TO_MOVE)
    assert asked(game) == (0, "step")
    assert why(game, c.TO_TURN + 3) == "no hex lies there (HX-21)"
    game.states[0].landed[0] = at(1, 0) - 55
    assert why(game, c.TO_TURN) == "the ship Landed there last (HX-19)"
    game.states[0].walls[at(0, 1) - 55] = 1 << 4
    assert why(game, c.TO_TURN + 1) == "a wall is in the way (HX-20)"
    assert why(game, c.TO_DISCARD) == "now it is about the next step of its Move (HX-17)"
