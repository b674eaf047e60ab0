"""Tests that potential-based shaping keeps optimal play, and that a final lead changes it (docs/shaping.md).

In the real game, the shaping rewards telescope. In toy games, exact dynamic programming uses the rewards that
`SelfPlayVecEnv` pays, one for each deal, position and move.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pytest

from spacemission_env.core.agents import Agent, Decisions, make_agent
from spacemission_env.games.space_mission.engine.constants import TOTAL
from spacemission_train.self_play.league import Pool
from spacemission_train.self_play.table import GameTable
from spacemission_train.self_play.vec_env import SelfPlayVecEnv
from spacemission_train.settings.settings import Form
from tests.support.toy_games import TablePlayers, Tree, TreeTable, kuhn, random_tree, uniform

SHAPING = 0.5

# ------------------------------------------------------------ the game itself

PLACES = 6


class Shaped(NamedTuple):
    """The effect of shaping on one game of the learner."""

    extras: list[float]  # by its steps, what is added to the reward
    leads: list[float]  # at its decisions
    final: float  # the lead at the end


def real_env(num_players: int, shaping: float, **options: Any) -> SelfPlayVecEnv:
    table = GameTable(PLACES, num_players, "printed,max_rounds=30", reward="score_margin")
    return SelfPlayVecEnv(table, Pool({"greedy": 1.0}, Form()), seed=11, shaping=shaping, **options)


def lead_of(env: SelfPlayVecEnv, i: int) -> float:
    """The learner's lead in game i by `Game.scores`, not by the kernel that shaping calls."""
    totals = env.table.game(i).scores()[: env.table.num_players, TOTAL].astype(float)
    seat = env.seating.seat[i]
    return float(totals[seat] - np.delete(totals, seat).max()) / 100


def shaped_games(num_players: int, learner: Agent, steps: int, **options: Any) -> list[Shaped]:
    """Play the same games with and without shaping; the finished games."""
    bare, shaped = real_env(num_players, 0.0), real_env(num_players, SHAPING, **options)
    observations = bare.reset()
    assert (shaped.reset() == observations).all()
    running: list[tuple[list[float], list[float]]] = [([], []) for _ in range(PLACES)]
    games = []
    for step in range(steps):
        for i, (_, leads) in enumerate(running):
            leads.append(lead_of(bare, i))
        keys = 1000 * step + np.arange(PLACES)
        actions = learner.act(Decisions(observations, bare.action_masks().copy(), keys))
        observations, rewards, dones, infos = bare.step(actions)
        seen, more, dones_too, _ = shaped.step(actions)
        assert (seen == observations).all() and (dones == dones_too).all()
        for i, (extras, leads) in enumerate(running):
            extras.append(float(more[i]) - float(rewards[i]))
            if dones[i]:
                final = float(infos[i]["rewards"][infos[i]["seat"]])  # score_margin: the lead, by the rules
                games.append(Shaped(extras, leads, final))
                running[i] = ([], [])
    return games


def discounted(numbers: list[float], gamma: float) -> float:
    return float(np.dot(numbers, gamma ** np.arange(len(numbers))))


@pytest.mark.parametrize("num_players", [2, 4])
@pytest.mark.parametrize("gamma", [1.0, 0.9])
@pytest.mark.parametrize("learner", ["random", "greedy"])
def test_what_shaping_adds_is_fixed_by_the_first_decision(
    num_players: int, gamma: float, learner: str
) -> None:
    games = shaped_games(num_players, make_agent(learner), 150, final_lead=False, gamma=gamma)
    assert len(games) > 5
    for extras, leads, _ in games:
        after = [*leads[1:], 0.0]
        gains = [SHAPING * (gamma * b - a) for a, b in zip(leads, after, strict=True)]
        assert extras == pytest.approx(gains, abs=1e-5)
        assert discounted(extras, gamma) == pytest.approx(-SHAPING * leads[0], abs=1e-5)
    assert any(game.leads[0] for game in games), "only games that begin level: nothing is shown"
    assert any(abs(extra) > 0.01 for game in games for extra in game.extras)


@pytest.mark.parametrize("num_players", [2, 4])
def test_with_the_final_lead_it_adds_up_to_the_lead_gained(num_players: int) -> None:
    games = shaped_games(num_players, make_agent("random"), 150, final_lead=True, gamma=0.9)
    assert len(games) > 5
    for extras, leads, final in games:
        assert sum(extras) == pytest.approx(SHAPING * (final - leads[0]), abs=1e-5)
    assert np.std([game.final for game in games]) > 0.05  # so it is play that decides how much


# ------------------------------------------------------------ toys, solved exactly

Place = tuple[int, int]  # deal and node


class Model(NamedTuple):
    """The learner's decision problem against fixed opponents, as observed in the environment."""

    starts: list[Place]  # its first decisions, in each role
    steps: dict[tuple[int, int, int], tuple[float, Place | None]]  # of deal, node and move: reward, next


class Solution(NamedTuple):
    worth: float  # of optimal play, summed over starts
    q: dict[int, np.ndarray]  # by information set, of each move: summed over the places of the set
    groups: dict[int, list[Place]]


def explore(tree: Tree, seed: int, **shaping: Any) -> Model:
    """Every step that the environment can pay, against an opponent drawn among the pure strategies."""
    rng = np.random.default_rng(seed)
    moves = [rng.choice(np.flatnonzero(row)) for row in tree.legal]
    table = TreeTable(tree, 128)
    env = SelfPlayVecEnv(table, TablePlayers(np.eye(tree.child.shape[1])[moves]), seed=seed, **shaping)
    learner = TablePlayers(uniform(tree), seed=seed)
    nobody = np.zeros(table.count, np.int64)
    model = Model([], {})
    observations, fresh = env.reset(), np.ones(table.count, bool)
    for _ in range(60):
        before = list(zip(table.dealt.tolist(), table.node.tolist(), strict=True))
        model.starts.extend(before[i] for i in np.flatnonzero(fresh))
        actions = learner.act(nobody, Decisions(observations, env.action_masks(), nobody))
        observations, rewards, fresh, _ = env.step(actions)
        for i, (deal, node) in enumerate(before):
            after = None if fresh[i] else (int(table.dealt[i]), int(table.node[i]))
            step = float(rewards[i]), after
            assert model.steps.setdefault((deal, node, int(actions[i])), step) == step
    return Model(sorted(set(model.starts)), model.steps)


def solve(tree: Tree, model: Model, gamma: float, follow: Solution | None = None) -> Solution:
    """Backward induction over what the learner knows; with `follow`, the worth of that solution's play."""
    solution: dict[int, np.ndarray] = {}
    groups: dict[int, list[Place]] = {}

    def worth_of(places: list[Place]) -> float:
        known = defaultdict(list)
        for place in places:
            known[int(tree.info[place])].append(place)
        return sum(decide(s, group) for s, group in known.items())

    def decide(s: int, group: list[Place]) -> float:
        q = np.full(tree.child.shape[1], -np.inf)
        for action in np.flatnonzero(tree.legal[s]):
            steps = [model.steps[deal, node, int(action)] for deal, node in group]
            q[action] = sum(reward for reward, _ in steps)
            q[action] += gamma * worth_of([after for _, after in steps if after])
        solution[s], groups[s] = q, group
        return q.max() if follow is None else q[follow.q[s].argmax()]

    return Solution(worth_of(model.starts), solution, groups)


def best_moves(solution: Solution) -> dict[int, list[int]]:
    return {s: np.flatnonzero(q > q.max() - 1e-5).tolist() for s, q in solution.q.items()}


def loss(tree: Tree, bare: Model, gamma: float, other: Solution) -> float:
    """The loss, by the original rewards, of play that is optimal for other rewards."""
    return solve(tree, bare, gamma).worth - solve(tree, bare, gamma, follow=other).worth


TREES: dict[str, Callable[[], Tree]] = {"kuhn": kuhn}
TREES |= {f"random {seed}": partial(random_tree, seed) for seed in range(4)}
GAMMAS = [1.0, 0.75]


@pytest.fixture(params=[(name, gamma) for name in TREES for gamma in GAMMAS], ids=str)
def toy(request: pytest.FixtureRequest) -> tuple[Tree, float, Model]:
    name, gamma = request.param
    tree = TREES[name]()
    return tree, gamma, explore(tree, seed=1)


def test_potential_based_shaping_leaves_every_optimal_policy_optimal(
    toy: tuple[Tree, float, Model],
) -> None:
    tree, gamma, bare = toy
    plain = solve(tree, bare, gamma)
    shaped = solve(tree, explore(tree, 1, shaping=SHAPING, final_lead=False, gamma=gamma), gamma)
    assert len(plain.q) >= 5 and any(abs(tree.phi[place]).max() for place in bare.starts)
    assert any(len(moves) < tree.legal[s].sum() for s, moves in best_moves(plain).items())
    assert best_moves(shaped) == best_moves(plain)
    for s, q in plain.q.items():  # and no move is moved nearer or further from the best
        phi = sum(tree.phi[deal, node, tree.owner[s]] for deal, node in plain.groups[s])
        legal = tree.legal[s]
        assert shaped.q[s][legal] == pytest.approx(q[legal] - SHAPING * phi, abs=1e-5)


def test_a_lead_that_counts_at_the_end_changes_what_is_optimal(toy: tuple[Tree, float, Model]) -> None:
    tree, gamma, bare = toy
    shaped = solve(tree, explore(tree, 1, shaping=2.0, final_lead=True, gamma=gamma), gamma)
    assert loss(tree, bare, gamma, shaped) > 0.01


def test_a_bonus_that_is_no_potential_changes_what_is_optimal(toy: tuple[Tree, float, Model]) -> None:
    tree, gamma, bare = toy
    paid = {}  # the lead itself, at each next decision
    for (deal, node, action), (reward, after) in bare.steps.items():
        bonus = tree.phi[(*after, tree.actor[node])] if after else 0.0
        paid[deal, node, action] = reward + 2.0 * bonus, after
    assert loss(tree, bare, gamma, solve(tree, Model(bare.starts, paid), gamma)) > 0.01


def test_the_discount_has_to_be_the_learners() -> None:
    losses = []
    for seed in range(4):
        tree = random_tree(seed)
        shaped = explore(tree, 1, shaping=2.0, final_lead=False, gamma=1.0)
        losses.append(loss(tree, explore(tree, 1), 0.75, solve(tree, shaped, 0.75)))
    assert max(losses) > 0.05
