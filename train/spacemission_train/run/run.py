"""Runs the training loop: updates, evaluations, checkpoints."""

from __future__ import annotations

from abc import abstractmethod
from contextlib import suppress
from pathlib import Path
from time import perf_counter

from torch.utils.tensorboard import SummaryWriter

from spacemission_agents.models.card import weights_digest
from spacemission_agents.models.folder import load_model, save_model
from spacemission_env.core.agents import Agent
from spacemission_env.core.errors import SpaceMissionError
from spacemission_env.version import __version__
from spacemission_train.run import exploiter, report
from spacemission_train.run.evaluation import WinShare, score
from spacemission_train.run.folder import (
    BEST_FOLDER,
    MODEL_FOLDER,
    STATE_FILE,
    WARNINGS_FILE,
    checkpoint_folder,
    columns,
    write_atomically,
    write_progress,
)
from spacemission_train.run.progress import Listeners, Progress, Row
from spacemission_train.run.state import (
    FORMAT,
    Learnt,
    ResumeError,
    Saved,
    Tensors,
    state_bytes,
)
from spacemission_train.run.warnings import DivergedError, warnings
from spacemission_train.settings.settings import Settings


class Run(Progress):
    """A run that learns; the methods (`ppo.run`, `td.run`) are its subclasses."""

    def __init__(self, settings: Settings, out: Path, command: str, begun: int = 0) -> None:
        """`settings` have threads and precision resolved; `begun`: learner steps before a resume."""
        super().__init__(settings, out, command)

    # ------------------------------------------------------------ methods of the subclasses

    @property
    @abstractmethod
    def learnt(self) -> Learnt:
        """The networks with their optimizer and their mean."""

    @abstractmethod
    def own_state(self) -> tuple[Saved, Tensors]:
        """The method's own part of a checkpoint file: JSON types, and tensors."""

    @abstractmethod
    def restore_own(self, saved: Saved, tensors: Tensors) -> None:
        """Restore a state, including `steps`, `updates` and `games`."""

    @abstractmethod
    def load_start(self, settings: Settings) -> None:
        """Load the weights of `settings.start`, if it is set."""

    @abstractmethod
    def _update(self) -> None:
        """Play and learn once."""

    @abstractmethod
    def _player(self) -> Agent:
        """The present networks as an agent that plays as `policy:FOLDER` does."""

    @abstractmethod
    def _figures(self) -> Row:
        """The method's own columns of progress.csv."""

    @abstractmethod
    def _close(self) -> None:
        """Close threads and files."""

    def seat_new_opponents(self) -> None:
        """Called when a run resumes with other opponents."""

    def _begin(self) -> None:
        """Called before the first update of a new or resumed run."""

    def _settle(self) -> None:
        """Called after the last update."""

    def _keep(self) -> None:
        """Add the networks to the past selves, at a checkpoint."""

    def _next_checkpoint(self) -> int:
        return self.last_checkpoint + self.settings.checkpoint_steps

    def _scalars(self) -> dict[str, float]:
        """The numbers of a checkpoint for TensorBoard."""
        figures = {f"evaluation/{result.name}": result.share for result in self.results}
        figures["evaluation/score"] = self.rows[-1]["score"]
        figures["time/learner_steps_per_second"] = self.steps_per_second
        return figures

    # ------------------------------------------------------------ training

    def go_on(self, listeners: Listeners) -> None:
        """Train up to the limit, then write the last evaluation, the report and the model folder.

        If the run stops earlier, the model folder gets the present networks, unless they have not learnt
        anything yet or have diverged.
        """
        try:
            self._train(listeners)
            if not self.rows or self.last_checkpoint < self.steps:
                self._checkpoint(self.settings.final_games, listeners)
            elif self.results[0].games < self.settings.final_games:  # resumed at its last step
                self.results = self.win_shares(self._player(), self.settings.final_games)
            if self.target is not None:
                self.exploit = exploiter.write_result(self)
            report.write(self)
            self.save_model(self.out / MODEL_FOLDER, finished=True)
        except DivergedError:
            raise
        except BaseException:
            if self.updates:
                with suppress(SpaceMissionError):  # the disk is full, or weights are not finite
                    self.save_model(self.out / MODEL_FOLDER)
            raise
        finally:
            self._close()

    def _train(self, listeners: Listeners) -> None:
        self._begin()
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
        # The state is written last: a run that is killed earlier resumes from the previous checkpoint and
        # writes all files of this one again.
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
        self._save_state()
        listeners.report(self.rows[-1])
        for line in new:
            listeners.warn(line)
        self._enter("training", listeners)

    def _row(self) -> Row:
        against = self.settings.exploit or self.yardsticks[-1]
        return {
            **self.timing(),
            **self._figures(),
            "score": round(score(self.results, against), 4),
            **columns(self.results, self.yardsticks),
            **exploiter.target_column(self.settings, self.results),
        }

    def _early_warnings(self) -> dict[str, str]:
        """The warnings of this evaluation: a line by kind."""
        return warnings(self.rows)

    def _note_warnings(self) -> list[str]:
        # Records the warnings that are new in the last rows, and returns them.
        new = {kind: line for kind, line in self._early_warnings().items() if kind not in self.warnings}
        if new:
            self.warnings |= {kind: f"{self.steps} steps: {line}" for kind, line in new.items()}
            text = "".join(f"{line}\n" for line in self.warnings.values())
            write_atomically(self.out / WARNINGS_FILE, text.encode())
        return list(new.values())

    # ------------------------------------------------------------ the checkpoint file

    def _save_state(self) -> None:
        text = {
            "format": FORMAT,
            "version": __version__,
            "layout": self.settings.spec.layout_version,
            "settings": self.settings.to_json(),
            "components_sha256": self.components.sha256,
            "target_sha256": weights_digest(self.target),
            "command": self.command,
            "steps": self.steps,
            "updates": self.updates,
            "games": self.games,
            "seconds": self.seconds,
            "training": self.training,
            "rows": self.rows,
            "results": [result.to_json() for result in self.results],
            "best": self.best,
            "warnings": self.warnings,
            **self.own_state()[0],
        }
        write_atomically(self.out / STATE_FILE, state_bytes(text, self._tensors()))

    def _tensors(self) -> Tensors:
        tensors = self.learnt.tensors() | self.own_state()[1]
        return {name: tensor.detach().clone().contiguous() for name, tensor in tensors.items()}

    def restore(self, path: Path, saved: Saved, tensors: Tensors) -> None:
        """Restore a state from `read_state` into a new run with the same settings.

        Raises:
            ResumeError: one line naming the file and what does not fit.
        """
        if saved["components_sha256"] != self.components.sha256:
            raise ResumeError(f"{path}: components: the run began with another table of components")
        if saved.get("target_sha256") != weights_digest(self.target):
            raise ResumeError(f"{path}: exploit: the model {self.settings.exploit!r} has changed")
        try:
            self.learnt.restore(tensors)
        except RuntimeError as error:
            reason = " ".join(str(error).split())
            raise ResumeError(f"{path}: does not fit these settings: {reason}") from None
        self.seconds, self.training = float(saved["seconds"]), float(saved["training"])
        self.rows, self.results = saved["rows"], [WinShare(**result) for result in saved["results"]]
        self.best, self.warnings = saved["best"], saved["warnings"]
        self.restore_own(saved, tensors)

    def mend(self) -> None:
        """Write OUT/best again from the best checkpoint, because a killed process may have changed it."""
        assert self.best is not None  # each saved state follows a checkpoint
        folder = checkpoint_folder(self.out, self.best["steps"])
        if folder.is_dir():
            card, arrays = load_model(folder)
            save_model(self.out / BEST_FOLDER, arrays, card, self.settings.spec)
