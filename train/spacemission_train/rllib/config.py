"""`Settings` as a `PPOConfig`, as near to MaskablePPO's run with the same settings as RLlib comes."""

from __future__ import annotations

from math import ceil
from typing import Any

from gymnasium import spaces
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec

from spacemission_train.rllib.env import SeatsEnv, seat_space
from spacemission_train.rllib.module import MaskedNetworks
from spacemission_train.settings.settings import Settings

LEARNER = "learner"  # the one module: every seat that learns plays, and trains, the same networks
MAX_GRADIENT = 0.5  # and the weight of the value loss: what SB3 has where nothing else is said
VALUE_WEIGHT = 0.5


def plays_learner(agent_id: Any, episode: Any, *more: Any, **kwargs: Any) -> str:
    """The module of an agent of `SeatsEnv`: all of them are the learner."""
    return LEARNER


def env_config(settings: Settings) -> dict[str, Any]:
    """What `SeatsEnv` takes of the settings."""
    return {
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


def ppo_config(settings: Settings, num_env_runners: int) -> PPOConfig:
    """PPO in self-play, with `num_env_runners` processes that play; settings as of `settings_here`."""
    spec = settings.spec
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
        .environment(
            SeatsEnv, env_config=env_config(settings), disable_env_checking=True
        )  # it plays at random
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
