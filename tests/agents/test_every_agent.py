"""Every shipped agent of every game: legal, the same alone and in a batch, blind to what is hidden.

`python -m tests.agents.test_every_agent 2000`: so many positions of each agent and number of players.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from spacemission_env.core.agents import Agent, agent_names, make_agent, prepare_agents
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.errors import AgentError
from spacemission_env.core.game_spec import find_game, game_names
from spacemission_env.games.space_mission.options import Rules
from tests.support.agent_games import assert_legal
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
GAMES, LOOKS, EVERY = 9, 12, 9  # games at a time, how often the agent is asked, and after how many steps


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("agents") / "model"
    write_model(folder)
    return folder


def player_counts(game: str) -> range:
    return range(find_game(game).min_players, find_game(game).max_players + 1)


def cases() -> list[object]:
    return [
        pytest.param(game, spec, id=f"{game}-{spec}", marks=() if spec in QUICK else pytest.mark.slow)
        for game, specs in AGENTS.items()
        for spec in specs
    ]


def made(game: str, spec: str, model: Path, games: BatchedGames) -> Agent:
    agent = make_agent(spec.replace(MODEL, str(model)), game)
    prepare_agents([agent], games.info)
    return agent


def walked(games: BatchedGames, seed: int) -> Iterator[np.ndarray]:
    """Play by `greedy` with some random moves; yield the running games, mostly every `EVERY` steps."""
    name = games.spec.name
    walkers = [make_agent(one, name) for one in ("random", "greedy") if one in agent_names(name)]
    for i in range(games.count):
        games.deal(i, seed + i)
    step = 0
    while len(index := np.flatnonzero(~games.over)):
        if step < 4 or step % EVERY == 0:
            yield index
        asked, rows = games.ask(index), np.arange(len(index))
        moves = [walker.act(asked.part(walker, rows)) for walker in walkers]
        games.step(index, np.where(asked.keys % 5 < 2, moves[0], moves[-1]))
        step += 1


def check_contract(game: str, spec: str, model: Path, players: int, looks: int, seed: int = 0) -> None:
    games = BatchedGames(GAMES, players, game=game)
    agent, other = (made(game, spec, model, games) for _ in range(2))
    chosen, apart, looked = set[int](), 0, 0
    while looked < looks:
        for index in walked(games, seed):
            rows = np.arange(len(index))
            asked = games.ask(index).part(agent, rows)
            parts = asked.observations, asked.masks, asked.keys, asked.worlds
            before = [part.tobytes() for part in parts if part is not None]
            moves = agent.act(asked)
            assert moves.shape == rows.shape and np.issubdtype(moves.dtype, np.integer)
            assert_legal(asked.masks, moves)
            assert [part.tobytes() for part in parts if part is not None] == before
            order = np.random.default_rng(looked).permutation(rows)
            assert (other.act(games.ask(index).part(other, order)) == moves[order]).all()
            alone = order[:1]
            assert other.act(games.ask(index).part(other, alone)) == moves[alone]
            if (game, spec) in KEYLESS:
                assert (agent.act(replace(asked, keys=asked.keys + 1)) == moves).all()
            true = games.states.copy()
            for i in index:
                games.states[i] = (
                    games.game(i).determinize(int(true[i]["player"]), 1000 * looked + i).states[0]
                )
            apart += games.states.tobytes() != true.tobytes()
            assert (agent.act(games.ask(index).part(agent, rows)) == moves).all(), "it sees what is hidden"
            games.states[:] = true
            chosen |= set(moves.tolist())
            looked += 1
            if looked == looks:
                break
        seed += GAMES
    if agent.wants_worlds:
        with pytest.raises(AgentError, match="wants sampled worlds, which are not offered here"):
            replace(games.ask(index), draw=None).part(agent, rows)
        with pytest.raises(AgentError, match="worlds"):
            agent.act(replace(asked, worlds=None))
    assert apart >= looked // 2, "hardly any world is another game"
    assert len(chosen) > min(10, games.spec.action_count / 3), "hardly any move is another"


def test_all_agents_are_here() -> None:
    assert set(AGENTS) == set(game_names())
    for game, specs in AGENTS.items():
        assert {spec.partition(":")[0] for spec in specs} | {"policy", "command"} == set(agent_names(game))


@pytest.mark.parametrize(("game", "spec"), cases())
def test_an_agent_is_legal_blind_and_the_same_in_every_batch(game: str, spec: str, model: Path) -> None:
    """SM-73: a move follows from what the seat may know and from the key alone."""
    for players in player_counts(game):
        check_contract(game, spec, model, players, LOOKS)


@pytest.mark.parametrize("spec", QUICK)
@pytest.mark.parametrize(("name", "rules"), VARIANTS, ids=[name for name, _ in VARIANTS])
def test_every_move_of_whole_games_is_legal(spec: str, name: str, rules: Rules, model: Path) -> None:
    """Games end by their rules, with and without memory."""
    for players, observation in ((2, "perfect_recall"), (3, "table"), (5, "perfect_recall")):
        games = BatchedGames(3, players, rules=rules, observation=observation)
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
                for players in player_counts(game):
                    check_contract(game, spec, model, players, -(-count // GAMES), seed=1)
                print(f"{game}, {spec}: as promised in {count} positions", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
