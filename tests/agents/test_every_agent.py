"""Every shipped agent of every game: legal, the same alone and in a batch, blind to what is hidden.

`python -m tests.agents.test_every_agent 2000`: so many positions of each agent and number of players.
"""

import re
import sys
import tempfile
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from spacemission_env.core.agents import Agent, Decisions, agent_names, make_agent, prepare_agents
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.errors import AgentError
from spacemission_env.core.game_spec import find_game, game_names
from spacemission_env.testing.check_agent import GAMES, check_agent, played_positions
from tests.support.command_line import run
from tests.support.models import write_model
from tests.support.random_play import VARIANTS

MODEL = "MODEL"  # in a spec: a network with random weights that reads the observation
AGENTS = {
    "space_mission": (
        "random", "greedy", "heuristic", "policy:MODEL", "policy:MODEL?sample", "policy:default",
        "policy:scratch", "policy:scratch?sample", "ismcts:20", "ismcts:10x2", "ismcts:8?rollouts",
        "ismcts:default:8", "llm:null",
    ),
    "planet_hexx": (
        "random", "greedy", "heuristic", "policy:default", "policy:default?sample", "policy:scratch",
        "ismcts:12", "ismcts:6x2", "ismcts:default:6", "ismcts:8?rollouts", "llm:null",
    ),
    "kuhn_poker": ("random", "ismcts:20", "ismcts:10x2?rollouts", "llm:null"),
}  # fmt: skip
QUICK = ("random", "greedy", "heuristic", "policy:MODEL", "policy:MODEL?sample")
KEYLESS = [("space_mission", "greedy"), ("space_mission", "heuristic")]  # draw nothing from the key
LOOKS = 12  # how often each agent is asked about `GAMES` games, for each number of players


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("agents") / "model"
    write_model(folder)
    return folder


def cases() -> list[object]:
    return [
        pytest.param(game, spec, id=f"{game}-{spec}", marks=() if spec in QUICK else pytest.mark.slow)
        for game, specs in AGENTS.items()
        for spec in specs
    ]


class Peeking(Agent):
    """Plays by the cards of the true game."""

    needs = {"observations", "games"}

    def act(self, decisions: Decisions) -> np.ndarray:
        assert decisions.games is not None
        seeds = [hash(decisions.games(row).states.tobytes()) for row in range(len(decisions))]
        return np.array(
            [legal[seed % len(legal)] for seed, legal in zip(seeds, legal_moves(decisions), strict=True)]
        )


class Remembering(Agent):
    """Plays another move each time."""

    asked = 0

    def act(self, decisions: Decisions) -> np.ndarray:
        self.asked += 1
        return np.array([legal[self.asked % len(legal)] for legal in legal_moves(decisions)])


class Neighbour(Agent):
    """Plays by its place in the batch."""

    def act(self, decisions: Decisions) -> np.ndarray:
        return np.array([legal[row % len(legal)] for row, legal in enumerate(legal_moves(decisions))])


class Illegal(Agent):
    def act(self, decisions: Decisions) -> np.ndarray:
        return decisions.masks.argmin(1)


class Floats(Agent):
    def act(self, decisions: Decisions) -> np.ndarray:
        return decisions.masks.argmax(1) + 0.0


class Changing(Agent):
    def act(self, decisions: Decisions) -> np.ndarray:
        moves = decisions.masks.argmax(1)
        decisions.masks[:] = 0
        return moves


class Raising(Agent):
    def act(self, decisions: Decisions) -> np.ndarray:
        raise RuntimeError("no idea")


def legal_moves(decisions: Decisions) -> list[np.ndarray]:
    return [np.flatnonzero(mask) for mask in decisions.masks]


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        (Peeking, "in a game that its seat cannot tell from this one"),
        (Remembering, "in another order of the batch|alone|when asked again after other games"),
        (Neighbour, "in another order of the batch"),
        (Illegal, r"2 players: action \d+ is not legal"),
        (Floats, "act: expected 9 integers, got float64"),
        (Changing, "it changed the arrays"),
        (Raising, "RuntimeError: no idea"),
    ],
)
def test_check_agent_names_the_fault(agent: type[Agent], words: str) -> None:
    problems = check_agent(agent(), players=2, positions=60)
    assert problems and all(problem.isprintable() for problem in problems)
    assert any(re.search(words, problem) for problem in problems), problems


def test_check_agent_passes_a_sound_function_and_the_command_says_so() -> None:
    assert (
        check_agent(lambda observation, mask, rng: int(rng.choice(np.flatnonzero(mask))), "kuhn_poker") == []
    )
    assert "greedy: no problems in 9 positions" in run("check-agent", "greedy", "--positions", "9").stdout


def test_all_agents_are_here() -> None:
    assert set(AGENTS) == set(game_names())
    for game, specs in AGENTS.items():
        assert {spec.partition(":")[0] for spec in specs} | {"policy", "command"} == set(agent_names(game))


@pytest.mark.parametrize(("game", "spec"), cases())
def test_an_agent_is_legal_blind_and_the_same_in_every_batch(game: str, spec: str, model: Path) -> None:
    """SM-73: a move follows from what the seat may know and from the key alone."""
    assert check_agent(spec.replace(MODEL, str(model)), game, positions=LOOKS * GAMES) == []


@pytest.mark.parametrize(("game", "spec"), cases())
def test_an_agent_is_asked_about_different_positions_and_worlds(game: str, spec: str, model: Path) -> None:
    """What the test above compares is worth comparing, and no agent is asked without what it wants."""
    for players in range(find_game(game).min_players, find_game(game).max_players + 1):
        games = BatchedGames(GAMES, players, game=game)
        agent = make_agent(spec.replace(MODEL, str(model)), game)
        prepare_agents([agent], games.info)
        chosen, apart = set[int](), 0
        for index in islice(played_positions(games, 0), LOOKS):
            rows = np.arange(len(index))
            asked = games.ask(index).part(agent, rows)
            moves = agent.act(asked)
            chosen |= set(moves.tolist())
            if (game, spec) in KEYLESS:
                assert (agent.act(replace(asked, keys=asked.keys + 1)) == moves).all()
            twins = [games.game(i).determinize(int(games.players[i]), i).states[0] for i in index]
            apart += any(twin != games.states[i] for twin, i in zip(twins, index, strict=True))
        assert apart >= LOOKS // 2, "hardly any world is another game"
        assert len(chosen) > min(10, games.spec.action_count / 3), "hardly any move is another"
        if "worlds" in agent.needs:
            with pytest.raises(AgentError, match="wants sampled worlds, which are not offered here"):
                replace(games.ask(index), draw=None).part(agent, rows)
            with pytest.raises(AgentError, match="worlds"):
                agent.act(replace(asked, worlds=None))


@pytest.mark.parametrize("spec", QUICK)
@pytest.mark.parametrize("number", range(len(VARIANTS)), ids=[name for name, _ in VARIANTS])
def test_every_move_of_whole_games_is_legal(spec: str, number: int, model: Path) -> None:
    """Games end by their rules, with and without memory."""
    tables = (2, "perfect_recall"), (3, "table"), (5, "perfect_recall")
    players, observation = tables[(number + QUICK.index(spec)) % len(tables)]
    games = BatchedGames(3, players, rules=VARIANTS[number][1], observation=observation)
    agent = make_agent(spec.replace(MODEL, str(model)))
    for i in range(3):
        games.deal(i, i)
    while len(index := np.flatnonzero(~games.over)):
        games.step(index, agent.act(games.ask(index)))  # refuses an illegal move


def main(count: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "model"
        write_model(model)
        for game, specs in AGENTS.items():
            for spec in specs:
                assert check_agent(spec.replace(MODEL, str(model)), game, positions=count, seed=1) == []
                print(f"{game}, {spec}: as promised in {count} positions", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
