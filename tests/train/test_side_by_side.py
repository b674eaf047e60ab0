"""Several values as one network: it says the mean of what they say."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from spacemission_agents.games.space_mission.afterstate.features import FEATURES
from spacemission_agents.games.space_mission.afterstate.network import INPUT, RATED_INPUT
from spacemission_train.games.space_mission.afterstate.self_play import Value
from spacemission_train.ppo.networks import Form

pytestmark = pytest.mark.slow


def value(hidden: tuple[int, int], planets: int, reads: str, seed: int) -> Value:
    """With weights of every layer, those of the outputs too."""
    torch.manual_seed(seed)
    made = Value(Form(hidden, reads, planets, False, "space_mission", 0))
    for tensor in made.parameters():
        torch.nn.init.normal_(tensor, std=0.2)
    return made


@pytest.mark.parametrize("inputs", [(INPUT, INPUT), (RATED_INPUT, RATED_INPUT), (INPUT, RATED_INPUT)])
def test_the_one_network_says_the_mean_of_what_they_say(inputs: tuple[str, str]) -> None:
    parts = [value((5, 7), 3, inputs[0], 1), value((2, 4), 6, inputs[1], 2), value((5, 7), 3, inputs[0], 3)]
    whole = value((12, 18), 12, inputs[1], 4)
    whole.set_side_by_side([part.arrays() for part in parts])
    positions = torch.from_numpy(np.random.default_rng(0).integers(0, 6, (50, FEATURES)).astype(np.uint8))
    with torch.no_grad():
        mean = torch.stack([part(positions) for part in parts]).mean(0)
        assert torch.allclose(whole(positions), mean, rtol=1e-4, atol=1e-4)
        assert not torch.allclose(parts[0](positions), mean, rtol=1e-2, atol=1e-2)
