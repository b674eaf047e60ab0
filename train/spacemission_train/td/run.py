"""Runs learning from afterstates: of values by TD(lambda), of policies by PPO."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from spacemission_env.core.agents import Agent, make_agent, prepare_agents
from spacemission_train.ppo import warm_start
from spacemission_train.ppo.afterstate_games import PolicyGames
from spacemission_train.ppo.afterstates import PolicyLearner
from spacemission_train.run.progress import Row
from spacemission_train.run.run import Run
from spacemission_train.run.state import Learnt, Saved, Tensors
from spacemission_train.run.warnings import DivergedError
from spacemission_train.self_play.league import NetworkPlayer
from spacemission_train.settings.settings import PPO, Settings
from spacemission_train.td.games import LONGEST, SelfPlay
from spacemission_train.td.learner import Learner


class AfterstateRun(Run):
    """A run that learns from afterstates; `trainer` makes it. A resumed run starts new games."""

    def __init__(self, settings: Settings, out: Path, command: str, begun: int = 0) -> None:
        """Make the games and the network; `begun`: learner steps before the run was resumed."""
        super().__init__(settings, out, command)
        self.learner = (
            PolicyLearner(settings, PolicyGames(settings, begun))
            if settings.method == PPO
            else Learner(settings, SelfPlay(settings, begun))
        )
        self.games_before = 0  # games that had finished before the run was resumed
        if settings.exploit is not None:
            self.target = make_agent(settings.exploit, settings.game)
            prepare_agents([self.target], settings.info)

    @property
    def steps(self) -> int:
        """Decisions of all learning seats so far."""
        return self.learner.steps

    @property
    def games(self) -> int:
        """Finished games."""
        return self.games_before + self.learner.games.games

    @property
    def updates(self) -> int:
        """Updates of the network so far."""
        return self.learner.updates

    def arrays(self) -> dict[str, np.ndarray]:
        """The weights of the network."""
        return self.learner.outcome.arrays()

    @property
    def learnt(self) -> Learnt:
        """The network, its optimizer and its mean."""
        return Learnt(self.learner.network, self.learner.optimizer, self.learner.mean)

    def own_state(self) -> tuple[Saved, Tensors]:
        """The running mean of the loss."""
        return {"loss": self.learner.loss}, {}

    def restore_own(self, saved: Saved, tensors: Tensors) -> None:
        """Restore the counts and the loss."""
        self.learner.steps, self.learner.updates = saved["steps"], saved["updates"]
        self.learner.loss, self.games_before = saved["loss"], saved["games"]

    def load_start(self, settings: Settings) -> None:
        """Load the weights of `settings.start`, if it is set."""
        warm_start.load_value(settings, self.learner.network)
        self.learner.outcome.load_state_dict(self.learner.network.state_dict())

    def _update(self) -> None:
        self.learner.advance(self.fraction)

    def _close(self) -> None:
        self.learner.close()

    def _player(self) -> Agent:
        arrays = self.arrays()
        if not all(np.isfinite(array).all() for array in arrays.values()):
            raise DivergedError(self.out, "weights", self.steps)
        return NetworkPlayer(self.settings.form, arrays, sample=False)

    def _figures(self) -> Row:
        return self.learner.figures()

    def _early_warnings(self) -> dict[str, str]:
        dropped = self.learner.games.dropped
        line = f"{dropped} games took over {LONGEST} decisions: the run did not learn from them"
        return super()._early_warnings() | ({"dropped": line} if dropped else {})

    def _scalars(self) -> dict[str, float]:
        figures = {f"run/{name}": value for name, value in self._figures().items() if value is not None}
        return super()._scalars() | figures
