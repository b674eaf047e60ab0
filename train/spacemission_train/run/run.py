"""A training run: self-play with MaskablePPO, evaluations, checkpoints. `trainer` begins and resumes one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from stable_baselines3.common.logger import configure

from spacemission_env.core.agents_api import Agent, prepare_agents
from spacemission_train.game_training import find_game_training
from spacemission_train.learning import warm_start
from spacemission_train.learning.evaluation import WinShare, score, win_share
from spacemission_train.learning.imitation import imitate
from spacemission_train.learning.networks import NetworkPlayer, network_arrays, policy_arrays
from spacemission_train.learning.parts import make_env, make_model, settled
from spacemission_train.run import exploiter as exploit
from spacemission_train.run import report as run_report
from spacemission_train.run import state as run_state
from spacemission_train.run import tensorboard as board
from spacemission_train.run.files import write_atomically
from spacemission_train.run.folder import (
    BEST_FOLDER,
    MODEL_FOLDER,
    WARNINGS_FILE,
    checkpoint_folder,
    columns,
    save_network,
    write_progress,
)
from spacemission_train.run.plots import draw_curve, draw_learning
from spacemission_train.run.warnings import check_finite, figure, warnings
from spacemission_train.self_play.league import Pool
from spacemission_train.settings.settings import Settings

Row = dict[str, Any]


def quiet(_: Any) -> None:
    """Tell nobody."""


@dataclass(frozen=True)
class Listeners:
    """Who is told what while a run goes on.

    Attributes:
        report: gets each evaluation's row.
        advance: gets the run after every update, and as its `phase` changes.
        warn: gets each early warning once, one line.
    """

    report: Callable[[Row], None] = quiet
    advance: Callable[[Any], None] = quiet
    warn: Callable[[str], None] = quiet


class Run:
    """A training run and its folder; made by `trainer.start` or `trainer.resume`.

    Attributes:
        settings: what it runs with; `threads` and `precision` are settled by now.
        out: its folder.
        command: the command line that it was started with; for the model's card.
        rows: one an evaluation so far, as in progress.csv.
        results: the last evaluation.
        best: `steps` and `score` (evaluation.score) of the best checkpoint; None before the first.
        warnings: early warnings so far, by kind (warnings.py).
        phase: what it is doing: imitating, training, evaluating.
        target: the frozen agent that an exploiter is trained and measured against; else None.
        exploit: what exploit.json holds, once an exploiter is finished; else None.
        seconds: wall-clock seconds so far, with evaluations; `training`: without.
    """

    def __init__(self, settings: Settings, out: Path, command: str) -> None:
        """Make model, environment and opponents."""
        self.settings = settings = settled(settings)
        self.out, self.command = out, command
        self.rows: list[Row] = []
        self.results: list[WinShare] = []
        self.best: dict[str, Any] | None = None
        self.warnings: dict[str, str] = {}
        self.phase = "training"
        self.seconds = self.training = 0.0
        self.components = settings.spec.load_components(settings.components)
        self.exploit: dict[str, Any] | None = None
        self.yardsticks = find_game_training(settings.game).yardsticks
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
    def steps_per_second(self) -> int:
        """Learner steps a second of training, evaluations left out."""
        return round(self.steps / self.training) if self.training else 0

    @property
    def fraction(self) -> float:
        """How much of the run is done, 0 to 1: of the limit that is nearer."""
        steps, minutes = self.settings.steps, self.settings.minutes
        by_steps = self.steps / steps if steps else 0.0
        by_time = self.seconds / (60 * minutes) if minutes else 0.0
        return min(1.0, max(by_steps, by_time))

    def go_on(self, listeners: Listeners) -> None:
        """Train up to the limit."""
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
        if not self.rows or self.rows[-1]["steps"] < self.steps:
            self._checkpoint(self.settings.final_games, listeners)
        elif self.results[0].games < self.settings.final_games:  # stopped there, and now to end there
            self.results = self._measure(self.settings.final_games)
        if self.target is not None:
            self.exploit = exploit.write_result(self)
        run_report.write(self)
        self.model.logger.close()
        self._save_network(self.out / MODEL_FOLDER)  # the last: its folder says that the run is finished

    def _enter(self, phase: str, listeners: Listeners) -> None:
        self.phase = phase
        listeners.advance(self)

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
        done = self.rows[-1]["steps"] if self.rows else 0
        return done + self.settings.checkpoint_steps * 2**self.pool.thinned

    def _measure(self, games: int) -> list[WinShare]:
        of = self.settings
        # As policy:PATH plays: the most probable move.
        player = NetworkPlayer(of.form, policy_arrays(self.model.outcome), sample=False)
        yardsticks: dict[str, str | Agent] = {name: name for name in self.yardsticks}
        if self.target is not None:  # the very object, whatever has become of its folder
            yardsticks[str(of.exploit)] = self.target
        return [
            win_share(player, agent, number, games, of.seed, of.rules, self.components, name, of.game)
            for number in of.player_counts
            for name, agent in yardsticks.items()
        ]

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
        new = {kind: line for kind, line in warnings(self.rows).items() if kind not in self.warnings}
        self._warned(new)
        draw_curve(self.out, self.rows, self.settings.player_counts)
        draw_learning(self.out, self.rows)
        run_report.write(self)
        run_state.save(self)
        listeners.report(self.rows[-1])
        for line in new.values():
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

    @property
    def score(self) -> float:
        """How good the last evaluation is (evaluation.score); an exploiter's is against its target."""
        return score(self.results, self.settings.exploit or self.yardsticks[-1])

    def _keep_best(self) -> None:
        if self.best is None or self.rows[-1]["score"] >= self.best["score"]:
            self.best = {"steps": self.steps, "score": self.rows[-1]["score"]}
            self._save_network(self.out / BEST_FOLDER)

    def _warned(self, new: dict[str, str]) -> None:
        if new:
            self.warnings |= {kind: f"{self.steps} steps: {line}" for kind, line in new.items()}
            text = "".join(f"{line}\n" for line in self.warnings.values())
            write_atomically(self.out / WARNINGS_FILE, text.encode())

    def _save_network(self, folder: Path) -> None:
        training = {
            "command": self.command,
            "preset": self.settings.preset,
            "seed": self.settings.seed,
            "steps": self.steps,
            "players": list(self.settings.player_counts),
            "seconds": round(self.seconds, 1),
        }
        save_network(folder, network_arrays(self.model.outcome), self.settings, training, self.results)
