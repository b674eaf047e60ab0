"""`check_game`: the installed games pass, and each kind of fault is found and told in one line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from spacemission_env.cli import app
from spacemission_env.core.batch import REQUIRED, bind_batch
from spacemission_env.core.compiling import make_njit
from spacemission_env.core.errors import SetupError
from spacemission_env.core.game_spec import find_game, game_names
from spacemission_env.games.kuhn_poker import CARD_NAMES, OBSERVATION, Game
from spacemission_env.testing import check_game, parity

KUHN: Any = find_game("kuhn_poker")
BATCH = KUHN.batch
LARGE_GAMES = sorted(set(game_names()) - {"kuhn_poker"})


@pytest.mark.parametrize(
    "game", ["kuhn_poker", *(pytest.param(name, marks=pytest.mark.slow) for name in LARGE_GAMES)]
)
def test_nothing_is_wrong_with_the_installed_games(game: str) -> None:
    # The others are slow without the JIT, and have tests of their own for it.
    assert check_game(game, games=3, jit=game == "kuhn_poker") == []


def test_other_options_are_checked_too() -> None:
    assert check_game("kuhn_poker", rules="ante=3", games=3) == []


@make_njit()
def write_three(out):
    """As Kuhn poker did it with 2 players: the third number stands behind the array."""
    for n in range(len(out)):
        for j in range(3):
            out[n, j, 0] = 0


def scores_behind(states: Any, boxes: Any, index: Any, out: Any) -> int:
    right: int = SCORES(states, boxes, index, out)
    if right < 0:
        write_three(out)
    return right


SCORES, VIEWS, VIEW, WORLD = BATCH.scores_batch, BATCH.view_batch, BATCH.view_one, BATCH.determinize_one


def scores_left_out(states: Any, boxes: Any, index: Any, out: Any) -> int:
    whole = out.copy()
    right: int = SCORES(states, boxes, index, whole)
    out[:-1] = whole[:-1]
    return right


def views_anywhere(states: Any, boxes: Any, index: Any, recall: int, seen: Any, masks: Any) -> int:
    return int(VIEWS(states, boxes, np.clip(index, 0, len(states) - 2), recall, seen, masks))


def view_too_large(states: Any, i: int, boxes: Any, seat: int, recall: int, seen: Any, mask: Any) -> bool:
    there = VIEW(states, i, boxes, seat, recall, seen, mask)
    seen[KUHN.layout["pot"].start] *= 3
    return bool(there)


def view_and_move(states: Any, i: int, boxes: Any, seat: int, recall: int, seen: Any, mask: Any) -> bool:
    there = VIEW(states, i, boxes, seat, recall, seen, mask)
    if there:
        states[i]["round_number"] += 1
    return bool(there)


def world_of_another(states: Any, i: int, boxes: Any, seat: int, recall: int, seed: int, out: Any) -> bool:
    there = WORLD(states, i, boxes, seat, recall, seed, out)
    out[0]["cards"][:] = np.roll(out[0]["cards"][:], 1)
    return bool(there)


def keys_of_all(states: Any, index: Any, keys: Any) -> int:
    right: int = KEYS(states, index, keys)
    if right < 0:
        keys[:] += states["cards"][index, 0] + 10 * states["cards"][index, 1]
    return right


KEYS = BATCH.keys_batch


def no_answer(*arguments: Any) -> None:
    return None


def blind(states: Any, i: int, boxes: Any, seat: int, recall: int, seen: Any, mask: Any) -> bool:
    there = VIEW(states, i, boxes, seat, recall, seen, mask)
    seen[:] = 0
    return bool(there)


def no_key(states: Any, i: int, boxes: Any, seat: int, key: Any) -> bool:
    key[:] = 0
    return bool(0 <= i < len(states) and 0 <= seat < states[i]["num_players"])


def allows_all(states: Any, boxes: Any, index: Any, actions: Any) -> int:
    return -1


FAULTS: dict[str, tuple[dict[str, Callable[..., Any]], str]] = {
    "behind": ({"scores_batch": scores_behind}, "entry points: batch.scores_batch, 2 players: writes"),
    "unwritten": ({"scores_batch": scores_left_out}, "entry points: batch.scores_batch, 2 players: leaves"),
    "anywhere": ({"view_batch": views_anywhere}, "batch.view_batch, 2 players: expected row 1 for a game"),
    "silent": ({"rewards_batch": no_answer}, "batch.rewards_batch of 'win', 2 players: expected -1"),
    "too large": ({"view_one": view_too_large}, "pot[0] is "),
    "moves": ({"view_one": view_and_move}, "batch.view_one, 2 players: changes a game that it"),
    "world": ({"determinize_one": world_of_another}, "in a world drawn by determinize"),
    "key": ({"keys_batch": keys_of_all}, "its decision key differs in a world drawn by determinize"),
    "told": ({"view_one": blind, "key_one": no_key}, "move_seen: reveals to seat 1 which of the moves 0 and 1 was made"),
    "allowed": ({"first_refused": allows_all}, "the mask says 0, first_refused -1"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    functions, said = FAULTS[fault]
    for name, function in functions.items():
        monkeypatch.setattr(BATCH, name, function)
    problems = check_game("kuhn_poker", games=3, jit=False)
    assert any(said in problem for problem in problems), problems
    assert all(problem.isprintable() and len(problem) < 300 for problem in problems)


def test_a_set_up_that_does_not_come_back_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        Game, "setup_json", lambda game: {"cards": ["K", "J", "Q", "A"][: game.num_players + 1]}
    )
    problems = check_game("kuhn_poker", games=3, jit=False)
    assert any("setup_json gives another table" in problem for problem in problems), problems


@pytest.mark.parametrize(
    ("functions", "said"),
    [({}, "expected a function 'deal'"), ({"shuffle": len}, "expected no function 'shuffle'")],
)
def test_a_batch_of_other_functions_is_refused(functions: dict[str, Any], said: str) -> None:
    rules = {name: len for name in REQUIRED} if functions else {}
    with pytest.raises(SetupError, match=said):
        bind_batch(
            "a_game", make_njit(), observation=OBSERVATION, action_count=2, max_players=2,
            score_names=("total",), reward_names=("win",), **rules, **functions,
        )  # fmt: skip


def drawn_with(text: str) -> Callable[..., str]:
    """The drawing with something in it."""
    draw = KUHN.picture.draw

    def draws(view: Any, **how: Any) -> str:
        return str(draw(view, **how)).replace("</svg>", f"{text}</svg>")

    return draws


DRAW = KUHN.picture.draw


SEEN = Game._seen


def all_cards(game: Any, seat: int | None) -> dict[str, Any]:
    told = SEEN(game, seat)
    return {
        **told,
        "seats": [
            {**one, "card": CARD_NAMES[game.states[0].cards[j]]} for j, one in enumerate(told["seats"])
        ],
    }


PICTURES: dict[str, tuple[str, Any, str]] = {
    "style": ("_picture.draw", drawn_with("<style/>"), "draw: '<style' in the document"),
    "twice": ("_picture.draw", drawn_with('<g id="pot"/>'), "draw: the id 'pot' occurs twice"),
    "target": ("_picture.draw", drawn_with('<g id="a" data-target="b"/>'), "is not the id 'a'"),
    "alike": (".Game.words", lambda game, action, seat: "acts", "moves 0 and 1 have the same targets"),
    "nowhere": ("_picture.draw", lambda view, **_: DRAW(view), "'choice-bet', a target of a legal move"),
    "numpy": (".Game._seen", lambda game, seat: {"pot": game.states[0].seed}, "failed with TypeError"),
    "leak": (".Game._seen", all_cards, "differs in a world drawn by determinize"),
}  # fmt: skip


@pytest.mark.parametrize("fault", PICTURES)
def test_a_fault_of_a_picture_is_found(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    where, instead, said = PICTURES[fault]
    monkeypatch.setattr(f"spacemission_env.games.kuhn_poker{where}", instead)
    if fault == "alike":
        monkeypatch.setattr(
            "spacemission_env.games.kuhn_poker_picture.targets", lambda view, action: ("pot",)
        )
    problems = check_game("kuhn_poker", games=3, jit=False)
    assert any(said in problem for problem in problems), problems


def test_a_game_that_is_another_without_the_jit_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second process does not know what was changed here."""

    def ahead(states: Any, boxes: Any, index: Any, seats: Any, out: Any) -> int:
        out[:] = 0.5
        return -1

    monkeypatch.setattr(BATCH, "margin_batch", ahead)
    problems = list(parity.check_parity(KUHN, None, 0))
    assert problems == ["2 players, seed 0, after 0 decisions: margin differs without the JIT"]


def test_the_command_ends_with_1_where_something_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BATCH, "scores_batch", no_answer)
    told = CliRunner().invoke(app, ["check-game", "kuhn_poker", "--games", "2"])
    assert told.exit_code == 1
    assert told.stdout.startswith(
        "entry points: batch.scores_batch, 2 players: expected -1 for games that are there, got None"
    )
    assert (
        CliRunner().invoke(app, ["check-game", "go"]).stderr.startswith("spacemission: game: expected one of")
    )
