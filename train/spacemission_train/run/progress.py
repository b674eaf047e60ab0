"""Holds the state that all kinds of runs share: settings, evaluations, times."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from spacemission_agents.models.folder import save_model
from spacemission_env.core.agents import Agent
from spacemission_env.core.reading import Json
from spacemission_train.game_training import find_game_training
from spacemission_train.run.evaluation import WinShare, win_share
from spacemission_train.run.folder import FINISHED
from spacemission_train.self_play.league import Pool
from spacemission_train.settings.settings import Settings

Row = dict[str, Any]  # a row of progress.csv


class Progress:
    """A run and its progress.

    Attributes:
        settings: settings of the run.
        out: folder of the run.
        command: the command line that started the run, for the model card.
        components: components of the game.
        yardsticks: opponents in evaluations, the strongest last.
        target: the frozen agent of an exploiter; else None.
        pool: the opponents, past selves included; None if the method has no past selves.
        rows: rows of progress.csv, one for each evaluation.
        results: the last evaluation.
        best: `steps` and `score` (evaluation.score) of the best checkpoint; None before any checkpoint.
        warnings: early warnings so far, by kind (warnings.py).
        phase: "training" or "evaluating".
        exploit: contents of exploit.json after an exploiter has finished; else None.
        seconds: wall-clock seconds so far, including evaluations.
        training: wall-clock seconds so far, excluding evaluations.
    """

    pool: Pool | None = None

    def __init__(self, settings: Settings, out: Path, command: str) -> None:
        """A run that has not begun."""
        self.settings, self.out, self.command = settings, out, command
        self.rows: list[Row] = []
        self.results: list[WinShare] = []
        self.best: Json | None = None
        self.warnings: dict[str, str] = {}
        self.phase = "training"
        self.seconds = self.training = 0.0
        self.components = settings.spec.load_components(settings.components)
        self.exploit: Json | None = None
        self.target: Agent | None = None
        self.yardsticks = find_game_training(settings.game).yardsticks

    @property
    def steps(self) -> int:
        """Learner steps so far."""
        raise NotImplementedError

    @property
    def games(self) -> int:
        """Finished games."""
        raise NotImplementedError

    @property
    def updates(self) -> int:
        """Updates of the networks so far."""
        raise NotImplementedError

    def arrays(self) -> dict[str, np.ndarray]:
        """The weights for a model folder."""
        raise NotImplementedError

    @property
    def steps_per_second(self) -> int:
        """Learner steps per second, excluding evaluations."""
        return round(self.steps / self.training) if self.training else 0

    @property
    def fraction(self) -> float:
        """The part of the run that is done, 0 to 1, judged by the limit that is nearer."""
        steps, minutes = self.settings.steps, self.settings.minutes
        by_steps = self.steps / steps if steps else 0.0
        by_time = self.seconds / (60 * minutes) if minutes else 0.0
        return min(1.0, max(by_steps, by_time))

    @property
    def last_checkpoint(self) -> int:
        """Learner steps at the last checkpoint; 0 before the first."""
        return self.rows[-1]["steps"] if self.rows else 0

    def timing(self) -> Row:
        """The first columns of progress.csv."""
        return {
            "steps": self.steps,
            "seconds": round(self.seconds, 1),
            "steps_per_second": self.steps_per_second,
            "games": self.games,
        }

    def win_shares(self, player: Agent, games: int) -> list[WinShare]:
        """Measure a player against each yardstick and the target, at each number of players."""
        of = self.settings
        opponents: dict[str, str | Agent] = {name: name for name in self.yardsticks}
        if self.target is not None:  # the loaded agent, because its folder may have changed
            opponents[str(of.exploit)] = self.target
        return [
            win_share(player, agent, number, games, of.seed, of.rules, self.components, name, of.game)
            for number in of.player_counts
            for name, agent in opponents.items()
        ]

    def save_model(self, folder: Path, finished: bool = False, **more: object) -> None:
        """Write the weights as a model folder; `more`: further entries of `training` on its card."""
        of = self.settings
        training = {
            "command": self.command,
            "preset": of.preset,
            "seed": of.seed,
            "steps": self.steps,
            "players": list(of.player_counts),
            "seconds": round(self.seconds, 1),
            FINISHED: finished,
            **more,
            "settings": of.to_json(),
        }
        results = self.results if self.last_checkpoint in (0, self.steps) else []  # else of old weights
        card = {
            "rules": of.spec.make_rules(of.rules).to_json(),
            "components_sha256": self.components.sha256,
            "network": of.form.card(),
            "training": training,
            "results": {result.name: result.to_json() for result in results},
        }
        save_model(folder, self.arrays(), card, of.spec)


def quiet(_: object) -> None:
    """Do nothing."""


@dataclass(frozen=True)
class Listeners:
    """Callbacks of a run.

    Attributes:
        report: called with the row of each evaluation.
        advance: called with the run after each update and each change of its `phase`.
        warn: called with each early warning, one line, once.
    """

    report: Callable[[Row], None] = quiet
    advance: Callable[[Progress], None] = quiet
    warn: Callable[[str], None] = quiet
