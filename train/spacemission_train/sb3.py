"""Trains MaskablePPO of sb3-contrib by self-play: `spacemission train --preset sb3`.

A step is one decision of the learner and all moves of its opponents until the learner's next decision. The
opponents are sampled for each game from `greedy`, `random`, the present policy, and its past versions. With
the present policy alone, learning could run in circles and forget how to beat past versions.
"""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecMonitor

from spacemission_agents.models.policy import NetworkAgent, PolicyAgent
from spacemission_env.core.agents import Agent
from spacemission_env.core.game_spec import DEFAULT_GAME, find_game
from spacemission_env.core.reading import Json
from spacemission_env.frontends.vector_env import LearnerVectorEnv
from spacemission_train.evaluation import win_share
from spacemission_train.export import network_of, save_policy
from spacemission_train.folder import MODEL_FOLDER, new_folder
from spacemission_train.presets import find_game_training
from spacemission_train.sb3_env import MaskedVecEnv

PRESET = "sb3"
ENVS, ROLLOUT = 256, 16  # games in parallel; steps of each game between updates
BATCH, EPOCHS = 1024, 2
FIRST_RATE, LAST_RATE = 2e-3, 1e-4  # learning rates at the beginning and at the end
SHARES = {"latest": 0.25, "past": 0.25, "random": 0.1, "greedy": 0.4}
SNAPSHOT_STEPS, MOST_SNAPSHOTS = 100_000, 16
FINAL_GAMES = 2000


class SelfPlay(BaseCallback):
    """Lets the policy play against itself, and ends the training at its limit."""

    def __init__(
        self, env: LearnerVectorEnv, others: dict[object, float], seconds: float, steps: int
    ) -> None:
        """`others`: agents other than the policy, and their shares."""
        super().__init__()
        self.env, self.others, self.limits = env, others, (seconds, steps)
        self.past: list[Agent] = []
        self.fraction, self.next_snapshot = 0.0, 0
        self.began = perf_counter()

    def _on_training_start(self) -> None:
        self.latest = self._own_policy()

    def _own_policy(self) -> NetworkAgent:
        # A copy of the policy; it samples its moves.
        return NetworkAgent(*network_of(self.model.policy), self.env.games.spec, sample=True)

    def _on_rollout_start(self) -> None:
        self.latest.load(network_of(self.model.policy)[0])
        if self.num_timesteps < self.next_snapshot:
            return
        self.next_snapshot += SNAPSHOT_STEPS
        self.past = [*self.past, self._own_policy()][-MOST_SNAPSHOTS:]
        each = SHARES["past"] / len(self.past)
        own: dict[object, float] = {self.latest: SHARES["latest"], **dict.fromkeys(self.past, each)}
        self.env.replace_opponents({**self.others, **own})

    def _on_step(self) -> bool:
        seconds, steps = self.limits
        self.fraction = max((perf_counter() - self.began) / seconds, self.num_timesteps / steps)
        return self.fraction < 1.0


def train(
    out: Path,
    game: str = DEFAULT_GAME,
    players: int | None = None,
    minutes: float | None = None,
    steps: int | None = None,
    rules: str | None = None,
    components: str | None = None,
    seed: int = 0,
    command: str = "",
) -> Json:
    """Train until the first limit (default: 5 minutes), write OUT/model, and return its results.

    Raises:
        SpaceMissionError: one line that names the refused folder or option.
    """
    spec, training = find_game(game), find_game_training(game)
    players = spec.learner_players(players)
    others: dict[object, float] = {name: SHARES[name] for name in ("random", "greedy")}
    if "greedy" not in training.yardsticks:
        others = {"random": SHARES["random"]}
    # Learning is faster for the margin, paid step by step, than for the win alone.
    margin = float("score_margin" in spec.reward_names)
    paid = "score_margin" if margin else spec.payoff
    env = LearnerVectorEnv(
        ENVS, players, others, rules=rules, components=components, reward=paid, shaping=margin, game=spec
    )
    new_folder(out)
    minutes = 5.0 if minutes is None and steps is None else minutes
    callback = SelfPlay(env, others, 60 * minutes if minutes else np.inf, steps or 10**12)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # two threads are very slow where another program is busy
    model = MaskablePPO(
        "MlpPolicy", VecMonitor(MaskedVecEnv(env)), n_steps=ROLLOUT, batch_size=BATCH, n_epochs=EPOCHS,
        learning_rate=lambda _: FIRST_RATE + (LAST_RATE - FIRST_RATE) * min(1.0, callback.fraction),
        gamma=0.999, gae_lambda=0.9, ent_coef=0.02, device="cpu",
        policy_kwargs={"net_arch": [256, 256], "activation_fn": torch.nn.ReLU},
        seed=seed % 2**32,  # numpy takes no larger seeds
    )  # fmt: skip
    try:
        model.learn(steps or 10**12, callback)
    finally:
        torch.set_num_threads(threads)
    seconds = perf_counter() - callback.began
    facts: Json = {"preset": PRESET, "seed": seed, "steps": model.num_timesteps, "seconds": round(seconds, 1)}
    folder = out / MODEL_FOLDER
    save_policy(
        folder, model, game=spec, players=players, rules=rules, components=components, command=command,
        training=facts,
    )  # fmt: skip
    agent, results = PolicyAgent(str(folder), spec), {}
    for name in training.yardsticks:
        one = win_share(agent, name, players, FINAL_GAMES, seed, rules, components, game=spec.name)
        results[one.name] = one.to_json()
    return {"type": "train", "model": str(folder), **facts, "results": results}


def result_lines(found: dict[str, Any]) -> list[str]:
    """The result of `train` as lines of text."""
    told = "against {opponent}, {players} players: wins {share:.1%} of {games} games"
    lines = [told.format(**one) for one in found["results"].values()]
    return [*lines, f"model: {found['model']}  (play it as policy:{found['model']})"]
