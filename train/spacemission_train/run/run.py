"""Runs training: updates, evaluations, checkpoints; methods (`ppo.run`, `td.run`) add what learns."""

from __future__ import annotations

from abc import abstractmethod
from contextlib import suppress
from pathlib import Path
from time import perf_counter

import torch
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
    ResumeError,
    Saved,
    Tensors,
    check_tensors,
    learnt_tensors,
    restore_learnt,
    state_bytes,
)
from spacemission_train.run.warnings import DivergedError, warnings
from spacemission_train.settings.settings import Settings


class Run(Progress):
    """A run that learns; a method says how an update is made, and what a checkpoint file holds of it."""

    def __init__(self, settings: Settings, out: Path, command: str, begun: int = 0) -> None:
        """`settings` with threads and precision settled; `begun`: learner steps that were made before."""
        super().__init__(settings, out, command)

    # ------------------------------------------------------------ what a method adds

    @property
    @abstractmethod
    def learning(self) -> tuple[torch.nn.Module, torch.optim.Optimizer]:
        """The networks and their optimizer."""

    @abstractmethod
    def own_state(self) -> tuple[Saved, Tensors]:
        """What a checkpoint file has beside networks and optimizer: JSON types, and tensors."""

    @abstractmethod
    def check_own(self, saved: Saved, tensors: Tensors) -> None:
        """Refuse, with ValueError, what `own_state` cannot have given."""

    @abstractmethod
    def restore_own(self, saved: Saved, tensors: Tensors) -> None:
        """Take over what was checked, and `steps`, `updates` and `games`."""

    @abstractmethod
    def load_start(self, settings: Settings) -> None:
        """Begin with the weights of `settings.start`, if any."""

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

    def seat_new_opponents(self) -> None:
        """Called where a run goes on with other opponents."""

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
        figures = {f"evaluation/{result.name}": result.share for result in self.results}
        figures["evaluation/score"] = self.rows[-1]["score"]
        figures["time/learner_steps_per_second"] = self.steps_per_second
        return figures

    # ------------------------------------------------------------ training

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
        self._save_state()
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
        tensors = learnt_tensors(*self.learning) | self.own_state()[1]
        return {name: tensor.detach().clone().contiguous() for name, tensor in tensors.items()}

    def restore(self, path: Path, saved: Saved, tensors: Tensors) -> None:
        """Take over a state that was read (`read_state`) into a run just made with its settings.

        Raises:
            ResumeError: naming the file and what does not fit; nothing is restored then.
        """
        if saved["components_sha256"] != self.components.sha256:
            raise ResumeError(f"{path}: components: the run began with another table of components")
        if saved.get("target_sha256") != weights_digest(self.target):
            raise ResumeError(f"{path}: exploit: {self.settings.exploit!r} is another model by now")
        try:
            check_tensors(tensors, self._tensors(), self.learning[0])
            self.check_own(saved, tensors)
        except (KeyError, RuntimeError, ValueError, TypeError, OverflowError) as error:
            reason = " ".join(str(error).split())
            raise ResumeError(f"{path}: does not fit these settings: {reason}") from None
        restore_learnt(*self.learning, tensors)
        self.seconds, self.training = float(saved["seconds"]), float(saved["training"])
        self.rows, self.results = saved["rows"], [WinShare(**result) for result in saved["results"]]
        self.best, self.warnings = saved["best"], saved["warnings"]
        self.restore_own(saved, tensors)

    def mend(self) -> None:
        """Let OUT/best be the best checkpoint of the state: a killed process may have been replacing it."""
        assert self.best is not None  # a state is a checkpoint's
        folder = checkpoint_folder(self.out, self.best["steps"])
        if folder.is_dir():
            card, arrays = load_model(folder)
            save_model(self.out / BEST_FOLDER, arrays, card, self.settings.spec)
