"""Training runs that take seconds, and comparisons of two runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from stable_baselines3.common.logger import Logger

from spacemission_agents.models.folder import load_model
from spacemission_env.core.agents import Decisions, make_agent, parse_mixture
from spacemission_env.core.reading import Json
from spacemission_train.ppo.ppo import LeaguePPO
from spacemission_train.run import trainer
from spacemission_train.self_play.league import Pool
from spacemission_train.self_play.table import GameTable
from spacemission_train.self_play.vec_env import make_env
from spacemission_train.settings.presets import make_settings
from spacemission_train.settings.settings import Settings

TINY: Json = {
    "envs": 8,
    "n_steps": 16,
    "batch_size": 64,
    "epochs": 1,
    "hidden": (16, 8),
    "steps": 512,
    "checkpoint_steps": 256,
    "evaluation_games": 4,
    "final_games": 8,
    "threads": 1,
    "rules": "printed,max_rounds=8",
    "opponents": "random=0.4,latest=0.3,past=0.3",
    "learning_rate": 1e-3,
    "last_learning_rate": 1e-3,
}
# All options of PPO over observations.
FULL: Json = {
    "average": 0.5,
    "last_entropy": 0.001,
    "players": (2, 2, 3, 5),
    "rules": "printed,max_rounds=5",
    "last_learning_rate": 1e-4,
}


def tiny(**changes: object) -> Settings:
    return make_settings("quick", **{**TINY, **changes})


# Differences from TINY for the method td.
VALUE: Json = {
    "method": "td",
    "input": "afterstate",
    "planets": 5,
    "hidden": (6, 7),
    "batch_size": 8,
    "reward": "win",
    "opponents": "latest=1",
    "rules": "printed,max_rounds=3",
    "random_moves": 0.05,
    "temperature": 0.1,
}


def tiny_value(**changes: object) -> Settings:
    return make_settings("quick", **{**TINY, **VALUE, **changes})


def weights(folder: Path) -> dict[str, np.ndarray]:
    return load_model(folder)[1]


def same(a: dict[str, np.ndarray], b: dict[str, np.ndarray]) -> bool:
    return a.keys() == b.keys() and all((a[name] == b[name]).all() for name in a)


def keys(count: int, step: int) -> np.ndarray:
    return np.random.default_rng(step).integers(0, 2**62, count)


def some_decisions(count: int = 40, num_players: int = 2) -> Decisions:
    table = some_table(count, num_players, moves=12, rules=TINY["rules"])
    asked = table.ask(table.everyone)
    return Decisions(asked.observations.copy(), asked.masks.copy(), keys(count, 99))


def one_opponent(spec: str) -> Pool:
    return Pool(parse_mixture(f"{spec}=1"), tiny().form)


def new_model(settings: Settings) -> LeaguePPO:
    model = LeaguePPO(settings, make_env(settings, one_opponent("random")))
    model.set_logger(Logger(None, []))
    return model


HEXX: Json = {
    "game": "planet_hexx", "envs": 8, "n_steps": 16, "batch_size": 64, "steps": 512, "checkpoint_steps": 256,
    "evaluation_games": 4, "final_games": 4, "threads": 1, "rules": "printed,max_turns=6",
    "learning_rate": 1e-3, "last_learning_rate": 1e-3, "last_entropy": 0.001,
}  # fmt: skip


def tiny_exploiter(target: str = "greedy", **changes: object) -> Settings:
    given = {**TINY, "opponents": None, "final_games": 60, "critic_warmup": 0, "exploit": target}
    return make_settings("exploit", **{**given, **changes})


RUNS: dict[str, Settings] = {  # for the fixture `run_of`
    "plain": tiny(),
    "everything": tiny(**FULL, device="auto"),
    "overlapped": tiny(overlap_rollouts=True),
    "td": tiny_value(players=(2, 3)),
}


def stop(_: object) -> None:
    raise KeyboardInterrupt


def stopped(settings: Settings, out: Path, when: str = "report") -> Path:
    """The folder of a run stopped at its first checkpoint, or at its start (`advance`)."""
    told: Json = {when: stop}
    with pytest.raises(KeyboardInterrupt):
        trainer.start(settings, out, "spacemission train", **told)
    return out


def files_of(folder: Path) -> dict[Path, bytes]:
    return {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def some_table(
    count: int, players: int | tuple[int, ...] = 2, moves: int = 25, **options: object
) -> GameTable:
    """Games after some random moves."""
    table = GameTable(count, players, **options)
    for i in range(count):
        table.deal(i, i)
    for _ in range(moves):
        table.step(table.everyone, make_agent("random").act(table.ask(table.everyone)))
    return table
