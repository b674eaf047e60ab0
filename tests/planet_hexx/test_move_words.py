"""Moves in words: short plain English for every kind of decision, and equal only where moves do the same."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache

import numpy as np
import pytest

from spacemission_env.games.planet_hexx.engine import constants as c
from tests.planet_hexx.positions import asked, at, new_game, play, random_move, slot, table

ACTION = r"declares a Move|lays .+|plays .+|swaps .+ for a new card|Uploads .+"
# One move of each kind, without who makes it.
SAID = {
    "side": r"takes the mission [A-Z].+",
    "main": rf"ends the turn|{ACTION}",
    "gained": rf"lets the gained Action go|{ACTION}",
    "step": r"stops here|flies to .+ \(-?\d, -?\d\)",
    "may": r"(uses|declines) the effect of .+",
    "collect": r"Collects (nothing|\d Data|by the effect of .+)",
    "window": r"plays no Surprise|answers with .+",
    "branch": r'chooses "[A-Z].+\."',
    "discard": r"discards .+",
    "map_cell": r"puts .+ at \(-?\d, -?\d\)",
    "map_rotation": r"turns .+ to \d+°",
    "target_seat": r"aims at player_\d",
    "target_hex": r"chooses .+ \(-?\d, -?\d\)",
    "relocate": r"puts (its ship|the ship of player_\d) on .+ \(-?\d, -?\d\)",
    "ships_to": r"puts the ships on .+ \(-?\d, -?\d\)",
    "move_hex": r"moves .+ \(-?\d, -?\d\) to \(-?\d, -?\d\)",
    "rotate": r"turns .+ \(-?\d, -?\d\) to \d+°",
    "place": r"lays .+",
    "place_cell": r"puts .+ at \(-?\d, -?\d\)",
    "place_rotation": r"turns .+ to \d+°",
    "replace": r"replaces nothing|puts .+ in place of .+ \(-?\d, -?\d\)",
    "upload_now": r"Uploads .+",
    "delete_upload": r"deletes .+, point \d of player_\d",
    "recover": r"takes .+ from the Discard",
}
GAMES, DECISIONS = 30, 400


@cache
def heard() -> dict[str, set[tuple[str, ...]]]:
    """The words of all legal moves at the decisions of random games, by what is asked."""
    found: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    for seed in range(GAMES):
        game, rng = new_game(2 + seed % 3, seed), np.random.default_rng(seed)
        for _ in range(DECISIONS):
            if game.over:
                break
            seat, what = asked(game)
            said = [game.words(action) for action in game.legal_actions()]
            assert all(words.startswith(f"player_{seat} ") for words in said)
            found[what].add(tuple(words.partition(" ")[2] for words in said))
            game.step(random_move(game, rng))
    return found


@pytest.mark.parametrize("what", c.ASKED_NAMES)
def test_every_decision_has_plain_words(what: str) -> None:
    assert heard()[what], f"no random game asks {what}"
    for said in heard()[what]:
        for words in said:
            assert re.fullmatch(SAID[what], words), words
            assert "_" not in re.sub(r"player_\d", "", words) and "None" not in words


def test_only_equal_cards_have_equal_words() -> None:
    """Two copies of a card in a hand are two moves that do the same."""
    for seed in range(GAMES // 3):
        game, rng = new_game(2 + seed % 3, seed), np.random.default_rng(seed)
        for _ in range(DECISIONS // 2):
            if game.over:
                break
            moves = [game.move(action) for action in game.legal_actions()]
            said = {game.words(action) for action in game.legal_actions()}
            assert len(said) == len({str(move) for move in moves})
            game.step(random_move(game, rng))


def test_a_turn_in_words() -> None:
    game = table(["wormhole", "miss_galaxy"], ["big_gus"])
    words = {action: game.words(action) for action in game.legal_actions()}
    assert words[c.PASS] == "player_0 ends the turn"
    assert words[c.TO_MOVE] == "player_0 declares a Move"
    assert words[c.TO_DISCARD + slot(game, 0, "miss_galaxy")] == "player_0 swaps Miss Galaxy for a new card"
    assert c.TO_UPLOAD + slot(game, 0, "wormhole") not in words  # no Data yet
    play(game, "wormhole")
    assert game.words(at(0, 1)) == "player_0 puts a Wormhole at (0, 1)"
    game.step(at(0, 1))
    game.step(c.TO_MOVE)
    assert asked(game) == (0, "step")
    assert game.words(c.TO_TURN) == "player_0 flies to Delta Colony (1, 0)"
    assert game.words(c.TO_TURN + 1) == "player_0 flies to a Wormhole (0, 1)"
    assert game.words(c.PASS) == "player_0 stops here"


def test_the_board_says_what_cards_do_and_what_is_asked() -> None:
    game = table(["miss_galaxy", "big_gus"], ["wormhole"])
    told = game.spec.text.board(game, 0)
    assert "player_0: choose an Action, or pass." in " ".join(told.split())  # however lines are broken
    assert "  Miss Galaxy (alien): Expend 1 Data to Play this. Draw 3 cards. OR:" in told
    assert "  Big Gus (planet, Data 6)\n" in told
    other = game.spec.text.board(game, 1)  # who is not asked, and does not hold them
    assert "choose an Action" not in other and "Miss Galaxy" not in other
    assert max(map(len, told.splitlines())) <= 100
    game.states[0].counters[:2] = 1, 2
    told = game.spec.text.board(game, 0)
    assert "cards; 1 Snooger counter." in told and "cards; 2 Snooger counters." in told
