"""Tests of studies/tuning.py: it writes weights that play, the same with the same seed."""

from pathlib import Path

import numpy as np
import pytest

from spacemission_agents.weights import replace_weights
from spacemission_env.core.agents import make_agent
from studies.tuning import AGENTS, Tuning, fitness, main, shipped_weights

pytestmark = pytest.mark.slow

pytest.importorskip("cma")


OPTIONS = "--population 4 --games 2 --players 2,3 --against greedy --generations 2"


@pytest.mark.parametrize("game", AGENTS)
def test_tuning_writes_weights_that_can_be_played(game: str, tmp_path: Path) -> None:
    before = np.random.get_state()[1]
    texts = []
    for seed in ("5", "5", "6"):
        out = tmp_path / "weights.toml"
        main(f"{game} {out} --seed {seed} {OPTIONS}".split())
        texts.append(out.read_text("utf-8").partition("[weights]")[2])
    assert texts[0] == texts[1] != texts[2]
    assert (np.random.get_state()[1] == before).all(), "tuning leaves the global random numbers alone"
    weights = make_agent(f"heuristic:{tmp_path / 'weights.toml'}", game).weights
    assert (weights[:1] != shipped_weights(Tuning(game))).any()


def test_better_weights_have_a_higher_fitness() -> None:
    settings = Tuning("space_mission", games=60, against=("greedy",))
    careless = {"plan": 0.2, "takes_ahead": 0.0, "delivery": 0.0, "delivery_ready": 0.0, "card": 0.0}
    weights = shipped_weights(settings)
    shipped = fitness(weights, settings, 0)
    assert shipped > 0.6
    assert shipped > fitness(replace_weights(weights, careless), settings, 0)
