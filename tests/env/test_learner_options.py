"""Front ends support shaped rewards, mixed opponents, and truncation at the round limit."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from pettingzoo import AECEnv

from spacemission_env import space_mission_v0
from spacemission_env.core.game import make_game
from spacemission_env.core.reading import Json
from spacemission_env.frontends.gym_env import LearnerEnv
from spacemission_env.frontends.turns import Opponents
from tests.support.front_ends import make_vector, played_aec
from tests.support.random_play import uniform

SHAPED: Json = {"shaping": 3.0, "shaping_discount": 0.9}


def by_totals(env: LearnerEnv) -> float:
    """The learner's score margin computed from the scores."""
    totals = [row["total"] for row in env.game.scores_json()]
    own = totals.pop(env.seat)
    return (own - max(totals)) / 100


def learner_game(env: LearnerEnv, seed: int) -> tuple[list[float], list[float], list[int], Json]:
    """Play a game of random moves: rewards of its steps, margins at its decisions, moves, last info."""
    _, info = env.reset(seed=seed)
    rewards, margins, moves, over = [], [], [], False
    while not over:
        margins.append(by_totals(env))
        assert info.get("margin", margins[-1]) == pytest.approx(margins[-1])
        moves.append(uniform(info["action_mask"], env.game.decision_key()))
        _, reward, terminated, truncated, info = env.step(moves[-1])
        rewards.append(reward)
        over = terminated or truncated
    return rewards, margins, moves, info


def by_key(env: AECEnv) -> Callable[[np.ndarray], int]:
    """Random moves in an AEC environment, drawn with the decision keys."""
    return lambda mask: uniform(mask, env.unwrapped.game.decision_key())


@pytest.mark.parametrize("num_players", [2, 4])
def test_each_step_is_paid_for_the_change_of_the_margin_and_the_end_takes_it_back(num_players: int) -> None:
    level = 0
    for seed in range(6):
        options: Json = {"num_players": num_players, "opponents": "greedy"}
        bare, margins, moves, _ = learner_game(LearnerEnv(**options), seed)
        shaped, _, same, info = learner_game(LearnerEnv(**options, **SHAPED), seed)
        assert moves == same
        extras = np.subtract(shaped, bare)
        assert extras == pytest.approx(3.0 * (0.9 * np.array([*margins[1:], 0.0]) - margins), abs=1e-5)
        assert extras @ 0.9 ** np.arange(len(extras)) == pytest.approx(-3.0 * margins[0], abs=1e-4)
        assert any(extras[:-1]) and "margin" in info
        level += margins[0] == 0
    assert level < 6, "some games must start with a margin"


@pytest.mark.parametrize("at_round_limit", ["terminate", "truncate"])
def test_an_aec_agent_is_paid_as_the_learner_of_gymnasium(at_round_limit: str) -> None:
    """Repeat the learner's game in an AEC environment; `last` must return the same rewards."""
    options: Json = {
        "num_players": 3, "rules": {"max_rounds": 4}, "at_round_limit": at_round_limit, **SHAPED
    }  # fmt: skip
    for seed in range(4):
        learner = LearnerEnv(opponents="random", **options)
        rewards, margins, _, info = learner_game(learner, seed)
        truncated = at_round_limit == "truncate"
        left = margins[-1] if not truncated else margins[-1] - 0.9 * info["margin"]
        result = learner.game.rewards()[learner.seat]
        assert rewards[-1] == pytest.approx(result - 3.0 * left, abs=1e-5)
        env, paid, told = space_mission_v0.env(**options), [], []
        for agent, last in played_aec(env, seed, by_key(env)):
            if agent == env.possible_agents[learner.seat]:
                paid.append(last[1])
                told.append(last[4]["margin"])
        assert paid == pytest.approx([0.0, *rewards], abs=1e-6)
        assert told == pytest.approx([*margins, info["margin"]])


def test_nothing_of_the_margin_is_told_while_rewards_are_not_shaped() -> None:
    *_, info = learner_game(LearnerEnv(rules={"max_rounds": 3}), 1)
    assert set(info) == {"action_mask", "seat", "scores", "winners", "reason", "illegal"}
    env = space_mission_v0.env()
    env.reset(seed=1)
    env.step(int(np.flatnonzero(env.last()[0]["action_mask"])[0]))
    assert all("margin" not in info for info in env.infos.values())


def test_an_illegal_move_that_loses_takes_the_margin_back() -> None:
    env = LearnerEnv(illegal="lose", opponents="greedy", num_players=4, seat=3, **SHAPED)
    seed = next(seed for seed in range(20) if env.reset(seed=seed)[1]["margin"])
    _, info = env.reset(seed=seed)
    illegal = int(np.flatnonzero(info["action_mask"] == 0)[0])
    assert env.step(illegal)[1] == pytest.approx(-1.0 - 3.0 * info["margin"])


def test_planet_hexx_shapes_by_its_own_measure() -> None:
    env = LearnerEnv(game="planet_hexx", **SHAPED)
    _, info = env.reset(seed=3)
    before = {info["margin"]}
    for _ in range(400):
        _, _, terminated, truncated, info = env.step(uniform(info["action_mask"], env.game.decision_key()))
        before.add(info["margin"])
        if terminated or truncated:
            break
    assert {round(6 * margin) for margin in before} > {0}


# ---------------------------------------------------------------- mixtures of opponents


def recorded_agents(file: Path) -> dict[int, list[str]]:
    """The agents' names in each record, by the seed of its game."""
    lines = map(json.loads, file.read_text().splitlines())
    return {line["seed"]: line["agents"] for line in lines if line["type"] == "game"}


def test_each_game_draws_its_opponents_by_their_shares_from_its_seed(tmp_path: Path) -> None:
    mixed = {"num_players": 3, "opponents": ["greedy=3,random=1", "random"], "rules": {"max_rounds": 1}}
    one, many = tmp_path / "one.jsonl", tmp_path / "many.jsonl"
    env = LearnerEnv(record=one, seat=0, **mixed)
    for seed in range(200):
        learner_game(env, seed)
    env.close()
    names = recorded_agents(one)
    assert len(names) == 200
    assert all(game[0] == "learner" and game[2] == "random" for game in names.values())
    drawn = Counter(game[1] for game in names.values())
    assert set(drawn) == {"greedy", "random"}
    assert 120 <= drawn["greedy"] <= 180  # 200 draws with probability 3/4: mean 150, standard deviation 6
    vector = make_vector(200, autoreset_mode="next_step", record=many, seat=0, **mixed)
    vector.reset(seed=0)
    ended = np.zeros(200, bool)
    while not ended.all():
        masks = vector.action_masks()
        _, _, over, _, _ = vector.step(masks.argmax(1))
        ended |= over
    vector.close()
    assert {seed: game for seed, game in recorded_agents(many).items() if seed < 200} == names


def test_each_seat_draws_its_opponent_by_itself() -> None:
    opponents = Opponents("greedy=1,random=1", make_game("space_mission", 3))
    pairs = Counter(tuple(opponents.draw(seed)) for seed in range(400))
    assert len(pairs) == 4 and min(pairs.values()) > 65  # mean 100, standard deviation 9
