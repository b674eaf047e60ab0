"""Tests the words for moves, refusals, the table and the end of a game."""

import re
from collections import defaultdict
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from spacemission_env.core.errors import IllegalActionError
from spacemission_env.games.planet_hexx.actions import slot_of
from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.engine.declare import CHECK
from spacemission_env.games.planet_hexx.engine.grid import CELL_OF
from spacemission_env.games.planet_hexx.engine.stack import push
from spacemission_env.games.planet_hexx.engine.state import NORMAL_UPLOAD
from spacemission_env.games.planet_hexx.game import Game
from spacemission_env.games.planet_hexx.words.board import end_words, result_words
from tests.planet_hexx.positions import asked, at, kind, new_game, play, random_walk, slot, table
from tests.support.command_line import run
from tests.support.planet_hexx_pair import Situation

ACTION = r"declares a Move|lays .+|plays .+|swaps .+ for a new card|Uploads .+"
# Patterns of the words of moves by decision, without the player.
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
GAMES, DECISIONS, REASONS = 30, 400, 81  # random games, their decisions, and how rarely all reasons are asked


@cache
def heard() -> tuple[dict[str, set[tuple[str, ...]]], list[tuple[Game, int, str]]]:
    """In random games: the words of all legal moves by decision, and sometimes the reasons of all moves."""
    found: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    reasons = []
    for seed in range(GAMES):
        for step, game in enumerate(random_walk(seed, DECISIONS)):
            seat, what = asked(game)
            said = [game.words(action) for action in game.legal_actions()]
            assert all(words.startswith(f"player_{seat} ") for words in said)
            found[what].add(tuple(words.partition(" ")[2] for words in said))
            if step % REASONS == 0:
                copy = game.clone()
                reasons += [(copy, action, why(copy, action)) for action in range(c.ACTION_COUNT)]
    return found, reasons


@pytest.mark.parametrize("what", c.ASKED_NAMES)
def test_every_decision_has_plain_words(what: str) -> None:
    of_all, _ = heard()
    assert of_all[what], f"no random game asks {what}"
    for said in of_all[what]:
        for words in said:
            assert re.fullmatch(SAID[what], words), words
            assert "_" not in re.sub(r"player_\d", "", words) and "None" not in words


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
    told = game.board(0)
    asked = " ".join(told.split())  # however lines are broken
    assert "player_0: choose an Action, or end the turn." in asked
    assert "  Miss Galaxy (alien): Expend 1 Data to Play this. Draw 3 cards. OR:" in told
    assert "  Big Gus (planet, Data 6)\n" in told
    other = game.board(1)  # who is not asked, and does not hold them
    assert "choose an Action" not in other and "Miss Galaxy" not in other
    assert max(map(len, told.splitlines())) <= 100
    game.states[0].counters[:2] = 1, 2
    told = game.board(0)
    assert "cards; 1 Snooger counter." in told and "cards; 2 Snooger counters." in told


def why(game: Game, action: int) -> str:
    """The reason without player and move; "" for a legal move."""
    said = game.why_illegal(action)
    return "" if said is None else said.partition(" is illegal: ")[2]


def holds(game: Game, action: int, reason: str) -> bool:
    """Whether a reason is true; True for reasons that are not checked here."""
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
    seen = set()
    for game, action, reason in heard()[1]:
        assert (reason == "") == (game.mask()[action] == 1)
        if reason:
            assert re.search(r"\((H[RX]-\d+(, H[RX]-\d+| to HX-\d+)?)\)$|cards$|this turn$", reason), reason
            assert holds(game, action, reason), (action, reason)
            seen.add(reason.split("(")[0])
    assert len(seen) >= 30


def test_reasons_of_actions() -> None:
    game = table(["headwind", "miss_galaxy", "big_gus"], ["wormhole"])
    s = game.states[0]
    surprise, event, planet = (slot(game, 0, card) for card in ("headwind", "miss_galaxy", "big_gus"))
    assert why(game, c.TO_PLAY + surprise) == "it is a Surprise, which only answers others (HX-44, HX-45)"
    assert why(game, c.TO_PLAY + event) == "its cost cannot be paid (HX-43)"
    assert why(game, c.TO_PLAY + 9) == "the hand has only 3 cards"
    assert why(game, c.TO_UPLOAD + planet) == "an Upload costs 3 Data (HX-35)"
    assert why(game, c.TO_ALT + planet) == "the card has no other cost (HX-39)"
    assert why(game, at(0, 1)) == "something else is asked now: choose an Action, or end the turn (HX-8)"
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
    assert why(game, at(5, 0)) == "the cell touches no hex (HX-10)"
    assert why(game, c.PASS).startswith("this is no answer to the question: choose where it goes")
    game.step(at(0, 1))
    game.step(c.TO_MOVE)
    assert asked(game) == (0, "step")
    assert why(game, c.TO_TURN + 3) == "no hex lies there (HX-21)"
    game.states[0].landed[0] = at(1, 0) - 55
    assert why(game, c.TO_TURN) == "the ship Landed there last (HX-19)"
    game.states[0].walls[at(0, 1) - 55] = 1 << 4
    assert why(game, c.TO_TURN + 1) == "a wall is in the way (HX-20)"
    assert why(game, c.TO_DISCARD) == "something else is asked now: Move on, or stop (HX-17)"


def rich_position() -> Game:
    """Seat 0 is to take an Action; cards lie in all places."""
    game = table(["unmapped_world", "asteroid_belt"], ["miss_galaxy"], ["big_gus"])
    s = game.states[0]
    s.deck_known = 2
    s.known[1, 0] = 1
    s.discard[kind(game, "wormhole")] = 1
    return game


def _set(field: str, value: object, *place: int) -> Callable[[Game, np.record], None]:
    def change(game: Game, s: np.record) -> None:
        number = kind(game, value) if isinstance(value, str) else value
        if place:
            s[field][place] = number
        else:
            s[field] = number

    return change


def _frame(what: int, mode: int, **fields: object) -> Callable[[Game, np.record], None]:
    def change(game: Game, s: np.record) -> None:
        push(s, what, mode, 1)  # what it returns is a copy in Python
        f = s.stack[s.depth - 1]
        for name, value in fields.items():
            f[name] = kind(game, value) if isinstance(value, str) else value

    return change


PUBLIC: dict[str, Callable[[Game, np.record], None]] = {
    "who began": _set("start_player", 1),
    "whose turn": _set("active", 2),
    "round": _set("round_number", 9),
    "Actions left": _set("actions_left", 1),
    "gained Actions of a kind": _set("gained", 1, c.MOVE),
    "Actions gained in this turn": _set("gained_ever", 2, 1),
    "a ban": _set("banned", 1 << c.UPLOAD, 1),
    "a roll bonus": _set("bonus", -2, 1),
    "a bonus to Collecting": _set("collect_bonus", 1, 2),
    "Actions begun": _set("begun", 2),
    "a used Surprise": _set("surprised", 1, 2),
    "the latest Event": _set("latest", "miss_galaxy"),
    "where a ship is": _set("ship", CELL_OF[1, 0], 1),
    "where it Landed last": _set("landed", CELL_OF[1, 0], 1),
    "Data of a Store": _set("store", 7, 2),
    "Snooger counters": _set("counters", 2, 1),
    "mission": _set("file", 7, 1),
    "a point": _set("points", 3, 1, 0),
    "an uploaded card": _set("filled", "wormhole", 1, 5),
    "a card that all have seen": _set("known", 0, 1, 0),
    "size of a hand": _set("hand_size", 0, 2),
    "size of the deck": _set("deck_size", 50),
    "known cards of the deck": _set("deck_known", 1),
    "the Discard": _set("discard", 2, 0),
    "a hex": _set("hex", "wormhole", CELL_OF[0, 0]),
    "Data of a Planet": _set("hex_data", 3, CELL_OF[1, 0]),
    "walls": _set("walls", 5, CELL_OF[0, 0]),
    "the own hand": _set("hand", "wormhole", 0, 1),
    "a Map Action": _frame(c.PLAYING, c.MAP, card="wormhole", step=CHECK, cell=CELL_OF[0, 1]),
    "a Move Action": _frame(c.PLAYING, c.MOVE, step=CHECK),
    "a branch": _frame(c.PLAYING, c.EVENT, card="miss_galaxy", step=CHECK, branch=1),
    "an Upload at its other cost": _frame(c.PLAYING, c.UPLOAD, card="bag_of_rocks", step=CHECK, branch=2),
    "a cancelled Action": _frame(c.PLAYING, c.MOVE, step=CHECK, cancelled=1),
    "a roll": _frame(c.ROLLING, c.MOVE, roll=5),
    "steps left": _frame(c.MOVING, 0, roll=5, left=3),
    "more to Collect": _frame(c.MOVING, 0, roll=5, more=1),
    "a target seat": _frame(c.CARRYING_OUT, 0, card="miss_galaxy", target=2),
    "a target hex": _frame(c.CARRYING_OUT, 0, card="miss_galaxy", hex=CELL_OF[1, 0]),
    "discards to come": _frame(c.DISCARDING, c.ANY, left=2),
    "an Action to be used now": _frame(c.GAINING, c.UPLOAD),
}


@pytest.mark.parametrize("fact", PUBLIC)
def test_every_public_fact_is_in_text_and_json(fact: str) -> None:
    """Texts and JSON views show each fact of the observation."""
    before, after = rich_position(), rich_position()
    PUBLIC[fact](after, after.states[0])
    assert before.observe(0).tobytes() != after.observe(0).tobytes()
    seen = before.seat_json(0)
    assert after.seat_json(0) != seen
    assert before.board(0) != after.board(0)


@pytest.mark.parametrize(("row", "other"), [(NORMAL_UPLOAD, False), (NORMAL_UPLOAD + 1, True)])
def test_an_upload_under_way_says_which_cost_it_pays(row: int, other: bool) -> None:
    game = rich_position()
    _frame(c.PLAYING, c.UPLOAD, card="bag_of_rocks", step=CHECK, branch=row)(game, game.states[0])
    assert (", at its other cost" in game.board(0)) == other
    assert game.seat_json(0)["under_way"][0]["choice"] == other


def test_the_choice_of_a_side_shows_the_points_of_both() -> None:
    """HX-1: in the words of the moves and on the board."""
    game = new_game(2)
    sides = game.seat_json()["sides"]
    for action, side in zip(game.legal_actions(), sides, strict=True):
        words = f"takes the mission {side['name'].capitalize()}: {', '.join(side['points'])}"
        assert game.words(action) == f"player_{game.player} {words}"
        shown = " ".join(game.board().split())
        assert f"{side['name'].capitalize()} ({', '.join(side['points'])})" in shown


PLAY = ("play", "--game", "planet_hexx", "--agents", "greedy,greedy")
FILED = ["duplicant", "detour", "plot_twist", "data_bomb", "pebble"]


def test_a_filled_file_tells_its_story() -> None:
    game = Situation(hands=[["starry_deep"]], stores=[3], uploaded=[FILED])
    assert end_words(game.engine) == ""
    game.upload("starry_deep")
    told = result_words(game.engine, ["me", "you"])
    assert told.startswith(
        "player_0  6 of 6 points, 0 Data  won  me\nplayer_1  0 of 6 points, 0 Data  you\n\n"
    )
    story = end_words(game.engine)
    assert told.endswith(f"\n\n{story}\n") and story.startswith("player_0: A ROUTINE MISSION!\n")
    assert max(map(len, story.splitlines())) <= 80
    words = story.replace("\n", " ").lower()
    for name in ("the duplicant", "plot twist", "data bomb", "pebble", "the starry deep"):
        assert words.count(name) == 1


def test_a_game_that_was_truncated_tells_no_story() -> None:
    game = Situation(max_turns=1, uploaded=[FILED]).no(2)
    assert game.over == "truncated" and end_words(game.engine) == ""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The record of a won game of `greedy`, and the output of `play`."""
    for seed in range(20):
        file = tmp_path_factory.mktemp("play") / "game.jsonl"
        said = run(*PLAY, "--seed", str(seed), "--record", str(file)).stdout
        if "1 finished" in said:
            return file, said
    raise AssertionError("none of 20 games was won")


def test_play_and_replay_tell_the_story(played: tuple[Path, str]) -> None:
    file, said = played
    told = re.search(r"\nplayer_\d: [A-Z ,!]+\n(.+)\Z", said, re.DOTALL)
    assert told and len(told[1]) > 100
    assert run("replay", str(file), "--moves").stdout.rstrip().endswith(told[0].strip())


def test_play_of_many_games_tells_none() -> None:
    assert "\nplayer_" not in run(*PLAY, "--games", "4").stdout
