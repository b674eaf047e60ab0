"""Makes RLlib's PPO of `Settings`, as near to MaskablePPO's run as RLlib comes: networks and configuration.

The tensors of the networks have the names and the shapes that model folders have (models/folder.py).
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

LEAST_LOGIT = torch.finfo(torch.float32).min  # finite: log probability times probability 0 have to come to 0
LEARNER = "learner"  # the one module: every seat that learns plays, and trains, the same networks
MAX_GRADIENT = 0.5  # and the weight of the value loss: what SB3 has where nothing else is said
VALUE_WEIGHT = 0.5


class Layers(nn.ModuleList):
    """A relu network; layer i is its tensors `i.weight` (out, in) and `i.bias` (out,)."""

    def __init__(self, sizes: Sequence[int], last_gain: float) -> None:
        """Orthogonal weights and no biases, as Stable-Baselines3 begins: runs of the two engines compare."""
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
    """An RLModule of two networks that share nothing.

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
        """Env runners have no value network, and are sent none."""
        return ["value"]

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """Logits of the moves (n, actions), those of illegal moves so low that their probabilities are 0."""
        seen = batch[Columns.OBS]
        logits = self.policy(seen[OBSERVATIONS])
        return {Columns.ACTION_DIST_INPUTS: logits.masked_fill(seen[MASK] == 0, LEAST_LOGIT)}

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> torch.Tensor:
        """What the value network expects of each row: (n,)."""
        return self.value(batch[Columns.OBS][OBSERVATIONS]).squeeze(-1)


def model_arrays(state: dict[str, Any]) -> dict[str, np.ndarray]:
    """Copies of a module's state (`get_state`) as the tensors of a model folder."""
    return {name: np.array(tensor, np.float32) for name, tensor in state.items()}


def policy_part(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The policy's tensors alone; what a player needs."""
    return {name: array for name, array in arrays.items() if name.startswith("policy.")}


def plays_learner(agent_id: Any, episode: Any, *more: Any, **kwargs: Any) -> str:
    """The module of an agent of `SeatsEnv`: all of them are the learner."""
    return LEARNER


def ppo_config(settings: Settings, num_env_runners: int) -> PPOConfig:
    """PPO in self-play, with `num_env_runners` processes that play; settings as of `settings_here`."""
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
            # Games are cut where a batch is full, and go on in the next one: batches of whole games would
            # hold more short games than are played. RLlib hands rewards and moves on that wait at the cut.
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
        # A machine that drops out is replaced; an agent that fails at every game must not be, for ever.
        .fault_tolerance(restart_failed_env_runners=True, num_consecutive_env_runner_failures_tolerance=3)
        .debugging(seed=settings.seed % 2**31, log_level="ERROR")  # numpy takes no larger ones
    )


def _falling(settings: Settings, first: float, last: float) -> Any:
    # RLlib's schedules count steps; a run limited by time alone stays at the first value.
    return first if settings.steps is None else [[0, first], [settings.steps, last]]
