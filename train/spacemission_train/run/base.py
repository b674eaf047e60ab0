"""What runs of every method share: settings, results so far, how far they are, warnings, model folders."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from spacemission_env.core.agents_api import Agent
from spacemission_env.core.errors import SpaceMissionError
from spacemission_train.game_training import find_game_training
from spacemission_train.learning.evaluation import WinShare, score, win_share
from spacemission_train.learning.parts import settled
from spacemission_train.run import exploiter as exploit
from spacemission_train.run import report as run_report
from spacemission_train.run.files import write_atomically
from spacemission_train.run.folder import BEST_FOLDER, FINISHED, MODEL_FOLDER, WARNINGS_FILE, save_network
from spacemission_train.run.warnings import DivergedError, warnings
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


class BaseRun(ABC):
    """A run and its folder; a method adds what learns: `steps`, `arrays` and how to go on.

    Attributes:
        settings: what it runs with; `threads` and `precision` are settled by now.
        out: its folder.
        command: the command line that it was started with; for the model's card.
        components: of the game.
        yardsticks: agents that evaluations are against, the strongest last.
        target: the frozen agent that an exploiter is trained and measured against; else None.
        rows: one an evaluation so far, as in progress.csv.
        results: the last evaluation.
        best: `steps` and `score` (evaluation.score) of the best checkpoint; None before the first.
        warnings: early warnings so far, by kind (warnings.py).
        phase: what it is doing: imitating, training, evaluating.
        pool: a `Pool` of past selves that it plays against; None where it has none.
        exploit: what exploit.json holds, once an exploiter is finished; else None.
        seconds: wall-clock seconds so far, with evaluations; `training`: without.
    """

    pool: Any = None

    def __init__(self, settings: Settings, out: Path, command: str) -> None:
        """Nothing has been done yet."""
        self.settings = settled(settings)
        self.out, self.command = out, command
        self.rows: list[Row] = []
        self.results: list[WinShare] = []
        self.best: dict[str, Any] | None = None
        self.warnings: dict[str, str] = {}
        self.phase = "training"
        self.seconds = self.training = 0.0
        self.components = settings.spec.load_components(settings.components)
        self.exploit: dict[str, Any] | None = None
        self.target: Agent | None = None
        self.yardsticks = find_game_training(settings.game).yardsticks

    @property
    @abstractmethod
    def steps(self) -> int:
        """Learner steps so far."""

    @abstractmethod
    def arrays(self) -> dict[str, np.ndarray]:
        """The networks that a model folder gets now."""

    @property
    @abstractmethod
    def games(self) -> int:
        """Games that have ended."""

    @property
    @abstractmethod
    def updates(self) -> int:
        """Updates of the networks so far."""

    @abstractmethod
    def _train(self, listeners: Listeners) -> None:
        """Train up to the limit, with checkpoints on the way."""

    @abstractmethod
    def _measure(self, games: int) -> list[WinShare]:
        """Play the evaluation games of the networks as they are."""

    @abstractmethod
    def _checkpoint(self, games: int, listeners: Listeners) -> None:
        """Evaluate and write everything that a checkpoint has."""

    @abstractmethod
    def _close(self) -> None:
        """End what the run has started: threads, files."""

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
                self.results = self._measure(self.settings.final_games)
            if self.target is not None:
                self.exploit = exploit.write_result(self)
            run_report.write(self)
            self._save_network(self.out / MODEL_FOLDER, finished=True)
        except DivergedError:
            raise
        except BaseException:
            if self.updates:
                with suppress(SpaceMissionError):  # no room on the disk, or weights that are not finite
                    self._save_network(self.out / MODEL_FOLDER)
            raise
        finally:
            self._close()

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

    @property
    def last_checkpoint(self) -> int:
        """Learner steps at the last checkpoint; 0 before the first."""
        return self.rows[-1]["steps"] if self.rows else 0

    def _enter(self, phase: str, listeners: Listeners) -> None:
        self.phase = phase
        listeners.advance(self)

    def _win_shares(self, player: Agent, games: int) -> list[WinShare]:
        """What a player wins against each yardstick and the target, at each number of players."""
        of = self.settings
        yardsticks: dict[str, str | Agent] = {name: name for name in self.yardsticks}
        if self.target is not None:  # the very object, whatever has become of its folder
            yardsticks[str(of.exploit)] = self.target
        return [
            win_share(player, agent, number, games, of.seed, of.rules, self.components, name, of.game)
            for number in of.player_counts
            for name, agent in yardsticks.items()
        ]

    @property
    def score(self) -> float:
        """How good the last evaluation is (evaluation.score); an exploiter's is against its target."""
        return score(self.results, self.settings.exploit or self.yardsticks[-1])

    def _keep_best(self) -> None:
        if self.best is None or self.rows[-1]["score"] >= self.best["score"]:
            self.best = {"steps": self.steps, "score": self.rows[-1]["score"]}
            self._save_network(self.out / BEST_FOLDER)

    def _note_warnings(self) -> list[str]:
        """Keep what the last rows warn of for the first time; those lines."""
        new = {kind: line for kind, line in warnings(self.rows).items() if kind not in self.warnings}
        if new:
            self.warnings |= {kind: f"{self.steps} steps: {line}" for kind, line in new.items()}
            text = "".join(f"{line}\n" for line in self.warnings.values())
            write_atomically(self.out / WARNINGS_FILE, text.encode())
        return list(new.values())

    def _save_network(self, folder: Path, finished: bool = False) -> None:
        training = {
            "command": self.command,
            "preset": self.settings.preset,
            "seed": self.settings.seed,
            "steps": self.steps,
            "players": list(self.settings.player_counts),
            "seconds": round(self.seconds, 1),
            FINISHED: finished,
        }
        results = self.results if self.last_checkpoint in (0, self.steps) else []  # those of other weights
        save_network(folder, self.arrays(), self.settings, training, results)
