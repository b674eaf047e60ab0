"""OpenSpiel accepts every game, plays our games move by move, and its algorithms run on them.

`python -m tests.env.test_openspiel [GAMES]` plays a given number of games through the adapter and compares
each position with our own game.
"""

import copy
import pickle
import random
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pyspiel = pytest.importorskip("pyspiel")

from open_spiel.python import policy  # noqa: E402
from open_spiel.python.algorithms import cfr, exploitability, generate_playthrough, ismcts, mcts  # noqa: E402
from open_spiel.python.bots import uniform_random  # noqa: E402
from open_spiel.python.observation import make_observation  # noqa: E402

import spacemission_env.openspiel  # noqa: E402
from spacemission_env.core.errors import IllegalActionError, SpaceMissionError  # noqa: E402
from spacemission_env.core.game import make_game  # noqa: E402
from spacemission_env.core.game_spec import find_game  # noqa: E402
from tests.support.pages import blocks  # noqa: E402
from tests.support.paths import ROOT  # noqa: E402

KUHN, SPACE, HEXX = "kuhn_poker", "space_mission", "planet_hexx"
TABLES = [
    (KUHN, 2, "ante=2"),
    (KUHN, 3, ""),
    *((SPACE, players, "max_rounds=3,hand_size=3") for players in (2, 3, 4, 5)),
    *((HEXX, players, "max_turns=2,always_ask=True") for players in (2, 3, 4)),
]
SOME = [*TABLES[:4], *(pytest.param(*table, marks=pytest.mark.slow) for table in TABLES[4:])]


def load(name: str, players: int = 2, options: str = "") -> pyspiel.Game:
    return pyspiel.load_game(f"spacemission_{name}(players={players}{',' * bool(options)}{options})")


def dealt(game: pyspiel.Game, seed: int = 1) -> pyspiel.State:
    state, rng = game.new_initial_state(), random.Random(seed)
    while state.is_chance_node():
        state.apply_action(rng.choice(state.chance_outcomes())[0])
    return state


def played(game: pyspiel.Game, moves: int, seed: int = 1) -> pyspiel.State:
    """A position after some random moves, at a decision or at the end."""
    state, rng = dealt(game, seed), random.Random(seed)
    while not state.is_terminal() and (moves > 0 or state.is_chance_node()):
        moves -= not state.is_chance_node()
        state.apply_action(rng.choice(state.legal_actions()))
    return state


# ---------------------------------------------------------------- what OpenSpiel asks of every game


@pytest.mark.parametrize(
    ("name", "players", "options"),
    [*SOME, *(pytest.param(game, 2, "", marks=pytest.mark.slow) for game in (SPACE, HEXX))],
)
def test_openspiels_own_test_passes(name: str, players: int, options: str) -> None:
    """Its bots of random moves play, and each state is serialised; whole games are not, for their length."""
    pyspiel.random_sim_test(load(name, players, options), 20 if name == KUHN else 1, bool(options), False)


def compare(name: str, players: int, options: str, seed: int) -> int:
    """Play a game through the adapter and beside it our own, with the same chance; return the moves made."""
    rng, state = random.Random(f"{name}{players}{seed}"), load(name, players, options).new_initial_state()
    game, tape, pending = make_game(name, players, options or None), [], None
    moves = 0
    while not state.is_terminal():
        if state.is_chance_node():
            there = state.chance_outcomes()
            if pending is not None or not moves:
                assert there == game.chance_outcomes(pending, tape)
            tape.append(rng.choice(there)[0])
            state.apply_action(tape[-1])
        else:
            pending = rng.choice(state.legal_actions())
            state.apply_action(pending)
        if state.is_chance_node():
            continue
        if pending is None:
            game.reset(0, chance=tape)
        else:
            game.step(pending, chance=tape)
        tape, moves = [], moves + 1
        assert state.node.states.tobytes() == game.states.tobytes(), (name, players, seed, moves)
        assert state.legal_actions() == game.legal_actions()
        assert state.is_terminal() == game.over
        if not game.over:
            assert state.current_player() == game.player
            assert (state.information_state_tensor() == game.observe()).all()
    mode = state.get_game().get_parameters()["reward"]
    assert state.returns() == list(game.rewards(mode))
    return moves


@pytest.mark.parametrize(("name", "players", "options"), SOME)
def test_games_equal_our_own_move_by_move(name: str, players: int, options: str) -> None:
    for seed in range(3):
        assert compare(name, players, options, seed) > 2


@pytest.mark.parametrize(("name", "players", "options"), TABLES)
def test_sizes_and_bounds(name: str, players: int, options: str) -> None:
    game = load(name, players, options)
    spec = spacemission_env.openspiel.Table(name, players, options, "", "win").spec
    assert game.num_players() == players
    assert game.num_distinct_actions() == spec.action_count
    assert game.information_state_tensor_size() == game.observation_tensor_size() == spec.observation_size
    assert game.utility_sum() == 0 and game.min_utility() < 0 < game.max_utility()
    assert load(name, players, "reward=win").min_utility() == -1


def test_a_reward_that_does_not_add_up_has_no_sum() -> None:
    game = load(SPACE, 3, "reward=score_margin")
    assert game.utility_sum() is None
    assert game.get_type().utility == pyspiel.GameType.Utility.GENERAL_SUM


@pytest.mark.parametrize("name", [KUHN, SPACE])
def test_pieces_of_the_layout_by_name(name: str) -> None:
    game = load(name)
    state, layout = played(game, 2), make_game(name).spec.layout
    for recall in (False, True):
        seen = make_observation(game, pyspiel.IIGObservationType(perfect_recall=recall))
        seen.set_from(state, 1)
        own = make_game(name, 2, None, None, "perfect_recall" if recall else "table")
        own.states = state.node.states
        assert (seen.tensor == own.observe(1)).all()
        for piece in layout.values():
            assert (seen.dict[piece.name] == own.observe(1)[piece.slice].reshape(piece.shape)).all()


@pytest.mark.parametrize("name", [KUHN, SPACE])
def test_structs(name: str) -> None:
    state = played(load(name), 1)
    game = state.node.game
    assert state.to_observation_struct(0).to_dict() == game.seat_json(0)
    assert [seat["seat"] for seat in state.to_struct().to_dict()["seats"]] == [0, 1]
    for action in state.legal_actions():
        told = state.action_to_struct(action)
        assert told.to_dict() == {"action": action, "move": game.move_text(action)}
        assert state.action_to_string(action) == game.move_text(action)
        assert state.string_to_action(game.move_text(action)) == action
        assert state.struct_to_actions(told) == [action]


# ---------------------------------------------------------------- states


def place(state: Any) -> tuple[object, ...]:
    """Where a state is in the tree."""
    node = state.node
    return node.states.tobytes(), node.action, node.tape, node.size


@pytest.mark.parametrize("name", [KUHN, SPACE, HEXX])
def test_copies_and_pickles_are_equal(name: str) -> None:
    ways = copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))
    game = load(name, 3, "reward=win")
    state, seen = played(game, 2), make_observation(game, pyspiel.IIGObservationType(perfect_recall=True))
    seen.set_from(state, 1)
    for way in ways:
        assert way(game) == game == pyspiel.load_game(str(game)) and type(way(game)) is type(game)
        assert way(game.get_type()) == game.get_type()
        other = way(state) if way is not copy.copy else state.clone()
        before = str(state), state.history()
        assert place(other) == place(state) and (str(other), other.history()) == before
        if not other.is_terminal():
            other.apply_action(other.legal_actions()[0])
            assert (str(state), state.history()) == before != (str(other), other.history())
        again = way(seen)
        assert (again.tensor == seen.tensor).all() and again.tensor is not seen.tensor
        again.set_from(state, 0)  # the pieces are still views of the tensor
        assert (np.concatenate([piece.ravel() for piece in again.dict.values()]) == again.tensor).all()
        assert not (again.tensor == seen.tensor).all()


def test_a_state_in_the_middle_of_a_deal_can_be_pickled() -> None:
    chance = load(KUHN).new_initial_state()
    chance.apply_action(1)
    assert str(pickle.loads(pickle.dumps(chance))) == str(chance) and str(chance).startswith("deal")


def test_a_game_with_a_box_in_a_file_can_be_pickled(tmp_path: Path) -> None:
    file = tmp_path / "a,(b)=c.toml"
    shutil.copy(ROOT / "spacemission_env/games/space_mission/data/default.toml", file)
    game = pyspiel.load_game("spacemission_space_mission", {"components": str(file)})
    code = "import pickle, sys; print(pickle.load(sys.stdin.buffer).get_parameters()['components'])"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, input=pickle.dumps(game), capture_output=True
    )
    assert done.stdout.decode().strip() == str(file), done.stderr


@pytest.mark.parametrize(
    "name", [KUHN, *(pytest.param(name, marks=pytest.mark.slow) for name in (SPACE, HEXX))]
)
def test_their_playthrough_is_made(name: str) -> None:
    text = generate_playthrough.playthrough(f"spacemission_{name}", None, seed=1)
    first = next(iter(find_game(name).layout))
    assert "IsTerminal() = True" in text and f"InformationStateTensor(0).{first}" in text


def test_a_clone_copies_nothing() -> None:
    state = dealt(load(SPACE))
    assert state.clone().node is state.node


# ---------------------------------------------------------------- OpenSpiel's algorithms


@pytest.mark.parametrize("players", [2, 3])
def test_nash_conv_equals_that_of_openspiels_kuhn_poker(players: int) -> None:
    ours, theirs = load(KUHN, players), pyspiel.load_game(f"kuhn_poker(players={players})")
    values = [exploitability.nash_conv(game, policy.UniformRandomPolicy(game)) for game in (ours, theirs)]
    assert values[0] == pytest.approx(values[1], abs=1e-9)


def test_cfr_comes_near_the_equilibrium() -> None:
    game = load(KUHN)
    solver = cfr.CFRSolver(game)
    for _ in range(50):
        solver.evaluate_and_update_policy()
    assert exploitability.exploitability(game, solver.average_policy()) < 0.05


def searchers(game: pyspiel.Game) -> list[pyspiel.Bot]:
    evaluator = mcts.RandomRolloutEvaluator(1, np.random.RandomState(1))
    searching = ismcts.ISMCTSBot(
        game=game, uct_c=2, evaluator=evaluator, max_simulations=4, random_state=np.random.RandomState(2)
    )
    cheating = mcts.MCTSBot(game, 2, 4, evaluator, random_state=np.random.RandomState(3))
    return [searching, cheating, uniform_random.UniformRandomBot(0, np.random.RandomState(4))]


@pytest.mark.parametrize(("name", "options"), [(KUHN, ""), (SPACE, "max_rounds=1,actions_per_turn=1")])
def test_bots_move(name: str, options: str) -> None:
    game = load(name, 2, options)
    for bot in searchers(game):
        state = dealt(game)
        while state.current_player() != 0:
            state = dealt(game, state.current_player() + random.Random(len(state.history())).randrange(99))
        assert bot.step(state) in state.legal_actions()


# ---------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ("players=9", "num_players: expected 2 to 5, not 9"),
        ("preset=nonsense", "rules: unknown preset 'nonsense'"),
        ("hand_size=99", "rules: hand_size: expected a whole number from 1 to 5, not 99"),
        ("reward=fame", "reward: expected one of win, rank, score_margin, not 'fame'"),
        ("components=/no/such/file", "/no/such/file"),
        ("colour=red", "Unknown parameter 'colour'"),
        ("hand_size=five", "Wrong type for parameter hand_size"),
    ],
)
def test_bad_parameters_are_refused_in_one_line(parameters: str, words: str) -> None:
    with pytest.raises((SpaceMissionError, pyspiel.SpielError)) as refused:
        pyspiel.load_game(f"spacemission_space_mission({parameters})")
    assert words in str(refused.value) and len(str(refused.value).splitlines()) == 1


def test_bad_moves_are_refused() -> None:
    game = load(SPACE)
    state = dealt(game)
    before = state.node
    illegal = next(a for a in range(game.num_distinct_actions()) if a not in state.legal_actions())
    with pytest.raises(IllegalActionError):
        state.apply_action(illegal)
    assert state.node is before
    start = game.new_initial_state()
    with pytest.raises(SpaceMissionError, match="chance: outcome 0: expected 0 to 11, not 12"):
        start.apply_action(12)
    with pytest.raises(SpaceMissionError, match="chance node"):
        start.resample_from_infostate(0, random.random)
    with pytest.raises(SpaceMissionError, match="observer"):
        game.make_py_observer(None, {"colour": "red"})
    assert game.make_py_observer(pyspiel.IIGObservationType(perfect_recall=True, public_info=False)) is None


def test_without_openspiel_the_extra_is_named() -> None:
    code = "import sys; sys.modules['pyspiel'] = None; import spacemission_env.openspiel"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stderr.strip().endswith("OpenSpiel is needed: pip install 'spacemission-env[openspiel]'")
    command = "import sys; sys.modules['pyspiel'] = None; from spacemission_env.cli import main; main()"
    arguments = [sys.executable, "-c", command, "leaktest", "openspiel:kuhn_poker"]
    done = subprocess.run(arguments, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == "spacemission: OpenSpiel is needed: pip install 'spacemission-env[openspiel]'\n"


def test_the_process_ends_without_an_error() -> None:
    code = "import spacemission_env.openspiel, pyspiel; pyspiel.load_game('spacemission_kuhn_poker')"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == ""


def test_the_examples_of_the_page_run(capsys: pytest.CaptureFixture[str]) -> None:
    for block in blocks("docs/openspiel.md"):
        exec(block, {})
    printed = capsys.readouterr().out
    assert printed.startswith("2.06") and "[(3, 0), (2, 1)]" in printed


def main(games: int = 1000) -> None:
    """Compare games of all tables; print how many moves were equal."""
    moves: Counter[str] = Counter()
    for number in range(games):
        name, players, options = TABLES[number % len(TABLES)]
        moves[f"{name}, {players} players"] += compare(name, players, options, number)
    print(f"{games} games, every position is equal; moves: {dict(moves)}")


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
