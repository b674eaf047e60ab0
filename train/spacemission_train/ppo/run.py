"""Runs self-play with MaskablePPO in a league."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

import numpy as np
import torch
from stable_baselines3.common.logger import configure

from spacemission_env.core.agents import Agent, prepare_agents
from spacemission_train.ppo import state, warm_start
from spacemission_train.ppo.imitation import imitate
from spacemission_train.ppo.model import make_env, make_model
from spacemission_train.ppo.networks import network_arrays, policy_arrays
from spacemission_train.run.progress import Listeners, Row
from spacemission_train.run.run import Run
from spacemission_train.run.state import Saved, Tensors
from spacemission_train.run.warnings import check_finite, figure
from spacemission_train.self_play.league import NetworkPlayer, Pool
from spacemission_train.settings.settings import Settings


class PpoRun(Run):
    """A run by PPO; made by `trainer.start` or `trainer.resume`.

    Attributes:
        pool: the opponents.
        env, model: where it plays, and what learns.
    """

    pool: Pool

    def __init__(self, settings: Settings, out: Path, command: str, begun: int = 0) -> None:
        """Make model, environment and opponents."""
        super().__init__(settings, out, command)
        self.pool = Pool(settings.mixture, settings.form, settings.pfsp)
        self.target = None if settings.exploit is None else self.pool.fixed[0]
        prepare_agents(self.pool.fixed, settings.info)
        self.env = make_env(settings, self.pool)
        self.model = make_model(settings, self.env)
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
        """Epochs over a rollout that the networks have learnt from so far."""
        return self.model._n_updates

    def arrays(self) -> dict[str, np.ndarray]:
        """Policy and critic."""
        return network_arrays(self.model.outcome)

    # ------------------------------------------------------------ the checkpoint file

    @property
    def learning(self) -> tuple[torch.nn.Module, torch.optim.Optimizer]:
        """The policy with its critic, and their optimizer."""
        return self.model.policy, self.model.policy.optimizer

    def own_state(self) -> Saved:
        """Random numbers and the league."""
        return state.entries(self.env, self.pool)

    def own_tensors(self) -> Tensors:
        """Games under way, mean weights, random numbers."""
        return state.tensors_of(self.model, self.env)

    def check_own(self, saved: Saved, tensors: Tensors) -> None:
        """Refuse what `own_state` and `own_tensors` cannot have given."""
        state.check(saved, tensors, self.env, len(self.pool.fixed))

    def restore_own(self, saved: Saved, tensors: Tensors) -> None:
        """Go on where the run was."""
        state.restore(saved, tensors, self.model, self.env, self.pool, self.out)
        self._set_latest()

    def seat_new_opponents(self) -> None:
        """The numbers of games under way may be higher than there are opponents now."""
        self.env.seating.players %= len(self.pool.fixed) + len(self.pool.snapshots)

    # ------------------------------------------------------------ training

    def load_start(self, settings: Settings) -> None:
        """Begin with the weights of `settings.start`, if any."""
        warm_start.load_start(settings, self.model.policy)
        self.model.on_rollout()  # `latest` begins with these weights too

    def _begin(self, listeners: Listeners) -> None:
        self.model.set_logger(configure(str(self.out / "tensorboard"), ["tensorboard"]))
        if self.steps > 0 or self.settings.imitate is None:
            return
        self._enter("imitating", listeners)
        began = perf_counter()
        agreement = imitate(self.settings, self.model.policy)
        self.model.logger.record("imitation/agreement", agreement)
        self._set_latest()
        self.seconds += perf_counter() - began

    def _settle(self) -> None:
        self.model.settle()

    def _close(self) -> None:
        self.model.logger.close()

    def _update(self) -> None:
        # One rollout and one update. SB3 would anneal within one call of learn(); here every update is
        # a call of its own, so that all between two updates is plain code.
        settings = self.settings
        size = settings.envs * settings.n_steps
        last = settings.last_learning_rate
        rate = last + (settings.learning_rate - last) * (1 - self.fraction)
        self.model.lr_schedule = lambda _: rate
        last = settings.last_entropy
        self.model.ent_coef = last + (settings.entropy - last) * (1 - self.fraction)
        warm_start.warm_up(self.model.policy, settings, self.steps)
        # Before a checkpoint no rollout is begun, so that the state is one between two updates.
        end = self.steps + size
        self.model.pause = end >= min(self._next_checkpoint(), settings.steps or end + 1)
        self.model.learn(size, reset_num_timesteps=self.steps == 0)
        check_finite(self.model, str(self.out))

    def _set_latest(self) -> None:
        self.pool.set_latest(policy_arrays(self.model.policy))

    def _next_checkpoint(self) -> int:
        return self.last_checkpoint + self.settings.checkpoint_steps * 2**self.pool.thinned

    def _player(self) -> Agent:
        return NetworkPlayer(self.settings.form, policy_arrays(self.model.outcome), sample=False)

    def _keep(self) -> None:
        self.pool.add_snapshot(self.steps, policy_arrays(self.model.outcome))
        self.model.remember()

    def _figures(self) -> Row:
        return {
            "entropy": figure(self.model, "entropy"),
            "explained_variance": figure(self.model, "explained_variance"),
            "win_past": round(float(self.pool.results.mean()), 4),
        }

    def _scalars(self) -> dict[str, float]:
        self.model.logger.dump(self.steps)  # what SB3 and LeaguePPO have recorded of the last update
        pool, scalars = self.pool, super()._scalars()
        for steps, result, probabilities in zip(
            pool.snapshots, pool.results, pool.probabilities(), strict=True
        ):
            scalars[f"league_result/step_{steps:09d}"] = float(result)
            scalars[f"league_probability/step_{steps:09d}"] = float(probabilities)
        for name, seconds in self.env.seconds.items():  # of the wall-clock of training, without evaluations
            scalars[f"time/share_of_{name}"] = seconds / max(self.training, 1e-9)
        return scalars
