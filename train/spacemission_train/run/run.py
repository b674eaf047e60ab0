"""Runs training: updates, evaluations, checkpoints; methods (`ppo.run`, `td.run`) add what learns."""

from __future__ import annotations

from abc import abstractmethod
from contextlib import suppress
from pathlib import Path
from time import perf_counter

from torch.utils.tensorboard import SummaryWriter

from spacemission_env.core.agents import Agent
from spacemission_env.core.errors import SpaceMissionError
from spacemission_train.run import exploiter, report, state
from spacemission_train.run.evaluation import score
from spacemission_train.run.folder import (
    BEST_FOLDER,
    MODEL_FOLDER,
    WARNINGS_FILE,
    checkpoint_folder,
    columns,
    result_name,
    write_atomically,
    write_progress,
)
from spacemission_train.run.progress import Listeners, Row
from spacemission_train.run.warnings import DivergedError, warnings
from spacemission_train.settings.settings import Settings


class Run(state.Resumable):
    """A run that learns; a method says how an update is made, and what a checkpoint file holds of it."""

    def __init__(self, settings: Settings, out: Path, command: str, begun: int = 0) -> None:
        """`settings` with threads and precision settled; `begun`: learner steps that were made before."""
        super().__init__(settings, out, command)

    @abstractmethod
    def load_start(self, settings: Settings) -> None:
        """Begin with the weights of `settings.start`, if any."""

    def seat_new_opponents(self) -> None:
        """Called where a run goes on with other opponents."""

    @abstractmethod
    def _update(self) -> None:
        """Play on and learn."""

    @abstractmethod
    def _player(self) -> Agent:
        """The networks as they are, playing as `policy:FOLDER` will."""

    @abstractmethod
    def _figures(self) -> Row:
        """How it learns: further columns of progress.csv."""

    @abstractmethod
    def _close(self) -> None:
        """End what the run has started: threads, files."""

    def _begin(self, listeners: Listeners) -> None:
        """Called before the first update, also of a run that is gone on with."""

    def _settle(self) -> None:
        """Called after the last update."""

    def _keep(self) -> None:
        """Keep the networks of a checkpoint as a past self."""

    def _next_checkpoint(self) -> int:
        return self.last_checkpoint + self.settings.checkpoint_steps

    def _scalars(self) -> dict[str, float]:
        """What TensorBoard gets of a checkpoint."""
        figures = {f"evaluation/{result_name(result)}": result.share for result in self.results}
        figures["evaluation/score"] = self.rows[-1]["score"]
        figures["time/learner_steps_per_second"] = self.steps_per_second
        return figures

    def go_on(self, listeners: Listeners) -> None:
        """Train up to the limit, and write the last evaluation, the report and the model folder.

        Whatever stops it before, the networks as they are then become the model folder, once they have
        learnt anything and have not diverged.
        """
        try:
            self._train(listeners)
            if not self.rows or self.last_checkpoint < self.steps:
                self._checkpoint(self.settings.final_games, listeners)
            elif self.results[0].games < self.settings.final_games:  # stopped there, and now to end there
                self.results = self.win_shares(self._player(), self.settings.final_games)
            if self.target is not None:
                self.exploit = exploiter.write_result(self)
            report.write(self)
            self.save_model(self.out / MODEL_FOLDER, finished=True)
        except DivergedError:
            raise
        except BaseException:
            if self.updates:
                with suppress(SpaceMissionError):  # no room on the disk, or weights that are not finite
                    self.save_model(self.out / MODEL_FOLDER)
            raise
        finally:
            self._close()

    def _train(self, listeners: Listeners) -> None:
        self._begin(listeners)
        self._enter("training", listeners)
        while self.fraction < 1.0:
            began = perf_counter()
            self._update()
            spent = perf_counter() - began
            self.training += spent
            self.seconds += spent
            if self.fraction < 1.0 and self.steps >= self._next_checkpoint():
                self._checkpoint(self.settings.evaluation_games, listeners)
            listeners.advance(self)
        self._settle()

    def _enter(self, phase: str, listeners: Listeners) -> None:
        self.phase = phase
        listeners.advance(self)

    def _checkpoint(self, games: int, listeners: Listeners) -> None:
        # The state is written last: a run that is killed before goes on from the checkpoint before this
        # one, and comes to write all of this again.
        self._enter("evaluating", listeners)
        began = perf_counter()
        self.results = self.win_shares(self._player(), games)
        self._keep()
        self.seconds += perf_counter() - began
        self.rows.append(self._row())
        self.save_model(checkpoint_folder(self.out, self.steps))
        if self.best is None or self.rows[-1]["score"] >= self.best["score"]:
            self.best = {"steps": self.steps, "score": self.rows[-1]["score"]}
            self.save_model(self.out / BEST_FOLDER)
        with SummaryWriter(str(self.out / "tensorboard")) as board:
            for name, value in self._scalars().items():
                board.add_scalar(name, value, self.steps)
        write_progress(self.out, self.rows)
        new = self._note_warnings()
        report.draw_curve(self.out, self.rows, self.settings.player_counts)
        report.draw_learning(self.out, self.rows)
        report.write(self)
        state.save(self)
        listeners.report(self.rows[-1])
        for line in new:
            listeners.warn(line)
        self._enter("training", listeners)

    def _row(self) -> Row:
        # An exploiter's score is against its target.
        against = self.settings.exploit or self.yardsticks[-1]
        return {
            **self.timing(),
            **self._figures(),
            "score": round(score(self.results, against), 4),
            **columns(self.results, self.yardsticks),
            **exploiter.target_column(self.settings, self.results),
        }

    def _note_warnings(self) -> list[str]:
        # Keeps what the last rows warn of for the first time; those lines.
        new = {kind: line for kind, line in warnings(self.rows).items() if kind not in self.warnings}
        if new:
            self.warnings |= {kind: f"{self.steps} steps: {line}" for kind, line in new.items()}
            text = "".join(f"{line}\n" for line in self.warnings.values())
            write_atomically(self.out / WARNINGS_FILE, text.encode())
        return list(new.values())
