"""The interface of agents: answers, failures, worlds, functions as agents; seeds of vector environments."""

import inspect
from collections.abc import Callable
from functools import partial
from pathlib import Path

import gymnasium
import numpy as np
import pytest

from spacemission_env import Agent, Game, act_alone, make_agent, space_mission_v0
from spacemission_env.core.agents import Decisions, FunctionAgent, GameInfo
from spacemission_env.core.errors import AgentError, SetupError
from spacemission_env.core.reading import Json
from spacemission_env.records.reader import replay_file

WRONG_ANSWERS = [3.7, 3.0, np.float32(2), None, "3", True, np.array([3]), np.array(3.7)]


class Says(Agent):
    """Always answers `value`."""

    value: object = None

    def choose(self, observation: np.ndarray, mask: np.ndarray, rng: np.random.Generator) -> object:
        return self.value


class SaysInBatches(Agent):
    """Answers `value` for each row."""

    value: object = 3.7

    def act(self, decisions: Decisions) -> np.ndarray:
        return np.array([self.value] * len(decisions))


class Broken(Agent):
    """Fails at its first decision."""

    def choose(self, observation: np.ndarray, mask: np.ndarray, rng: np.random.Generator) -> int:
        return int(np.array([1, 2]).reshape(3)[0])


def first_legal(observation: np.ndarray, mask: np.ndarray, rng: np.random.Generator) -> int:
    return int(np.flatnonzero(mask)[0])


def asked(seed: int = 1) -> Decisions:
    game = Game(2)
    game.reset(seed)
    return game.ask()


def one_line(refused: pytest.ExceptionInfo[BaseException]) -> str:
    text = str(refused.value)
    assert "\n" not in text
    return text


# ------------------------------------------------------------ answers


@pytest.mark.parametrize("value", WRONG_ANSWERS, ids=repr)
def test_an_answer_that_is_no_integer_is_refused_with_class_and_value(value: object) -> None:
    agent = Says()
    agent.value = value
    with pytest.raises(AgentError, match="'Says': choose: expected an integer, got") as refused:
        act_alone(agent, asked())
    assert repr(value) in one_line(refused)


@pytest.mark.parametrize("value", [3, np.int8(3), np.uint64(3), np.array(3)])
def test_integers_of_python_and_numpy_are_answers(value: object) -> None:
    agent = Says()
    agent.value = value
    actions = act_alone(agent, asked())
    assert actions.tolist() == [3] and actions.dtype == np.int64


ANSWERS = [[3.7], [[1]], 3, None, [True], ["1"], [1, 2]]


@pytest.mark.parametrize("given", ANSWERS, ids=map(str, ANSWERS))
def test_batches_of_answers_are_looked_at_too(given: object) -> None:
    agent = Says()
    agent.act = lambda decisions: given  # type: ignore[method-assign]
    with pytest.raises(AgentError, match="agent 'Says': act: expected 1 integer, got"):
        act_alone(agent, asked())


@pytest.mark.parametrize("agent", [Says, SaysInBatches], ids=lambda one: one.__name__)
def test_every_way_in_refuses_and_names_the_agent(
    agent: type[Agent], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agent, "value", 3.7)
    ways: list[Callable[[], object]] = [
        lambda: gymnasium.make("SpaceMission-v0", opponents=agent(), seat=1).reset(seed=1),
        lambda: gymnasium.make_vec(
            "SpaceMission-v0", 2, vectorization_mode="vector_entry_point", opponents=agent(), seat=1
        ).reset(seed=1),
        lambda: act_alone(agent(), asked()),
    ]
    for way in ways:
        with pytest.raises(AgentError, match=rf"'{agent.__name__}': .*(3\.7|float64)") as refused:
            way()
        one_line(refused)


# ------------------------------------------------------------ seeds of the vector environment


def vector(**options: object) -> gymnasium.vector.VectorEnv:
    return gymnasium.make_vec("SpaceMission-v0", 2, vectorization_mode="vector_entry_point", **options)


@pytest.mark.parametrize("kind", [np.int64, np.uint32])
def test_seeds_may_come_in_an_array(kind: object) -> None:
    env = vector()
    given, _ = env.reset(seed=np.array([5, 9], kind))
    listed, _ = env.reset(seed=[5, 9])
    assert np.array_equal(given, listed)


# ------------------------------------------------------------ where a bot failed


def line_of(function: Callable[..., object], words: str) -> str:
    lines, first = inspect.getsourcelines(function)
    return f"{Path(__file__).name}:{first + next(i for i, line in enumerate(lines) if words in line)}"


def test_a_bot_that_fails_is_reported_with_file_and_line() -> None:
    with pytest.raises(AgentError) as refused:
        act_alone(Broken(), asked())
    # a line of the bot, not of numpy
    assert one_line(refused).endswith(f" ({line_of(Broken.choose, 'reshape')})")
    assert "agent 'Broken': failed with ValueError: cannot reshape" in str(refused.value)
    assert isinstance(refused.value.__cause__, ValueError)  # the traceback is kept


BOT = """from spacemission_env import Agent
{top}

class Bot(Agent):
    def __init__(self, parameter=None):
        helper()

def helper():
    return 1 / 0
"""


@pytest.mark.parametrize(
    ("top", "place"), [("", r"ZeroDivisionError: division by zero \(.*_bot.py:9\)"), ("x = {}['a']", ":2\\)")]
)
def test_a_module_that_fails_names_its_line(
    top: str, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"failing_{len(top)}_bot"
    (tmp_path / f"{name}.py").write_text(BOT.format(top=top))
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(AgentError, match=place) as refused:
        make_agent(f"{name}:Bot")
    one_line(refused)


# ------------------------------------------------------------ worlds, single agents, functions


class Looker(Agent):
    """Stores its worlds and plays each to its end."""

    needs = {"observations", "worlds"}

    def __init__(self) -> None:
        super().__init__()
        self.worlds: list[Game] = []

    def choose_with_world(
        self, observation: np.ndarray, mask: np.ndarray, rng: np.random.Generator, world: Game
    ) -> int:
        self.worlds.append(world.clone())
        assert np.array_equal(world.observe(), observation) and np.array_equal(world.mask(), mask)
        while not world.over:
            world.step(int(rng.choice(world.legal_actions())))
        return int(np.flatnonzero(mask)[0])


@pytest.mark.parametrize("options", [{}, {"rules": {"chips_per_player": 7}, "observation": "table"}])
def test_an_agent_gets_its_world_as_a_game(options: Json) -> None:
    game, looker = Game(3, **options), Looker()
    game.reset(4)
    for _ in range(6):
        game.step(game.legal_actions()[-1])
    before = game.states.tobytes()
    assert looker.play(game) == game.legal_actions()[0]
    (world,) = looker.worlds
    assert game.states.tobytes() == before
    assert world.rules == game.rules and world.parameters.tobytes() == game.parameters.tobytes()
    assert world.player == game.player
    seat = game.player
    assert world.information_state_key(seat) == game.information_state_key(seat)
    others = [s for s in range(3) if s != seat]
    assert any(world.information_state_key(s) != game.information_state_key(s) for s in others)


def test_worlds_come_in_batches_and_front_ends_too() -> None:
    looker = Looker()
    env = vector(num_players=2, opponents=looker, seat=1, rules={"max_rounds": 3})
    env.reset(seed=3)
    assert len(looker.worlds) >= 2
    assert {world.num_players for world in looker.worlds} == {2}


def test_worlds_that_are_not_asked_for_or_not_told_are_one_line() -> None:
    class Unasked(Looker):
        needs = {"observations"}

    with pytest.raises(AgentError, match="'Unasked': choose_with_world: expected 'worlds' in needs"):
        act_alone(Unasked(), asked())
    with pytest.raises(AgentError, match="'Looker': has not been told the game"):
        act_alone(Looker(), asked())


@pytest.mark.parametrize("spec", ["greedy", pytest.param("ismcts:5", marks=pytest.mark.slow)])
def test_any_agent_plays_in_an_aec_loop(spec: str) -> None:
    env, agent = space_mission_v0.env(num_players=2, rules={"max_rounds": 4}), make_agent(spec)
    env.reset(seed=2)
    game = env.unwrapped.game
    for _ in env.agent_iter():
        _, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            env.step(None)
            continue
        action = agent.play(game)
        assert action == int(act_alone(agent, game.ask())[0])  # the move that it plays everywhere
        env.step(action)
    assert game.over
    with pytest.raises(SetupError, match="play: the game is over"):
        agent.play(game)
    with pytest.raises(SetupError, match="play: the game is not reset yet"):
        agent.play(Game(2))


def test_play_tells_the_agent_the_game_once_and_again_where_it_changes() -> None:
    class Told(Agent):
        def __init__(self) -> None:
            super().__init__()
            self.told: list[int] = []

        def prepare(self, info: GameInfo) -> None:
            self.told.append(info.num_players)

        def choose(self, observation: np.ndarray, mask: np.ndarray, rng: np.random.Generator) -> int:
            return first_legal(observation, mask, rng)

    agent = Told()
    for players in (2, 2, 3):
        game = Game(players)
        game.reset(1)
        agent.play(game)
        agent.play(game)
    assert agent.told == [2, 3]


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (first_legal, "first_legal"),
        (lambda observation, mask, rng: int(rng.choice(np.flatnonzero(mask))), "<lambda>"),
        (partial(first_legal), "first_legal"),
    ],
)
def test_functions_are_opponents_and_named_in_records(
    function: Callable[..., int], name: str, tmp_path: Path
) -> None:
    file, options = tmp_path / "games.jsonl", {"num_players": 3, "rules": {"max_rounds": 3}, "seat": 1}
    env = gymnasium.make("SpaceMission-v0", opponents=function, record=str(file), **options)
    _, info = env.reset(seed=3)
    over = False
    while not over:
        _, _, terminated, truncated, info = env.step(int(np.flatnonzero(info["action_mask"])[0]))
        over = terminated or truncated
    env.close()
    (game,) = replay_file(file)
    assert game.agents == [name, "learner", name]
    many = vector(opponents=[function, "random"], **options)
    _, infos = many.reset(seed=3)
    assert infos["action_mask"].any(axis=1).all()  # the function has played where it is before the learner


def test_functions_are_agents() -> None:
    agent = make_agent(first_legal)
    assert isinstance(agent, FunctionAgent) and act_alone(agent, asked()).tolist() == [0]
    with pytest.raises(AgentError, match=r"agent '<lambda>': failed with TypeError: .*positional argument"):
        act_alone(make_agent(lambda mask: 0), asked())
