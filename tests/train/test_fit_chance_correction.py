"""Tests of studies/fit_chance_correction.py: the form of the network, its targets and its examples."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import save as save_tensors

from spacemission_agents.afterstates.network import INPUT
from spacemission_agents.games.space_mission.value import shared_network as shared
from spacemission_agents.games.space_mission.value.features import FEATURES, SIZES
from spacemission_agents.models.policy import PolicyAgent
from spacemission_env.core.batched import BatchedGames
from spacemission_env.games.space_mission.engine.constants import MAX_PLAYERS
from spacemission_env.games.space_mission.engine.layout import COMPACT, OBSERVATION
from spacemission_train.settings.settings import Form
from spacemission_train.td.network import Value
from studies import fit_chance_correction as fit
from studies.decided_when import POINTS, decided, measure

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("players", [2, 4])
def test_the_shipped_form_tells_what_the_network_tells(players: int) -> None:
    torch.manual_seed(1)
    network = fit.ValueNetwork(16, 24, 20)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.copy_(parameter.half().float())
    net, table = shared.new_value(save_tensors(network.arrays())), BatchedGames(3, players)
    for i in range(3):
        table.deal(i, i)
    x, turns = np.zeros((3, players, FEATURES), np.uint8), np.zeros((3, players), np.uint8)
    shares = np.zeros((3, MAX_PLAYERS))
    room = np.zeros(1, COMPACT), np.zeros(1, OBSERVATION)
    for i in range(3):
        shared.read_seats(table.states[i], table.template.parameters[0], *room, x[i])
        turns[i] = [shared.turn_of(table.states[i], seat) for seat in range(players)]
        shared.begin_values(
            table.states[0], table.template.parameters[0], net
        )  # sums of another position do as well
        shared.value_of(table.states[i], table.template.parameters[0], net, shares[i])
    with torch.no_grad():
        logits = network(torch.from_numpy(x), torch.from_numpy(turns))[..., 0]
    assert shares[:, :players] == pytest.approx(torch.softmax(logits, 1).numpy(), abs=1e-5)
    assert abs(shares[:, 0] - 1 / players).max() > 1e-3


def test_it_begins_as_the_value_of_afterstates() -> None:
    arrays = PolicyAgent("scratch").arrays
    wide, joined = len(arrays[f"{INPUT}.row.weight"]), len(arrays[f"{INPUT}.joined.weight"])
    table = len(arrays[f"{INPUT}.table.weight"]) - wide
    value = Value(SIZES, Form(hidden=(table, joined), input=INPUT, planets=wide))
    value.set_arrays(arrays)
    network = fit.begun_from(arrays)
    with torch.no_grad():
        for name in ("planet", "table"):
            layer = getattr(network, name).weight
            layer[len(layer) // 2 :] = 0
        found = fit.gather(["greedy"], 2, 4, 5)
        x, turns = torch.from_numpy(found.x[:, 0]), torch.from_numpy(found.turns[:, 0])
        own = torch.stack([value(x[:, seat])[:, 0] for seat in range(2)], 1)
        assert network(x, turns)[..., 0].numpy() == pytest.approx(own.numpy(), abs=1e-4)


def test_what_is_learnt_from_is_what_came_and_what_might_have() -> None:
    found = fit.gather(["greedy"], 3, 10, 5)
    n = len(found.x)
    assert found.x.shape == (n, fit.WORLDS, 3, FEATURES) and n > 50
    assert found.told[..., 0].sum(1) == pytest.approx(np.ones(n))
    assert (found.turns == found.turns[:, :1]).mean() > 0.9  # whose turn it is, chance seldom decides
    differ = (found.x != found.x[:, :1]).any((2, 3))
    assert not differ[:, 0].any() and differ[:, 1:].mean() > 0.8
    again = fit.gather(["greedy"], 3, 10, 5)
    assert all((a == b).all() for a, b in zip(found, again, strict=True))


def test_targets_go_back_over_the_moves_of_a_game() -> None:
    games = np.array([0, 1, 0, 0])
    shares = np.array([[[0.5, 0.5]] * 2, [[0.5, 0.5]] * 2, [[0.7, 0.3], [0.5, 0.5]], [[0.9, 0.1]] * 2])
    won = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 0.0]])
    targets = fit.later_worth(shares, won, games, 0.75)
    assert targets[3] == pytest.approx([1, 0]) and targets[1] == pytest.approx([0, 1])
    third = 0.25 * 0.9 + 0.75
    assert targets[2, 0] == pytest.approx(third)
    assert targets[0, 0] == pytest.approx(0.25 * 0.6 + 0.75 * third)
    assert (fit.later_worth(shares, won, games, 1.0) == won).all()


def test_luck_is_learnt_as_large_as_it_is_however_few_worlds_there_are() -> None:
    rng = np.random.default_rng(3)
    worth = torch.from_numpy(rng.normal(0, 0.1, (200_000, 3)))  # of what came, and of two others
    won = (torch.from_numpy(rng.random(len(worth))) < 0.5 + worth[:, 0]).double()
    won = torch.stack([won, 1 - won], 1)

    def gradient(slope: float) -> float:
        given = torch.tensor(slope, dtype=torch.double, requires_grad=True)
        fit.luck_loss(torch.stack([0.5 + given * worth, 0.5 - given * worth], 2), won).backward()
        assert given.grad is not None
        return float(given.grad)

    assert gradient(0.0) < gradient(0.8) < 0 < gradient(1.2) < gradient(1.5)


def test_one_command_makes_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "chance_correction.safetensors"
    monkeypatch.setattr(fit, "GAMES", 8)
    monkeypatch.setattr(fit, "BATCH", 16)
    asked = f"fit --out {out} --rounds 2 --steps 2 --agents greedy --players 2,3"
    monkeypatch.setattr(sys, "argv", asked.split())
    fit.main()
    shares, luck = fit.luck_of_games(["greedy"], out.read_bytes(), 2, 4, 1)
    assert shares.sum(1) == pytest.approx(np.ones(4)) and luck.sum(1) == pytest.approx(np.zeros(4))
    assert abs(luck).max() > 0
    assert out.stat().st_size < 1_000_000
    network = fit.begun_from(PolicyAgent("scratch").arrays)
    found = fit.gather(["greedy"], 2, 2, 1)
    assert fit.told_shares(network, found.x, found.turns).shape == found.turns.shape


def test_what_two_endings_have_in_common_was_decided() -> None:
    rng = np.random.default_rng(1)
    chance = rng.random((100_000, 1))
    endings = (rng.random((100_000, 2)) < chance).astype(float)
    # The variance of the probabilities is 1/12, and the variance of a win is 1/4.
    assert decided(endings) == pytest.approx(1 / 3, abs=0.02)
    assert decided(np.repeat(endings[:, :1], 2, 1)) == pytest.approx(1)


def test_positions_are_played_on_from_more_of_the_game_to_less_luck() -> None:
    rows = measure(12, 3)
    assert [row[0] for row in rows] == list(POINTS)
    assert all(share <= 1 for row in rows for share in row)
    assert rows[-1][1] > rows[0][1] and rows[-1][2] > rows[0][2]
