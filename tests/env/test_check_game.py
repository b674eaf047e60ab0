"""`check_game` passes the installed games, and reports each kind of fault in one line."""

from collections.abc import Callable, Mapping

import numpy as np
import pytest

from spacemission_env.cli import app
from spacemission_env.core.batch_template import REQUIRED, bind_batch
from spacemission_env.core.compiling import make_njit
from spacemission_env.core.errors import SetupError
from spacemission_env.core.game_spec import game_names
from spacemission_env.core.reading import Json
from spacemission_env.games.kuhn_poker import BATCH, CARD_NAMES, OBSERVATION, SPEC, Game
from spacemission_env.testing import check_game, knowledge, parity
from tests.support.command_line import run, run_in_process

FEW_DEALS = 200  # compared with a world each: a planted fault shows in fewer than a small leaning of a world
LARGE_GAMES = sorted(set(game_names()) - {"kuhn_poker"})


@pytest.mark.parametrize(
    "game", ["kuhn_poker", *(pytest.param(name, marks=pytest.mark.slow) for name in LARGE_GAMES)]
)
def test_the_installed_games_have_no_faults(game: str) -> None:
    # The large games are slow without the JIT; other tests compare them with and without it.
    assert check_game(game, games=3, jit=game == "kuhn_poker") == []


def test_other_options_are_checked_too() -> None:
    assert check_game("kuhn_poker", rules="ante=3", games=3) == []


# ---------------------------------------------------------------- faulty batch functions

SCORES, VIEWS, VIEW = BATCH.scores_batch, BATCH.view_batch, BATCH.view_one
WORLD, KEYS = BATCH.determinize_one, BATCH.keys_batch


@make_njit()
def write_three(out):
    """With two players, the third number is outside the array."""
    for n in range(len(out)):
        for j in range(3):
            out[n, j, 0] = 0


def scores_outside(states, parameters, index, out):
    wrong = SCORES(states, parameters, index, out)
    if wrong < 0:
        write_three(out)
    return wrong


def scores_without_the_last(states, parameters, index, out):
    whole = out.copy()
    wrong = SCORES(states, parameters, index, whole)
    out[:-1] = whole[:-1]
    return wrong


def views_of_any_index(states, parameters, index, recall, observations, masks):
    return VIEWS(states, parameters, np.clip(index, 0, len(states) - 2), recall, observations, masks)


def view_too_large(states, i, parameters, seat, recall, observation, mask):
    there = VIEW(states, i, parameters, seat, recall, observation, mask)
    observation[SPEC.layout["pot"].start] *= 30
    return there


def view_that_changes(states, i, parameters, seat, recall, observation, mask):
    there = VIEW(states, i, parameters, seat, recall, observation, mask)
    if there:
        states[i]["round_number"] += 1
    return there


def view_of_nothing(states, i, parameters, seat, recall, observation, mask):
    there = VIEW(states, i, parameters, seat, recall, observation, mask)
    observation[:] = 0
    return there


def no_key(states, i, parameters, seat, key):
    key[:] = 0
    return 0 <= i < len(states) and 0 <= seat < states[i]["num_players"]


def wrong_world(states, i, parameters, seat, seed, out):
    there = WORLD(states, i, parameters, seat, seed, out)
    out[0]["cards"][:] = np.roll(out[0]["cards"][:], 1)
    return there


def keys_of_hidden_cards(states, index, keys):
    wrong = KEYS(states, index, keys)
    if wrong < 0:
        keys[:] += states["cards"][index, 0] + 10 * states["cards"][index, 1]
    return wrong


def margins_of_a_half(states, parameters, index, seats, out):
    out[:] = 0.5
    return -1


FAULTS: dict[str, tuple[dict[str, Callable[..., object]], str]] = {
    "outside": ({"scores_batch": scores_outside}, "entry points: batch.scores_batch, 2 players: writes"),
    "unwritten": ({"scores_batch": scores_without_the_last}, "batch.scores_batch, 2 players: leaves"),
    "any index": ({"view_batch": views_of_any_index}, "view_batch, 2 players: expected row 1 for a game"),
    "no result": ({"rewards_batch": lambda *_: None}, "rewards_batch of 'win', 2 players: expected -1"),
    "too large": ({"view_one": view_too_large}, "pot[0] is "),
    "changes": ({"view_one": view_that_changes}, "batch.view_one, 2 players: changes a game that it"),
    "world": ({"determinize_one": wrong_world}, "in a world drawn by determinize"),
    "key": ({"keys_batch": keys_of_hidden_cards}, "its decision key differs in a world drawn by determinize"),
    "hidden move": (
        {"view_one": view_of_nothing, "key_one": no_key},
        "move_seen: reveals to seat 1 which of the moves 0 and 1 was made",
    ),
    "all legal": ({"first_refused": lambda *_: -1}, "the mask says 0, first_refused -1"),
}


@pytest.mark.usefixtures("few_deals")
@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (("go", "G O"), "move_text: actions 0 and 1 are 'go' and 'G O', which are alike"),
        (("go ", "stop"), "move_text of action 0: expected words with a blank between, not 'go '"),
        ((0, "stop"), "move_text of action 0: expected words with a blank between, not 0"),
    ],
)
def test_texts_that_do_not_name_moves_are_found(
    texts: tuple[str, str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Game, "_move_text", lambda self, action: texts[action])
    assert any(said in problem for problem in check_game("kuhn_poker", games=3, seconds=5, jit=False))


@pytest.fixture
def few_deals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(knowledge, "DEALS", FEW_DEALS)


@pytest.mark.usefixtures("few_deals")
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    functions, said = FAULTS[fault]
    for name, function in functions.items():
        monkeypatch.setattr(BATCH, name, function)
    problems = check_game("kuhn_poker", games=3, jit=False)
    assert any(said in problem for problem in problems), problems
    assert all(problem.isprintable() and len(problem) < 300 for problem in problems)


@pytest.mark.parametrize(
    ("functions", "said"),
    [({}, "expected a function 'deal'"), ({"shuffle": len}, "expected no function 'shuffle'")],
)
def test_a_batch_of_other_functions_is_refused(functions: dict[str, Callable[..., int]], said: str) -> None:
    rules = {name: len for name in REQUIRED} if functions else {}
    with pytest.raises(SetupError, match=said):
        bind_batch(
            "a_game", make_njit(), observation=OBSERVATION, action_count=2, max_players=2,
            score_names=("total",), reward_names=("win",), **rules, **functions,
        )  # fmt: skip


# ---------------------------------------------------------------- faulty games and pictures

DRAW, SEEN = SPEC.picture.draw, Game._seen


def drawn_with(text: str) -> Callable[..., str]:
    """A drawing function that adds this text to the document."""
    return lambda view, **options: DRAW(view, **options).replace("</svg>", f"{text}</svg>")


def all_cards(game: Game, seat: int | None) -> Json:
    view = SEEN(game, seat)
    cards = [CARD_NAMES[card] for card in game.states[0].cards[: len(view["seats"])]]
    return view | {"seats": [one | {"card": card} for one, card in zip(view["seats"], cards, strict=True)]}


PATCHES: dict[str, tuple[Mapping[str, Callable[..., object]], str]] = {
    "set-up": (
        {".Game.setup_json": lambda game: {"cards": list("KJQA"[: game.num_players + 1])}},
        "setup_json gives another table",
    ),
    "style": ({"_picture.draw": drawn_with("<style/>")}, "draw: '<style' in the document"),
    "twice": ({"_picture.draw": drawn_with('<g id="pot"/>')}, "draw: the id 'pot' occurs twice"),
    "target": ({"_picture.draw": drawn_with('<g id="a" data-target="b"/>')}, "is not the id 'a'"),
    "alike": (
        {".Game.words": lambda game, action, seat: "acts", "_picture.targets": lambda view, action: ("pot",)},
        "moves 0 and 1 have the same targets",
    ),
    "unmarked": ({"_picture.draw": lambda view, **_: DRAW(view)}, "'choice-bet', a target of a legal move"),
    "numpy": ({".Game._seen": lambda game, seat: {"pot": game.states[0].seed}}, "failed with TypeError"),
    "leak": ({".Game._seen": all_cards}, "differs in a world drawn by determinize"),
}


@pytest.mark.usefixtures("few_deals")
@pytest.mark.parametrize("fault", PATCHES)
def test_a_fault_of_a_game_or_picture_is_found(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    functions, said = PATCHES[fault]
    for where, function in functions.items():
        monkeypatch.setattr(f"spacemission_env.games.kuhn_poker{where}", function)
    problems = check_game("kuhn_poker", games=3, jit=False)
    assert any(said in problem for problem in problems), problems


def test_a_difference_without_the_jit_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BATCH, "margin_batch", margins_of_a_half)  # in this process only
    problems = list(parity.check_parity(SPEC, None, 0, 60.0, [], lambda seconds: None))
    assert problems == ["2 players, seed 0, after 0 decisions: margin differs without the JIT"]


def test_the_command_exits_with_1_if_there_are_problems(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BATCH, "scores_batch", lambda *_: None)
    checked = run_in_process.invoke(app, ["check-game", "kuhn_poker", "--games", "2"])
    assert checked.exit_code == 1
    expected = "entry points: batch.scores_batch, 2 players: expected -1 for games that are there, got None"
    assert checked.stdout.startswith(expected)
    assert "compared: " in checked.stdout and "not tried: more than 2 players: mend these" in checked.stdout
    assert "spacemission: game: expected one of" in run("check-game", "go", status=1).stderr
