"""What runs of every method share: settings, results so far, how far they are, warnings, model folders."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from spacemission_env.core.agents_api import Agent
from spacemission_train.game_training import find_game_training
from spacemission_train.learning.evaluation import WinShare, score, win_share
from spacemission_train.learning.parts import settled
from spacemission_train.run.files import write_atomically
from spacemission_train.run.folder import BEST_FOLDER, WARNINGS_FILE, save_network
from spacemission_train.run.warnings import warnings
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


class BaseRun:
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
        exploit: what exploit.json holds, once an exploiter is finished; else None.
        seconds: wall-clock seconds so far, with evaluations; `training`: without.
    """

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
    def steps(self) -> int:
        """Learner steps so far."""
        raise NotImplementedError

    def arrays(self) -> dict[str, np.ndarray]:
        """The networks that a model folder gets now."""
        raise NotImplementedError

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

    def _save_network(self, folder: Path) -> None:
        training = {
            "command": self.command,
            "preset": self.settings.preset,
            "seed": self.settings.seed,
            "steps": self.steps,
            "players": list(self.settings.player_counts),
            "seconds": round(self.seconds, 1),
        }
        save_network(folder, self.arrays(), self.settings, training, self.results)
