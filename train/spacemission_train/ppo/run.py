"""Runs self-play with MaskablePPO in a league."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from stable_baselines3.common.logger import configure

from spacemission_agents.models.folder import load_model
from spacemission_env.core.agents import Agent, prepare_agents
from spacemission_train.ppo import warm_start
from spacemission_train.ppo.networks import policy_arrays
from spacemission_train.ppo.ppo import LeaguePPO
from spacemission_train.run.folder import checkpoint_folder
from spacemission_train.run.progress import Row
from spacemission_train.run.run import Run
from spacemission_train.run.state import Learnt, Saved, Tensors
from spacemission_train.run.warnings import DivergedError
from spacemission_train.self_play.league import NetworkPlayer, Pool
from spacemission_train.self_play.vec_env import make_env
from spacemission_train.settings.settings import Settings

LOSSES = ("policy_gradient_loss", "value_loss", "entropy")


class PpoRun(Run):
    """A run that learns a policy by PPO; `trainer.start` and `trainer.resume` make it."""

    pool: Pool

    def __init__(self, settings: Settings, out: Path, command: str, begun: int = 0) -> None:
        """Make model, environment and opponents."""
        super().__init__(settings, out, command)
        self.pool = Pool(settings.mixture, settings.form)
        self.target = None if settings.exploit is None else self.pool.fixed[0]
        prepare_agents(self.pool.fixed, settings.info)
        self.env = make_env(settings, self.pool)
        self.model = LeaguePPO(settings, self.env)
        self.model.on_rollout = self._set_latest
        self._set_latest()
        self.env.seed(settings.seed)

    @property
    def steps(self) -> int:
        """Learner steps so far."""
        return self.model.num_timesteps

    @property
    def games(self) -> int:
        """Games that have ended."""
        return self.env.games_played

    @property
    def updates(self) -> int:
        """Epochs of learning so far; each is one pass over a rollout."""
        return self.model._n_updates

    def arrays(self) -> dict[str, np.ndarray]:
        """The weights of the policy."""
        return policy_arrays(self.model.outcome)

    # ------------------------------------------------------------ training

    def load_start(self, settings: Settings) -> None:
        """Load the weights of `settings.start`, if it is set."""
        warm_start.load_start(settings, self.model.policy)
        self._set_latest()

    def _begin(self) -> None:
        self.model.set_logger(configure(str(self.out / "tensorboard"), ["tensorboard"]))

    def seat_new_opponents(self) -> None:
        """Change the opponents' numbers in unfinished games to numbers that exist now."""
        self.env.seating.players %= len(self.pool.fixed) + len(self.pool.snapshots)

    def _settle(self) -> None:
        self.model.settle()

    def _close(self) -> None:
        self.model.logger.close()

    def _update(self) -> None:
        # One rollout and one update. SB3 anneals within one call of learn(). Here each update is one call,
        # so the learning rate is set by hand.
        settings = self.settings
        size = settings.envs * settings.n_steps
        rate = settings.falling("learning_rate", self.fraction)
        self.model.lr_schedule = lambda _: rate
        self.model.ent_coef = settings.falling("entropy", self.fraction)
        warm_start.warm_up(self.model.policy, settings, self.steps)
        # No rollout may overlap the update before a checkpoint: the checkpoint holds no unfinished rollout.
        end = self.steps + size
        self.model.pause = end >= min(self._next_checkpoint(), settings.steps or end + 1)
        self.model.learn(size, reset_num_timesteps=self.steps == 0)
        check_finite(self.model, self.out)

    def _set_latest(self) -> None:
        self.pool.set_latest(policy_arrays(self.model.policy))

    def _next_checkpoint(self) -> int:
        return self.last_checkpoint + self.settings.checkpoint_steps * 2**self.pool.thinned

    def _player(self) -> Agent:
        return NetworkPlayer(self.settings.form, self.arrays(), sample=False)

    def _keep(self) -> None:
        self.pool.add_snapshot(self.steps, self.arrays())

    def _figures(self) -> Row:
        return {
            "entropy": figure(self.model, "entropy"),
            "explained_variance": figure(self.model, "explained_variance"),
            "win_past": round(float(self.pool.results.mean()), 4),
        }

    def _scalars(self) -> dict[str, float]:
        self.model.logger.dump(self.steps)  # writes the numbers of the last update
        pool, scalars = self.pool, super()._scalars()
        for steps, result in zip(pool.snapshots, pool.results, strict=True):
            scalars[f"league_result/step_{steps:09d}"] = float(result)
        for name, seconds in self.env.seconds.items():
            scalars[f"time/share_of_{name}"] = seconds / max(self.training, 1e-9)
        return scalars

    # ------------------------------------------------------------ the checkpoint file

    @property
    def learnt(self) -> Learnt:
        """The policy with its critic, their optimizer and their mean."""
        return Learnt(self.model.policy, self.model.policy.optimizer, self.model.mean)

    def own_state(self) -> tuple[Saved, Tensors]:
        """The league, unfinished games, and the random states of torch and numpy."""
        env, pool, model = self.env, self.pool, self.model
        kind, words, *rest = cast(tuple[Any, ...], np.random.get_state())
        saved = {
            "numpy": [kind, *rest],
            "env_rng": env.rng.bit_generator.state,
            "env_seconds": env.seconds,
            "snapshots": pool.snapshots,
            "pool_results": pool.results.tolist(),
            "thinned": pool.thinned,
        }
        starts: Any = model._last_episode_starts
        tensors = {
            **{f"env.{name}": torch.from_numpy(array.copy()) for name, array in self._env_arrays().items()},
            "episode_starts": torch.from_numpy(
                np.array(np.ones(env.num_envs) if starts is None else starts, bool)
            ),
            "rng.torch": torch.get_rng_state(),
            "rng.numpy": torch.from_numpy(words.astype(np.int64)),
        }
        return saved, tensors

    def _env_arrays(self) -> dict[str, np.ndarray]:
        # Views into the environment: saving reads them, restoring writes into them.
        states = self.env.table.states
        games = states.view(np.uint8).reshape(len(states), -1)
        return {"games": games, **{f"seating.{k}": array for k, array in vars(self.env.seating).items()}}

    def restore_own(self, saved: Saved, tensors: Tensors) -> None:
        """Restore the league, the games and the random states."""
        env, pool, model = self.env, self.pool, self.model
        for name, array in self._env_arrays().items():
            array[...] = tensors[f"env.{name}"].numpy()
        env.rng.bit_generator.state = saved["env_rng"]
        env.games_played = saved["games"]
        env.seconds.update(saved["env_seconds"])
        model._last_obs = env.observe_again()
        model._last_episode_starts = tensors["episode_starts"].numpy().copy()
        model.num_timesteps, model._n_updates = saved["steps"], saved["updates"]
        torch.set_rng_state(tensors["rng.torch"])
        kind, *rest = saved["numpy"]
        np.random.set_state((kind, tensors["rng.numpy"].numpy().astype(np.uint32), *rest))
        for steps, result in zip(saved["snapshots"], saved["pool_results"], strict=True):
            pool.add_snapshot(steps, load_model(checkpoint_folder(self.out, steps))[1], result)
        pool.thinned = saved["thinned"]
        self._set_latest()


def check_finite(model: LeaguePPO, out: Path) -> None:
    """Raise DivergedError if a loss of the last update or a weight is not finite."""
    bad = [name for name in LOSSES if figure(model, name) is None]
    if not all(bool(torch.isfinite(weights).all()) for weights in model.policy.parameters()):
        bad.append("weights")
    if bad:
        raise DivergedError(out, bad[0], model.num_timesteps)


def figure(model: LeaguePPO, name: str) -> float | None:
    """A number of the last update (`train/…` in TensorBoard), rounded; None if it is not finite."""
    value = float(model.logger.name_to_value.get(f"train/{name}", float("nan")))
    return round(value, 4) if abs(value) < float("inf") else None
