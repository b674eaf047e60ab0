"""What may be asked of a training run; so the modules that a run calls need not know the run's own module."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

from spacemission_env.core.agents_api import Agent
from spacemission_env.core.game_spec import Components
from spacemission_train.learning.evaluation import WinShare
from spacemission_train.learning.ppo import LeaguePPO
from spacemission_train.self_play.league import Pool
from spacemission_train.self_play.vec_env import SelfPlayVecEnv
from spacemission_train.settings.settings import Settings


class AnyRun(Protocol):
    """A run and its folder, whichever library trains; the attributes are those of `run.Run`."""

    settings: Settings
    out: Path
    command: str
    rows: list[dict[str, Any]]
    results: list[WinShare]
    best: dict[str, Any] | None
    warnings: dict[str, str]
    exploit: dict[str, Any] | None
    phase: str
    yardsticks: tuple[str, ...]
    seconds: float
    training: float

    @property
    def pool(self) -> Pool | None:
        """Past selves that it plays against; None where it has none."""

    @property
    def steps(self) -> int:
        """Learner steps so far."""

    @property
    def games(self) -> int:
        """Games that have ended."""

    @property
    def steps_per_second(self) -> int:
        """Learner steps a second of training, evaluations left out."""

    @property
    def fraction(self) -> float:
        """How much of the run is done, 0 to 1."""


class TargetRun(AnyRun, Protocol):
    """One that may be an exploiter's."""

    target: Agent | None


class LeagueRun(TargetRun, Protocol):
    """A run of self-play in a league (`run.Run`)."""

    components: Components

    @property
    def pool(self) -> Pool:
        """Past selves that it plays against."""

    env: SelfPlayVecEnv
    model: LeaguePPO
