"""Model folders of layout version 1 play on, to the last bit; what no version has is refused."""

from __future__ import annotations

import hashlib
import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save as save_tensors

from spacemission_agents.games.space_mission.hidden_inputs import HIDDEN_GAME, HIDDEN_PLANET, HIDDEN_SIZE
from spacemission_agents.games.space_mission.inputs import (
    GAME_SIZE,
    INPUTS,
    PLANET_SIZE,
    RING_SIZE,
    input_since,
    write_input,
)
from spacemission_agents.games.space_mission.network import new_network, run_layers
from spacemission_agents.games.space_mission.reading import SpaceMissionReading
from spacemission_agents.models import upgrade as upgrade_model
from spacemission_agents.models.folder import load_model
from spacemission_agents.models.layers import activate, add_layer, forward, not_zero, pack
from spacemission_env.core.agents_api import make_agent
from spacemission_env.core.errors import AgentError
from spacemission_env.games.space_mission.components import load_components
from spacemission_env.games.space_mission.engine.constants import ACTION_COUNT, RING
from spacemission_env.games.space_mission.engine.layout import LAYOUT, LAYOUT_VERSION
from spacemission_env.games.space_mission.game import Game
from spacemission_env.games.space_mission.options import Rules
from spacemission_env.games.space_mission.spec import SPEC
from spacemission_train.learning.networks import policy_arrays
from spacemission_train.learning.parts import make_env, make_model
from spacemission_train.learning.warm_start import load_start
from tests.support.small_runs import one_opponent, tiny

# Of layout version 1, as its code had them.
SIZE_1 = 772
INPUT_SIZES_1 = {"observation": 772, "turned": 772, "ring": 849, "rated": 950, "ordered": 849}
GAME_1, PLANET_1, RING_1 = 281, 71, 849
RULES_1 = (
    "reserved_tiles_visible",
    "space_tile_penalty",
    "chips_per_player",
    "hand_size",
    "actions_per_turn",
    "gate_points_without_probe",
    "space_tiles_to_end",
    "max_rounds",
)
HIDDEN = [7, 6]
READS = f"layout_version: this version reads 1 to {LAYOUT_VERSION}"
NETWORKS = [
    {"input": "observation"},
    {"input": "turned", "full": True},
    {"input": "ring"},
    {"input": "rated", "full": True},
    {"input": "ring", "planets": 5, "full": True},
    {"input": "rated", "planets": 5},
    {"input": "rated", "planets": 5, "full": True},
]

SHIPPED = SpaceMissionReading.shipped["ppo"]


def network_1(input: str = "observation", planets: int = 0, full: bool = False) -> dict[str, Any]:
    """A card's network with a critic."""
    value = {"hidden": HIDDEN, "reward": "win", "shaping": 0.0, "final_potential": False, "full": full}
    return {"hidden": HIDDEN, "activation": "relu", "input": input, "planets": planets, "value": value}


def arrays_1(network: dict[str, Any], seed: int = 0) -> dict[str, np.ndarray]:
    """Tensors as version 1 had them; no weight is zero."""
    rng = np.random.default_rng(seed)
    width, size, arrays = network["planets"], INPUT_SIZES_1[network["input"]], {}
    for name, outputs in (("policy", ACTION_COUNT), ("value", 1)):
        full = name == "value" and network["value"]["full"]
        first = size + (HIDDEN_SIZE if full else 0)
        if width:
            first = size - RING_1 + GAME_1 + RING * width + (HIDDEN_GAME if full else 0)
            of_planet = PLANET_1 + (HIDDEN_PLANET if full else 0)
            arrays[f"{name}.planet.weight"] = rng.normal(size=(width, of_planet))
            arrays[f"{name}.planet.bias"] = rng.normal(size=width)
        for i, (inside, outside) in enumerate(pairwise([first, *HIDDEN, outputs])):
            arrays[f"{name}.{i}.weight"] = rng.normal(size=(outside, inside))
            arrays[f"{name}.{i}.bias"] = rng.normal(size=outside)
    if network["input"] == "rated":
        arrays["policy.residual"] = rng.normal(size=1)
    return {name: array.astype(np.float32) for name, array in arrays.items()}


def write_folder_1(folder: Path, network: dict[str, Any], /, **changes: Any) -> Path:
    """A model folder as version 1 wrote it."""
    weights = save_tensors(arrays_1(network))
    rules = Rules().to_json()
    card = {
        "observation": "perfect_recall",
        "results": {"greedy": 0.6},
        "rules": {name: rules[name] for name in RULES_1},
        "components_sha256": load_components().sha256,
        "network": network,
        "training": {"steps": 2, "settings": {"seed": 1}},
        "format": 1,
        "env": "space_mission_v0",
        "layout_version": 1,
        "observation_size": SIZE_1,
        "action_count": ACTION_COUNT,
        "environment_version": "0.1.0",
        "weights_sha256": hashlib.sha256(weights).hexdigest(),
        **changes,
    }
    folder.mkdir()
    (folder / "weights.safetensors").write_bytes(weights)
    (folder / "card.json").write_text(json.dumps(card))
    return folder


def positions() -> list[tuple[np.ndarray, np.ndarray]]:
    """Observations and masks from a game with much to remember."""
    game, rng = Game(4), np.random.default_rng(5)
    found: list[tuple[np.ndarray, np.ndarray]] = []
    game.reset(11)
    while not game.over and len(found) < 300:
        decisions = game.ask()
        found.append((decisions.observations[0].copy(), decisions.masks[0].copy()))
        game.step(int(rng.choice(game.legal_actions())))
    return found[::10]


def outputs_1(arrays: dict[str, np.ndarray], name: str, network: dict[str, Any], x: np.ndarray,
              hidden: np.ndarray) -> np.ndarray:  # fmt: skip
    """What a network of version 1 says of an input of version 1: layer by layer, as its code had it."""
    width = network["planets"]
    places = np.zeros(4000, np.int64)
    z = np.concatenate([x, hidden])
    if width:
        layer = arrays[f"{name}.planet.weight"], arrays[f"{name}.planet.bias"][:, None]
        planet, parts = np.concatenate(layer, 1).T.ravel().copy(), [x[:GAME_1]]
        for q in range(RING):
            seen = x[GAME_1 + q * PLANET_1 : GAME_1 + (q + 1) * PLANET_1]
            if len(hidden):
                seen = np.append(seen, hidden[HIDDEN_GAME + q * HIDDEN_PLANET :][:HIDDEN_PLANET])
            y = np.zeros(width, np.float32)
            add_layer(seen, not_zero(seen, places), planet, y, places)
            activate(y, False)
            parts.append(y)
        z = np.concatenate([*parts, x[RING_1:], hidden[:HIDDEN_GAME]])
    buffers = np.zeros(4000, np.float32), np.zeros(4000, np.float32)
    out = forward(z, *pack(arrays, name), False, *buffers, places).copy()
    if name == "policy" and network["input"] == "rated":
        out += arrays["policy.residual"][0] * x[RING_1:]
    return out


def test_version_1_is_the_first_numbers_of_an_observation() -> None:
    assert sum(piece.size for piece in LAYOUT.values() if piece.since == 1) == SIZE_1
    assert [piece.since for piece in LAYOUT.values()] == sorted(piece.since for piece in LAYOUT.values())
    assert max(piece.since for piece in LAYOUT.values()) == LAYOUT_VERSION
    assert {kind: int((input_since(kind) == 1).sum()) for kind in INPUTS} == INPUT_SIZES_1
    ring = input_since("ring")
    assert (ring[:GAME_SIZE] == 1).sum() == GAME_1
    planets = ring[GAME_SIZE:RING_SIZE].reshape(RING, PLANET_SIZE)
    assert (planets == planets[0]).all() and (planets[0] == 1).sum() == PLANET_1


@pytest.mark.parametrize("form", NETWORKS, ids=str)
def test_an_upgraded_network_says_the_same_to_the_last_bit(form: dict[str, Any], tmp_path: Path) -> None:
    network = network_1(**form)
    old = arrays_1(network)
    card, new = load_model(write_folder_1(tmp_path / "m", network))
    rng, news = np.random.default_rng(1), 0
    kind = INPUTS.index(network["input"])
    for name in ("policy", "value"):
        upgraded = new_network(new, card["network"], name)
        hidden = rng.random(len(upgraded.hidden), np.float32)
        assert len(hidden) == (HIDDEN_SIZE if name == "value" and network["value"]["full"] else 0)
        for observation, mask in positions():
            write_input(observation, mask, SPEC.default_boxes()[0], kind, 0, upgraded.scratch, upgraded.x)
            upgraded.hidden[:] = hidden
            since = input_since(network["input"])
            expected = outputs_1(old, name, network, upgraded.x[since == 1], hidden)
            news += int((upgraded.x[since > 1] != 0).sum())
            assert (run_layers(upgraded) == expected).all()
    assert news > 1000, "what the older layout had not was hardly there"


def test_a_loaded_folder_of_version_1_is_one_of_this_version(tmp_path: Path) -> None:
    folder = write_folder_1(tmp_path / "m", network_1("rated", 5))
    card, _ = load_model(folder)
    assert card["layout_version"] == LAYOUT_VERSION
    assert card["observation_size"] == sum(piece.size for piece in LAYOUT.values())
    assert card["rules"] == Rules().to_json()
    assert card["training"] == {"steps": 2, "settings": {"seed": 1}, "converted_from_layout": 1}
    agent: Any = make_agent(f"policy:{folder}")
    agent.prepare(Game(2).info)
    with pytest.raises(AgentError, match="scan_face_up: trained with False, the game has True"):
        agent.prepare(Game(2, Rules(scan_face_up=True)).info)


def test_the_command_writes_what_loading_gives(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write_folder_1(tmp_path / "m", network_1("ring", 5))
    card, arrays = load_model(folder)
    upgrade_model.main([str(folder), "--out", str(tmp_path / "new")])
    assert "layout 2, trained with layout 1" in capsys.readouterr().out
    assert json.loads((folder / "card.json").read_text())["layout_version"] == 1
    upgrade_model.main([str(folder)])
    for written in (folder, tmp_path / "new"):
        again, same = load_model(written)
        assert json.loads((written / "card.json").read_text())["layout_version"] == LAYOUT_VERSION
        assert {**again, "weights_sha256": ""} == {**card, "weights_sha256": ""}
        assert all((same[name] == array).all() for name, array in arrays.items())
    with pytest.raises(SystemExit):
        upgrade_model.main([str(tmp_path / "nothing")])
    assert "no such folder" in capsys.readouterr().err


@pytest.mark.parametrize("form", [{"input": "turned"}, {"input": "rated", "planets": 5}], ids=str)
def test_a_run_starts_from_a_folder_of_version_1(form: dict[str, Any], tmp_path: Path) -> None:
    folder = write_folder_1(tmp_path / "m", network_1(**form))
    settings = tiny(hidden=tuple(HIDDEN), rules="printed", start=f"policy:{folder}", **form)
    policy = make_model(settings, make_env(settings, one_opponent("random"))).policy
    load_start(settings, policy)
    expected = load_model(folder)[1]
    for name, array in policy_arrays(policy).items():
        assert (array == expected[name]).all(), name


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"layout_version": LAYOUT_VERSION + 1}, f"{READS}, not {LAYOUT_VERSION + 1}"),
        ({"layout_version": 0}, f"{READS}, not 0"),
        ({"layout_version": True}, f"{READS}, not True"),
        ({"layout_version": LAYOUT_VERSION}, "observation_size: this version reads"),
        ({"observation_size": 771}, "observation_size: this version reads"),
        ({"rules": {"hand_size": 5}}, "rules: 'reserved_tiles_visible' is missing"),
        ({"rules": None}, "rules: expected an object"),
        ({"network": network_1("ring")}, "policy.0.weight: expected shape (7, 849), not (7, 772)"),
        ({"network": None}, "network: expected an object"),
    ],
)
def test_what_does_not_fit_is_refused(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    folder = write_folder_1(tmp_path / "m", network_1(), **changes)
    with pytest.raises(AgentError) as caught:
        load_model(folder)
    assert message in str(caught.value) and "\n" not in str(caught.value) and str(folder) in str(caught.value)


def test_the_agent_that_ships_is_of_this_layout_and_tells_where_it_comes_from() -> None:
    card = json.loads((SHIPPED / "card.json").read_text())
    assert card["layout_version"] == LAYOUT_VERSION
    assert card["training"]["converted_from_layout"] == 1
