"""The judge of the search's leaves: its examples, and that it is carried over as it was trained."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from spacemission_agents.games.space_mission.search.judge import judge_position, new_judge
from spacemission_agents.games.space_mission.search.known import FEATURES, PLANET
from spacemission_env.core.batched import BatchedGames
from spacemission_env.games.space_mission.engine.constants import RING
from spacemission_train.games.space_mission import fit_judge
from spacemission_train.games.space_mission.kernels import njit


@njit
def judge_rows(states: np.ndarray, boxes: np.ndarray, judge: Any, out: np.ndarray) -> None:
    for n in range(len(states)):
        for seat in range(2):
            out[2 * n + seat] = judge_position(states[n], boxes[0], seat, judge)


def test_examples_are_of_known_positions_with_the_returns_of_their_games() -> None:
    for gather in (fit_judge.gather_loose, fit_judge.gather_strong):
        features, planets, told = gather(12, 5)
        assert features.shape == (len(told), FEATURES)
        assert planets.shape == (len(told), RING, PLANET)
        assert len(told) > 60
        assert ((told >= 0) & (told <= 1)).all()
        assert 0.3 < told.mean() < 0.7
        again = gather(12, 5)
        assert all((a == b).all() for a, b in zip((features, planets, told), again, strict=True))


def test_the_compiled_judge_says_what_the_trained_network_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fit_judge, "BATCH", 64)
    network = fit_judge.fit(fit_judge.gather_loose(20, 9), 1)
    table = BatchedGames(8, 2)
    for i in range(8):
        table.deal(i, i)
    collector = fit_judge.Collector(table)
    collector.take(table.everyone, np.ones((8, 2), bool))
    with torch.no_grad():
        inputs = (torch.from_numpy(part[0]).float() for part in (collector.features, collector.planets))
        expected = torch.sigmoid(network(*inputs)).numpy()
    said = np.zeros(16)
    judge_rows(table.states, table.template.boxes, new_judge(network.arrays()), said)
    assert said == pytest.approx(expected, abs=2e-3)  # examples are kept in half precision
    assert said.std() > 1e-4
