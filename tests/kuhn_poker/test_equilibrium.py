"""Self-play training comes near the equilibrium of Kuhn poker.

`python -m tests.kuhn_poker.test_equilibrium 1 2 3` trains the whole preset with each of these seeds, and
fails if a model is too far away (`make check-long`).
"""

from __future__ import annotations

import sys
import tempfile
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from spacemission_agents import exploitability as exact
from spacemission_agents.models.policy import PolicyAgent
from spacemission_env.core.game import make_game
from spacemission_train.run.trainer import start
from spacemission_train.settings.presets import make_settings

pytestmark = pytest.mark.slow

PLAYERS = 2
VALUE = -1 / 18  # of the game for the first seat (Kuhn 1950)
NEAR, VALUE_NEAR = 0.05, 0.01  # limits for the whole preset


@lru_cache
def tree() -> exact.Tree:
    return exact.grow(make_game("kuhn_poker", PLAYERS))


def policy_of_model(folder: Path) -> np.ndarray:
    """The exact probabilities of a model as `policy:FOLDER?sample` plays."""
    return exact.policy_of(PolicyAgent(f"{folder}?sample", "kuhn_poker"), tree())


def trained(folder: Path, **changes: object) -> tuple[float, float]:
    """Train with this preset; return NashConv, and the value for the first seat."""
    settings = make_settings("equilibrium", game="kuhn_poker", players=PLAYERS, **changes)
    start(settings, folder)
    policy = policy_of_model(folder / "model")
    return exact.nash_conv(tree(), policy), float(exact.values(tree(), policy)[0])


def test_a_fifth_of_the_preset_comes_near_the_equilibrium(tmp_path: Path) -> None:
    """Seeds 1 to 6 reached 0.08 to 0.12. With large updates or without an entropy bonus, NashConv stays above
    0.25 for five times as many steps (docs/training.md).
    """
    still = {"learning_rate": 0.0, "last_learning_rate": 0.0}
    untrained, _ = trained(tmp_path / "untrained", seed=1, steps=512, final_games=100, **still)
    assert untrained > 0.8
    distance, value = trained(tmp_path / "run", seed=1, steps=200_000, final_games=100)
    assert distance < 0.2
    assert value == pytest.approx(VALUE, abs=0.03)


def test_what_is_judged_is_how_the_model_plays(tmp_path: Path) -> None:
    """`policy:FOLDER?sample` draws its moves from the probabilities that the test judges."""
    settings = make_settings("equilibrium", game="kuhn_poker", steps=20_000, final_games=100, seed=2)
    start(settings, tmp_path / "run")
    sets, many = len(tree().states), 4000
    agent = PolicyAgent(f"{tmp_path / 'run' / 'model'}?sample", "kuhn_poker")
    keys = np.random.default_rng(0).integers(0, 2**63 - 1, many * sets)
    bets = agent.act(tree().ask(np.repeat(np.arange(sets), many), keys)).reshape(-1, many).mean(1)
    probabilities = policy_of_model(tmp_path / "run" / "model")[1::2]
    assert np.abs(bets - probabilities).max() < 5 * 0.5 / np.sqrt(many)
    assert np.ptp(probabilities) > 0.02


def main() -> int:
    """Train the preset with each given seed."""
    failed = 0
    for seed in map(int, sys.argv[1:] or ("1",)):
        with tempfile.TemporaryDirectory() as folder:
            distance, value = trained(Path(folder) / "run", seed=seed)
        good = distance <= NEAR and abs(value - VALUE) <= VALUE_NEAR
        failed += not good
        verdict = "near the equilibrium" if good else "TOO FAR FROM THE EQUILIBRIUM"
        print(f"seed {seed}: NashConv {distance:.4f}, value {value:+.4f}: {verdict}", flush=True)
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
