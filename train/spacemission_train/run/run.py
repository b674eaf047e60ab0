"""A training run: self-play with MaskablePPO, evaluations, checkpoints. `trainer` begins and resumes one."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

import numpy as np
from stable_baselines3.common.logger import configure

from spacemission_env.core.agents_api import prepare_agents
from spacemission_train.learning import warm_start
from spacemission_train.learning.evaluation import WinShare
from spacemission_train.learning.imitation import imitate
from spacemission_train.learning.networks import NetworkPlayer, network_arrays, policy_arrays
from spacemission_train.learning.parts import make_env, make_model
from spacemission_train.run import exploiter as exploit
from spacemission_train.run import report as run_report
from spacemission_train.run import state as run_state
from spacemission_train.run import tensorboard as board
from spacemission_train.run.base import BaseRun, Listeners, Row
from spacemission_train.run.folder import (
    checkpoint_folder,
    columns,
    write_progress,
)
from spacemission_train.run.plots import draw_curve, draw_learning
from spacemission_train.run.warnings import check_finite, figure
from spacemission_train.self_play.league import Pool
from spacemission_train.settings.settings import Settings


class Run(BaseRun):
    """A training run by PPO in a league; made by `trainer.start` or `trainer.resume`.

    Attributes:
        pool: the opponents.
        env, model: where it plays, and what learns.
    """

    def __init__(self, settings: Settings, out: Path, command: str) -> None:
        """Make model, environment and opponents."""
        super().__init__(settings, out, command)
        settings = self.settings
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

    def arrays(self) -> dict[str, np.ndarray]:
        """Policy and critic."""
        return network_arrays(self.model.outcome)

    @property
    def updates(self) -> int:
        """Epochs over a rollout that the networks have learnt from so far."""
        return self.model._n_updates

    def _train(self, listeners: Listeners) -> None:
        self.model.set_logger(configure(str(self.out / "tensorboard"), ["tensorboard"]))
        if self.steps == 0 and self.settings.imitate is not None:
            self._imitate(listeners)
        self._enter("training", listeners)
        while self.fraction < 1.0:
            began = perf_counter()
            self._update()
            self.training += perf_counter() - began
            self.seconds += perf_counter() - began
            if self.fraction < 1.0 and self.steps >= self._next_checkpoint():
                self._checkpoint(self.settings.evaluation_games, listeners)
            listeners.advance(self)
        self.model.settle()

    def _close(self) -> None:
        self.model.logger.close()

    def _imitate(self, listeners: Listeners) -> None:
        self._enter("imitating", listeners)
        began = perf_counter()
        agreement = imitate(self.settings, self.model.policy)
        self.model.logger.record("imitation/agreement", agreement)
        self._set_latest()
        self.seconds += perf_counter() - began

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
        self.model.pause = self._pauses_at(self.steps + size)
        self.model.learn(size, reset_num_timesteps=self.steps == 0)
        check_finite(self.model, str(self.out))

    def _set_latest(self) -> None:
        self.pool.set_latest(policy_arrays(self.model.policy))

    def _pauses_at(self, steps: int) -> bool:
        # Before a checkpoint no rollout is begun, so that the state is one between two updates.
        return steps >= min(self._next_checkpoint(), self.settings.steps or steps + 1)

    def _next_checkpoint(self) -> int:
        return self.last_checkpoint + self.settings.checkpoint_steps * 2**self.pool.thinned

    def _measure(self, games: int) -> list[WinShare]:
        # As policy:PATH plays: the most probable move.
        arrays = policy_arrays(self.model.outcome)
        return self._win_shares(NetworkPlayer(self.settings.form, arrays, sample=False), games)

    def _checkpoint(self, games: int, listeners: Listeners) -> None:
        # The state is written last: a run that is killed before goes on from the checkpoint before this
        # one, and comes to write all of this again.
        self._enter("evaluating", listeners)
        began = perf_counter()
        self.results = self._measure(games)
        self.pool.add_snapshot(self.steps, policy_arrays(self.model.outcome))
        self.seconds += perf_counter() - began
        self.rows.append(self._row())
        self._save_network(checkpoint_folder(self.out, self.steps))
        self._keep_best()
        self.model.remember()
        board.log(self)
        write_progress(self.out, self.rows)
        new = self._note_warnings()
        draw_curve(self.out, self.rows, self.settings.player_counts)
        draw_learning(self.out, self.rows)
        run_report.write(self)
        run_state.save(self)
        listeners.report(self.rows[-1])
        for line in new:
            listeners.warn(line)
        self._enter("training", listeners)

    def _row(self) -> Row:
        return {
            "steps": self.steps,
            "seconds": round(self.seconds, 1),
            "steps_per_second": self.steps_per_second,
            "games": self.games,
            "entropy": figure(self.model, "entropy"),
            "explained_variance": figure(self.model, "explained_variance"),
            "win_past": round(float(self.pool.results.mean()), 4),
            "score": round(self.score, 4),
            **columns(self.results, self.yardsticks),
            **exploit.target_column(self.settings, self.results),
        }
