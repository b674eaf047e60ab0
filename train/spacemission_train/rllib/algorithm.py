"""Builds RLlib's networks and PPO configuration from `Settings`, close to those of MaskablePPO.

The tensors of the networks have the names and shapes of a model folder (models/folder.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import ceil
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis.inference_only_api import InferenceOnlyAPI
from ray.rllib.core.rl_module.apis.value_function_api import ValueFunctionAPI
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.core.rl_module.torch import TorchRLModule
from torch import nn

from spacemission_train.rllib.env import MASK, OBSERVATIONS, SeatsEnv, seat_space
from spacemission_train.settings.settings import Settings

LEAST_LOGIT = torch.finfo(torch.float32).min  # finite, so that its log probability times 0 is 0
LEARNER = "learner"  # the only module: all learning seats share its networks
MAX_GRADIENT = 0.5  # SB3's default
VALUE_WEIGHT = 0.5  # weight of the value loss, SB3's default


class Layers(nn.ModuleList):
    """A relu network; layer i is its tensors `i.weight` (out, in) and `i.bias` (out,)."""

    def __init__(self, sizes: Sequence[int], last_gain: float) -> None:
        """Orthogonal weights and zero biases, as in Stable-Baselines3."""
        layers = [nn.Linear(width_in, width_out) for width_in, width_out in pairwise(sizes)]
        for layer in layers:
            nn.init.orthogonal_(layer.weight, last_gain if layer is layers[-1] else 2**0.5)
            nn.init.zeros_(layer.bias)
        super().__init__(layers)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Outputs (n, last width) of inputs (n, first width)."""
        last = len(self) - 1
        for i, layer in enumerate(self):
            x = layer(x) if i == last else torch.relu(layer(x))
        return x


class MaskedNetworks(TorchRLModule, ValueFunctionAPI, InferenceOnlyAPI):
    """An RLModule with separate networks for policy and value.

    Its `model_config` is `{"hidden": [widths], "sizes": [observation, actions]}`.
    """

    def setup(self) -> None:
        """Make the networks; RLlib calls it."""
        config: Any = self.model_config
        hidden = list(config["hidden"])
        size, actions = config["sizes"]
        self.policy = Layers([size, *hidden, actions], 0.01)
        self.value = Layers([size, *hidden, 1], 1.0)

    def get_non_inference_attributes(self) -> list[str]:
        """Name the networks that env runners do not need."""
        return ["value"]

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """Logits (n, actions), `LEAST_LOGIT` for illegal moves."""
        seen = batch[Columns.OBS]
        logits = self.policy(seen[OBSERVATIONS])
        return {Columns.ACTION_DIST_INPUTS: logits.masked_fill(seen[MASK] == 0, LEAST_LOGIT)}

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> torch.Tensor:
        """The value of each row: (n,)."""
        return self.value(batch[Columns.OBS][OBSERVATIONS]).squeeze(-1)


def policy_arrays(state: dict[str, Any]) -> dict[str, np.ndarray]:
    """Copy the policy's weights from a module's state (`get_state`) to the arrays of a model folder."""
    return {
        name: np.array(tensor, np.float32) for name, tensor in state.items() if name.startswith("policy.")
    }


def plays_learner(agent_id: object, episode: object, *more: object, **kwargs: object) -> str:
    """The module that plays for an agent of `SeatsEnv`: always the learner."""
    return LEARNER


def ppo_config(settings: Settings, num_env_runners: int) -> PPOConfig:
    """PPO in self-play with `num_env_runners` playing processes; `settings` come from `settings_here`."""
    spec = settings.spec
    env_config = {
        "game": settings.game,
        "num_players": list(settings.players),
        "rules": settings.rules,
        "components": settings.components,
        "reward": settings.reward,
        "shaping": settings.shaping,
        "final_lead": settings.final_lead,
        "gamma": settings.gamma,
        "mixture": settings.mixture,
        "hidden": list(settings.hidden),
        "seed": settings.seed,
    }
    module = RLModuleSpec(
        module_class=MaskedNetworks,
        observation_space=seat_space(spec),
        action_space=spaces.Discrete(spec.action_count),
        model_config={
            "hidden": list(settings.hidden),
            "sizes": [spec.observation_size, spec.action_count],
        },
    )
    return (
        PPOConfig()
        .environment(SeatsEnv, env_config=env_config, disable_env_checking=True)  # the check plays at random
        .env_runners(
            num_env_runners=num_env_runners,
            num_envs_per_env_runner=ceil(settings.envs / max(1, num_env_runners)),
            # A game may continue in the next batch. Batches of whole games would hold too many short games.
            batch_mode="truncate_episodes",
            rollout_fragment_length=settings.n_steps,
        )
        .multi_agent(policies={LEARNER}, policy_mapping_fn=plays_learner)
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={LEARNER: module}))
        .training(
            lr=_falling(settings, settings.learning_rate, settings.last_learning_rate),
            gamma=settings.gamma,
            lambda_=settings.gae_lambda,
            clip_param=settings.clip_range,
            entropy_coeff=_falling(settings, settings.entropy, settings.last_entropy),
            num_epochs=settings.epochs,
            minibatch_size=settings.batch_size,
            train_batch_size_per_learner=settings.envs * settings.n_steps,
            grad_clip=MAX_GRADIENT,
            grad_clip_by="global_norm",
            vf_loss_coeff=VALUE_WEIGHT,
            vf_clip_param=float("inf"),
            use_kl_loss=False,
        )
        # Ray replaces a lost machine, but does not restart an agent that fails in each game forever.
        .fault_tolerance(restart_failed_env_runners=True, num_consecutive_env_runner_failures_tolerance=3)
        .debugging(seed=settings.seed % 2**31, log_level="ERROR")  # numpy takes no larger seeds
    )


def _falling(settings: Settings, first: float, last: float) -> Any:
    # RLlib's schedules count steps, so a run limited only by time keeps the first value.
    return first if settings.steps is None else [[0, first], [settings.steps, last]]
