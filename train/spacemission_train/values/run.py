"""A run that learns a value of afterstates (learner.py): evaluations, checkpoints, and its folder."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

import numpy as np
from torch.utils.tensorboard import SummaryWriter

from spacemission_agents.models.reading import reading_of
from spacemission_env.core.agents_api import Agent, Decisions, make_agent, prepare_agents
from spacemission_train.game_training import find_game_training
from spacemission_train.learning.evaluation import WinShare
from spacemission_train.run import exploiter as exploit
from spacemission_train.run import report as run_report
from spacemission_train.run.base import BaseRun, Listeners, Row
from spacemission_train.run.folder import (
    checkpoint_folder,
    columns,
    result_name,
    write_progress,
)
from spacemission_train.run.plots import draw_curve, draw_learning
from spacemission_train.run.warnings import DivergedError
from spacemission_train.settings.settings import Settings
from spacemission_train.values import state
from spacemission_train.values.learner import Learner


class ValuePlayer(Agent):
    """A network as it is now, playing as `policy:FOLDER` will."""

    def __init__(self, settings: Settings, arrays: dict[str, np.ndarray]) -> None:
        """Take these tensors."""
        self._reading, form = reading_of(settings.game), settings.form.card()
        self.wants_worlds = self._reading.wants_worlds(form)
        self._network = self._reading.new_network(arrays, form)

    def act(self, decisions: Decisions) -> np.ndarray:
        """The best move of each row."""
        return self._reading.run_rows(decisions, self._network, False)[0]


class ValueRun(BaseRun):
    """A run that learns a value; what may be asked of it is `protocol.AnyRun`. Made by `trainer`.

    Attributes:
        learner: games, network and optimizer.
        games_before: games that had ended before it was gone on with.
    """

    def __init__(self, settings: Settings, out: Path, command: str, begun: int = 0) -> None:
        """Make games and network; `begun`: learner steps that were made before."""
        super().__init__(settings, out, command)
        training = find_game_training(settings.game)
        games = training.load(training.values, None)(self.settings, begun)
        self.learner = Learner(self.settings, games)
        self.games_before = 0
        if settings.exploit is not None:
            self.target = make_agent(settings.exploit, settings.game)
            prepare_agents([self.target], settings.info)

    @property
    def steps(self) -> int:
        """Learner steps so far: decisions of all seats."""
        return self.learner.steps

    @property
    def games(self) -> int:
        """Games that have ended."""
        return self.games_before + self.learner.games.games

    def arrays(self) -> dict[str, np.ndarray]:
        """The value."""
        return self.learner.network.arrays()

    @property
    def updates(self) -> int:
        """Updates of the network so far."""
        return self.learner.updates

    def _train(self, listeners: Listeners) -> None:
        listeners.advance(self)
        while self.fraction < 1.0:
            began = perf_counter()
            self.learner.advance(self.fraction)
            self.training += perf_counter() - began
            self.seconds += perf_counter() - began
            if self.fraction < 1.0 and self.steps >= self.last_checkpoint + self.settings.checkpoint_steps:
                self._checkpoint(self.settings.evaluation_games, listeners)
            listeners.advance(self)

    def _close(self) -> None:
        self.learner.close()

    def _measure(self, games: int) -> list[WinShare]:
        of, arrays = self.settings, self.arrays()
        if not all(np.isfinite(array).all() for array in arrays.values()):
            raise DivergedError(
                f"{self.out}: weights not finite after {self.steps} steps; the last checkpoint stays."
                " A smaller learning_rate may help"
            )
        return self._win_shares(ValuePlayer(of, arrays), games)

    def _checkpoint(self, games: int, listeners: Listeners) -> None:
        self._enter("evaluating", listeners)
        began = perf_counter()
        self.results = self._measure(games)
        self.seconds += perf_counter() - began
        self.rows.append(self._row())
        self._save_network(checkpoint_folder(self.out, self.steps))
        self._keep_best()
        self._write(listeners)
        self.phase = "training"

    def _write(self, listeners: Listeners) -> None:
        write_progress(self.out, self.rows)
        new = self._note_warnings()
        draw_curve(self.out, self.rows, self.settings.player_counts)
        draw_learning(self.out, self.rows)
        with SummaryWriter(str(self.out / "tensorboard")) as board:
            for result in self.results:
                board.add_scalar(f"evaluation/{result_name(result)}", result.share, self.steps)
            for name in ("score", "value_loss", "rounds", "steps_per_second"):
                if self.rows[-1][name] is not None:
                    board.add_scalar(f"run/{name}", self.rows[-1][name], self.steps)
        run_report.write(self)
        state.save(self)
        listeners.report(self.rows[-1])
        for line in new:
            listeners.warn(line)

    def _row(self) -> Row:
        loss = self.learner.loss
        return {
            "steps": self.steps,
            "seconds": round(self.seconds, 1),
            "steps_per_second": self.steps_per_second,
            "games": self.games,
            "value_loss": None if loss is None else round(loss, 4),
            "rounds": round(self.learner.games.rounds, 1),
            "score": round(self.score, 4),
            **columns(self.results, self.yardsticks),
            **exploit.target_column(self.settings, self.results),
        }
