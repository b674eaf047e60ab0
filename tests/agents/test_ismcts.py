"""Search agents: sampled worlds, threads, the tree, the rollout policy."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from spacemission_agents.arena.play import play_games
from spacemission_agents.arena.schedule import round_robin
from spacemission_agents.games.space_mission.search.agent import IsmctsAgent
from spacemission_agents.games.space_mission.search.rollout_policy import new_view, njit, rollout_moves
from spacemission_agents.games.space_mission.search.tree import edge_key
from spacemission_env.core.batched import BatchedGames
from spacemission_env.games.space_mission.game import Game

pytestmark = pytest.mark.slow


def positions(players: int, count: int, seed: int) -> list[Game]:
    """Positions of random games with few top-ups."""
    rng = np.random.default_rng(seed)
    found: list[Game] = []
    while len(found) < count:
        game = Game(players)
        game.reset(int(rng.integers(2**40)))
        while not game.over and len(found) < count:
            if rng.random() < 0.25:
                found.append(game.clone())
            legal = [a for a in game.legal_actions() if a >= 32] or game.legal_actions()
            game.step(int(rng.choice(legal)))
    return found


def test_the_world_handed_over_is_not_the_true_state() -> None:
    game = positions(3, 20, seed=1)[-1]
    part = game.ask().part(IsmctsAgent("1"), np.arange(1))
    assert part.draw is None
    assert part.worlds is not None
    assert part.worlds.tobytes() != game.states.tobytes()
    seat = int(game.states[0].player)
    assert (part.worlds[0]["hand"][seat] == game.states[0]["hand"][seat]).all()


def test_moves_do_not_depend_on_threads() -> None:
    one, two = IsmctsAgent("60", threads=1), IsmctsAgent("60", threads=2)
    games = BatchedGames(6, 2)
    for i in range(6):
        games.deal(i, i)
    part = games.ask(games.everyone).part(one, np.arange(6))
    assert two.act(part).tolist() == one.act(part).tolist()


def test_trees_of_one_decision_are_summed() -> None:
    game = positions(2, 5, seed=9)[-1]
    asked = game.ask(7)
    for simulations, trees in ((50, 1), (50, 3)):
        agent = IsmctsAgent(f"{simulations}x{trees}")
        visits = agent.visits(asked.part(agent, np.arange(1)))[0]
        assert visits.sum() == simulations * trees
        assert (visits[game.mask() == 0] == 0).all()


def test_more_simulations_and_stronger_than_greedy() -> None:
    lineups, seeds = round_robin(2, 2, 60, 11)
    results = play_games(["ismcts:100", "greedy"], lineups, seeds, workers=1)
    share = (results.shares * (results.lineups == 0)).sum() / len(seeds)
    assert share > 0.65, share


def test_own_moves_are_told_apart_by_cards_and_those_of_others_by_the_table() -> None:
    game = Game(2)
    game.reset(5)
    s = game.states[0]
    own: dict[int, set[str]] = {}
    others: dict[int, set[tuple[object, ...]]] = {}
    for action in game.legal_actions():
        move = game._named(action)
        own.setdefault(int(edge_key(s, action, True)), set()).add(game.move_text(action))
        table = (move.kind, move.target, len(move.cards))
        others.setdefault(int(edge_key(s, action, False)), set()).add(table)
    assert len(own) == len(game.legal_actions())
    assert all(len(moves) == 1 for moves in others.values())
    assert len(others) == len({next(iter(moves)) for moves in others.values()}) < len(own)


@njit
def list_moves(states: np.ndarray, boxes: np.ndarray, views: np.ndarray, actions: np.ndarray) -> int:
    return rollout_moves(states[0], boxes[0], views[0], True, actions, np.zeros(128))


@pytest.mark.parametrize("players", [2, 4])
def test_the_rollout_policy_knows_all_legal_moves(players: int) -> None:
    """With all sets of discards it lists exactly the legal moves."""
    views = new_view()
    for game in positions(players, 150, seed=21):
        actions = np.zeros(128, np.int64)
        count = list_moves(game.states, game.parameters, views, actions)
        assert sorted(actions[:count].tolist()) == game.legal_actions()


def test_plays_alike_without_the_jit() -> None:
    """A tiny search runs without the JIT."""
    code = (
        "from spacemission_env import make_agent\nfrom spacemission_env.core.agents import act_alone\n"
        "from spacemission_env.games.space_mission.game import Game\n"
        "g = Game(2); g.reset(4); a = make_agent('ismcts:3')\n"
        "for _ in range(12):\n    g.step(int(act_alone(a, g.ask())[0]))\n"
        "print(g.states['decisions'], g.observe(0).sum(), g.observe(1).sum())\n"
    )
    said = []
    for jit in ("0", "1"):
        env = {**os.environ, "NUMBA_DISABLE_JIT": jit}
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env)
        assert run.returncode == 0, run.stderr
        said.append(run.stdout)
    assert said[0] == said[1]
