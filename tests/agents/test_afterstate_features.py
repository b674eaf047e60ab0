"""Tests that the features of afterstates stay those that the shipped models were trained with."""

import hashlib

import numpy as np
import pytest

from spacemission_agents.games.space_mission.value import afterstates as declared
from spacemission_env.games.space_mission.engine.constants import RING, TAKE
from spacemission_env.games.space_mission.options import PRESETS, Rules
from tests.support.afterstates import judged, positions, random_network
from tests.support.random_components import random_box

pytestmark = pytest.mark.slow

CASES: list[tuple[str, Rules, int | None]] = [
    ("printed", PRESETS["printed"], None),
    ("penalty", Rules(space_tile_penalty=True, space_tiles_to_end=14), None),
    ("gate", Rules(gate_points_without_probe=True, scan_face_up=True, actions_per_turn=4), None),
    ("chips", Rules(chips_per_player=60, hand_size=4, empty_top_up=False, space_tiles_to_end=16), 4),
    ("box", Rules(reserved_tiles_visible=True), 3),
    ("another", Rules(space_tile_penalty=True, space_tiles_to_end=16), 8),
]


DIGESTS = {
    "printed": "aa054b094fbb93a3", "penalty": "7abdef124b81cc4b", "gate": "c887a3eae7d6fddc",
    "chips": "f0957f42a165e577", "box": "a89f842c562fb873", "another": "f70d2c95ab02f071",
}  # fmt: skip


@pytest.mark.parametrize(("name", "rules", "box"), CASES, ids=[case[0] for case in CASES])
def test_features_are_those_that_models_were_trained_with(name: str, rules: Rules, box: int | None) -> None:
    network, digest, met = random_network(1), hashlib.sha256(), np.zeros(declared.FEATURES, bool)
    for players in (2, 3, 4, 5):
        for game in positions(players, rules, 7 * players, 5, None if box is None else random_box(box)):
            features = judged(game, network)[1]
            digest.update(features.tobytes())
            met |= features.any(0)
    assert met.mean() >= 0.5
    assert digest.hexdigest()[:16] == DIGESTS[name]


def test_kinds_that_the_rules_treat_alike_may_be_exchanged() -> None:
    order = np.array([2, 3, 1, 0, 5, 4, 7, 6, 8, 9, 10])
    place, network, moved = np.argsort(order), random_network(1), 0
    for game in positions(3, PRESETS["printed"], 11, every=6):
        other = game.clone()
        s = other.states[0]
        s.pile[:], s.tiles[:] = s.pile[:, order], s.tiles[:, order]
        s.taken_kind[:] = place[s.taken_kind]
        for p in range(RING):
            s.taken_kind[p, s.taken[p] :] = game.states[0].taken_kind[p, s.taken[p] :]
        actions, features, _ = judged(game, network)
        exchanged = dict(zip(*judged(other, network)[:2], strict=True))
        for action, row in zip(actions, features, strict=True):
            to = TAKE + int(place[action - TAKE]) if action >= TAKE else action
            assert (exchanged[to] == row[declared.kind_places(order)]).all(), action
            moved += (exchanged[to] != row).any()
    assert moved > 50
