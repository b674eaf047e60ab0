"""Model folders: saved models are loaded, and invalid folders are refused with one line."""

import hashlib
import json
import os
import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save as save_tensors

from spacemission_agents.games.space_mission.heuristic import weights as heuristic_weights
from spacemission_agents.models import folder as model_folder
from spacemission_agents.models.folder import load_model, save_model, tensor_shapes
from spacemission_agents.weights import replace_weights
from spacemission_env.core.agents import make_agent
from spacemission_env.core.errors import AgentError
from spacemission_env.core.game_spec import find_game, game_names
from spacemission_env.core.reading import Json
from spacemission_env.games.space_mission.components import load_components
from spacemission_env.games.space_mission.game import Game
from spacemission_env.games.space_mission.options import Rules, make_rules
from tests.support.positions import other_box

HIDDEN = [6, 4]


def arrays(seed: int = 0) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    shapes = tensor_shapes({"hidden": HIDDEN})
    return {name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}


def card(**changes: object) -> Json:
    return {
        "rules": Rules().to_json(),
        "components_sha256": load_components().sha256,
        "network": {"hidden": HIDDEN, "activation": "relu"},
        "training": {"command": "train", "preset": "quick", "seed": 1, "steps": 2, "players": 2},
        "results": {"greedy": 0.6},
        **changes,
    }


@pytest.fixture
def model(tmp_path: Path) -> Path:
    save_model(tmp_path / "model", arrays(), card())
    return tmp_path / "model"


def refusal(call: Callable[[], object], folder: Path) -> str:
    """The message of the error: one line that names the folder."""
    with pytest.raises(AgentError) as caught:
        call()
    message = str(caught.value)
    assert "\n" not in message
    assert str(folder) in message
    return message


def test_what_is_saved_comes_back(tmp_path: Path) -> None:
    written = save_model(tmp_path / "deep" / "model", arrays(), card())
    read, tensors = load_model(tmp_path / "deep" / "model")
    assert read == written
    assert read["results"] == {"greedy": 0.6}
    assert read["observation"] == "perfect_recall"
    assert sorted(tensors) == sorted(arrays())
    assert all((tensors[name] == array).all() for name, array in arrays().items())
    files = sorted(str(f.relative_to(tmp_path)) for f in tmp_path.glob("*/**/*"))
    assert files == ["deep/model", "deep/model/card.json", "deep/model/weights.safetensors"]


def test_the_same_model_is_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        save_model(tmp_path / name, arrays(), card())
    for file in ("card.json", "weights.safetensors"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


def test_an_older_model_is_replaced(model: Path) -> None:
    save_model(model, arrays(1), card())
    assert (load_model(model)[1]["policy.0.bias"] == arrays(1)["policy.0.bias"]).all()
    assert [f.name for f in model.parent.iterdir()] == ["model"]


@pytest.mark.parametrize("broken", ["write", "rename"])
def test_a_failed_save_leaves_the_older(model: Path, monkeypatch: pytest.MonkeyPatch, broken: str) -> None:
    rename = os.rename

    def no_space(*_: object) -> None:
        raise OSError(28, "No space left on device")

    def fail_second(source: Path, target: Path) -> None:
        if Path(target) == model and "old" not in str(source):
            no_space()
        rename(source, target)

    if broken == "write":
        monkeypatch.setattr(model_folder, "write_synced", no_space)
    else:
        monkeypatch.setattr(os, "rename", fail_second)
    assert "cannot be written: No space" in refusal(lambda: save_model(model, arrays(1), card()), model)
    monkeypatch.undo()
    assert (load_model(model)[1]["policy.0.bias"] == arrays(0)["policy.0.bias"]).all()
    assert [f.name for f in model.parent.iterdir()] == ["model"]


def test_a_folder_of_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "cat.png").write_text("cat")
    call = lambda: save_model(tmp_path / "photos", arrays(), card())  # noqa: E731
    assert "'cat.png' is no part of a model" in refusal(call, tmp_path / "photos")
    assert (tmp_path / "photos" / "cat.png").read_text() == "cat"
    (tmp_path / "file").write_text("text")
    call = lambda: save_model(tmp_path / "file", arrays(), card())  # noqa: E731
    assert "is not a folder" in refusal(call, tmp_path / "file")


@pytest.mark.parametrize(
    ("tensors", "changes", "message"),
    [
        ({"policy.0.bias": np.zeros(7, np.float32)}, {}, "policy.0.bias: expected shape (6,), not (7,)"),
        ({}, {"network": {"hidden": HIDDEN, "activation": "relu", "value": 1}}, "unknown entry 'value'"),
        ({}, {"training": None}, "training: expected an object"),
    ],
)
def test_nothing_wrong_is_written(
    tmp_path: Path, tensors: dict[str, np.ndarray], changes: Json, message: str
) -> None:
    call = lambda: save_model(tmp_path / "m", {**arrays(), **tensors}, card(**changes))  # noqa: E731
    assert message in refusal(call, tmp_path / "m")
    assert not list(tmp_path.iterdir())


# ---------------------------------------------------------------- altered folders


def change_card(folder: Path, change: Callable[[Json], object]) -> None:
    data = json.loads((folder / "card.json").read_text())
    change(data)
    (folder / "card.json").write_text(json.dumps(data))


def change_weights(folder: Path, weights: bytes) -> None:
    """Replace the weights and their digest in the card."""
    (folder / "weights.safetensors").write_bytes(weights)
    change_card(folder, lambda c: c.update(weights_sha256=hashlib.sha256(weights).hexdigest()))


def tensors_with(**changes: np.ndarray | None) -> bytes:
    changed = {**arrays(), **{name.replace("__", "."): array for name, array in changes.items()}}
    return save_tensors({name: array for name, array in changed.items() if array is not None})


def of_dtype(dtype: str, size: int) -> bytes:
    header = json.dumps({"policy.0.bias": {"dtype": dtype, "shape": [6], "data_offsets": [0, size]}}).encode()
    return struct.pack("<Q", len(header)) + header + bytes(size)


def with_infinity() -> np.ndarray:
    array = arrays()["policy.1.weight"]
    array[2, 3] = np.inf
    return array


CARDS: dict[str, tuple[Callable[[Json], object], str]] = {
    "format": (lambda c: c.update(format=2), "format: this version reads 1, not 2"),
    "format_bool": (lambda c: c.update(format=True), "format: this version reads 1, not True"),
    "no_format": (lambda c: c.pop("format"), "'format' is missing"),
    "env": (
        lambda c: c.update(env="chess_v1"),
        f"env: this version reads {' or '.join(repr(find_game(name).env) for name in game_names())}",
    ),
    "layout": (lambda c: c.update(layout_version=99), "layout_version: this version reads"),
    "size": (lambda c: c.update(observation_size=771), "observation_size: this version reads"),
    "actions": (lambda c: c.update(action_count=100), "action_count: this version reads 101, not 100"),
    "version": (lambda c: c.update(environment_version=""), "environment_version: expected a version"),
    "missing": (lambda c: c.pop("network"), "'network' is missing"),
    "unknown": (lambda c: c.update(extra=1), "unknown entry 'extra'"),
    "pins": (lambda c: c.update(ratings_sha256="0" * 64), "unknown entry 'ratings_sha256'"),
    "observation": (lambda c: c.update(observation="all"), "observation: expected table or perfect_recall"),
    "components": (lambda c: c.update(components_sha256=7), "components_sha256: expected 64 hexadecimal"),
    "rules": (lambda c: c.update(rules="printed"), "rules: expected an object"),
    "rules_unknown": (lambda c: c["rules"].update(turbo=True), "rules: unknown option 'turbo'"),
    "rules_range": (lambda c: c["rules"].update(hand_size=9), "rules: hand_size: expected a whole number"),
    "network": (lambda c: c.update(network=[6, 4]), "network: expected an object"),
    "hidden_empty": (lambda c: c["network"].update(hidden=[]), "hidden: expected 1 to 8 layer widths"),
    "hidden_width": (lambda c: c["network"].update(hidden=[6, True]), "hidden: expected widths from 1 to"),
    "hidden_huge": (lambda c: c["network"].update(hidden=[10**9]), "hidden: expected widths from 1 to"),
    "hidden_other": (lambda c: c["network"].update(hidden=[6, 5]), "policy.1.weight: expected shape (5, 6)"),
    "hidden_fewer": (lambda c: c["network"].update(hidden=[6]), "is not in the card's network"),
    "planets": (lambda c: c["network"].update(planets=4), "planets: expected a width from 0 to 0 with this"),
    "activation": (lambda c: c["network"].update(activation="gelu"), "activation: expected tanh or relu"),
    "results": (lambda c: c.update(results=[]), "results: expected an object"),
    "digest": (lambda c: c.update(weights_sha256="0" * 64), "its sha256 is not the card's weights_sha256"),
}

WEIGHTS: dict[str, tuple[Callable[[], bytes], str]] = {
    "no_bias": (lambda: tensors_with(policy__0__bias=None), "tensor 'policy.0.bias' is missing"),
    "more": (lambda: tensors_with(policy__3__bias=np.zeros(1, np.float32)), "'policy.3.bias' is not in"),
    "shape": (lambda: tensors_with(policy__0__bias=np.zeros((6, 1), np.float32)), "expected shape (6,)"),
    "double": (lambda: tensors_with(policy__0__bias=np.zeros(6)), "expected float32, not float64"),
    "half": (lambda: tensors_with(policy__0__bias=np.zeros(6, np.float16)), "expected float32, not float16"),
    "infinite": (lambda: tensors_with(policy__1__weight=with_infinity()), "policy.1.weight: holds"),
    "cut": (lambda: tensors_with()[:-4], "not safetensors"),
    "empty": (lambda: b"", "not safetensors"),
    "pickle": (lambda: b"\x80\x04\x95\x00\x00", "not safetensors"),
    "unknown_dtype": (lambda: of_dtype("Q7", 24), "not safetensors"),
    "bfloat16": (lambda: of_dtype("BF16", 12), "weights.safetensors"),
    "huge": (lambda: bytes(2 << 20), "larger than the"),
}


@pytest.mark.parametrize("name", CARDS)
def test_an_altered_card_is_refused(model: Path, name: str) -> None:
    change, message = CARDS[name]
    change_card(model, change)
    assert message in refusal(lambda: load_model(model), model)
    assert message in refusal(lambda: make_agent(f"policy:{model}"), model)


def rated_model(folder: Path) -> Path:
    """A model that reads the ratings of `heuristic`."""
    network = {"hidden": [3, 2], "activation": "relu", "input": "afterstate_rated", "planets": 2}
    tensors = {name: np.zeros(shape, np.float32) for name, shape in tensor_shapes(network).items()}
    save_model(folder, tensors, card(network=network))
    return folder


def test_a_card_pins_the_ratings_that_its_network_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rated = rated_model(tmp_path / "rated")
    digest = heuristic_weights.shipped_digest()
    assert load_model(rated)[0]["ratings_sha256"] == digest
    assert make_agent("policy:default").card["ratings_sha256"] == digest
    other = replace_weights(heuristic_weights.shipped_weights(), {"plan": 0.5})
    monkeypatch.setattr(heuristic_weights, "shipped_weights", lambda: other)
    now = heuristic_weights.shipped_digest()
    said = refusal(lambda: load_model(rated), rated)
    assert "ratings_sha256: trained with other weights of 'heuristic'" in said
    assert f"{digest[:12]}…, installed {now[:12]}…" in said
    with pytest.raises(AgentError, match="ratings_sha256: trained with other weights of 'heuristic'"):
        make_agent("policy:default")


@pytest.mark.parametrize("digest", ["missing", "", "0" * 63, 7, None])
def test_a_digest_of_ratings_is_there_and_has_its_form(tmp_path: Path, digest: object) -> None:
    rated, said = rated_model(tmp_path / "rated"), "ratings_sha256: expected 64 hexadecimal digits"
    change_card(rated, lambda c: c.update(ratings_sha256=digest))
    if digest == "missing":
        change_card(rated, lambda c: c.pop("ratings_sha256"))
        said = "'ratings_sha256' is missing"
    assert said in refusal(lambda: load_model(rated), rated)


@pytest.mark.parametrize("name", WEIGHTS)
def test_altered_weights_are_refused(model: Path, name: str) -> None:
    weights, message = WEIGHTS[name]
    change_weights(model, weights())
    assert message in refusal(lambda: load_model(model), model)


@pytest.mark.parametrize("file", ["card.json", "weights.safetensors"])
def test_a_missing_file_is_named(model: Path, file: str) -> None:
    (model / file).unlink()
    assert f"{file} is missing" in refusal(lambda: load_model(model), model)
    (model / file).mkdir()
    assert f"{file}: Is a directory" in refusal(lambda: load_model(model), model)


@pytest.mark.parametrize("text", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b"[]", b"null", b"1" * 5000])
def test_a_card_that_is_no_object_is_refused(model: Path, text: bytes) -> None:
    (model / "card.json").write_bytes(text)
    assert "card.json: " in refusal(lambda: load_model(model), model)


# ---------------------------------------------------------------- the game it is for


def test_a_model_without_memory_needs_what_it_was_shown(tmp_path: Path) -> None:
    save_model(tmp_path / "m", arrays(), card(observation="table"))
    agent = make_agent(f"policy:{tmp_path / 'm'}")
    call = lambda: agent.prepare(Game(2, "yucata").info)  # noqa: E731
    assert "reserved_tiles_visible: trained with False, the game has True" in refusal(call, tmp_path / "m")


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ("printed", None),
        ("yucata", None),  # reveals only what a model with perfect recall knows
        ("printed,space_tile_penalty=on", "space_tile_penalty: trained with False, the game has True"),
        ("printed,hand_size=4", "hand_size: trained with 5, the game has 4"),
        ("printed,space_tiles_to_end=3", "space_tiles_to_end: trained with None, the game has 3"),
    ],
)
def test_a_game_it_was_not_trained_for_is_refused(model: Path, rules: str, message: str | None) -> None:
    agent = make_agent(f"policy:{model}")
    for players in (2, 5):
        game = Game(players, rules)
        as_given = replace(game.info, rules=make_rules(rules))
        if message is None:
            agent.prepare(game.info)
            agent.prepare(as_given)
        else:
            assert message in refusal(lambda info=game.info: agent.prepare(info), model)  # type: ignore[misc]
            assert message in refusal(lambda info=as_given: agent.prepare(info), model)  # type: ignore[misc]


def test_another_box_is_refused_with_the_command_that_trains_for_it(tmp_path: Path) -> None:
    save_model(tmp_path / "ours", arrays(), card())
    save_model(tmp_path / "theirs", arrays(), card(components_sha256="f" * 64))
    ours, theirs = (make_agent(f"policy:{tmp_path / name}") for name in ("ours", "theirs"))
    told = refusal(lambda: ours.prepare(Game(3, components=other_box(1)).info), tmp_path / "ours")
    assert "components: trained with 'default', the game has 'box 1' (box 1" in told
    assert told.endswith("spacemission train --components FILE --players 3")
    told = refusal(lambda: theirs.prepare(Game(3).info), tmp_path / "theirs")
    assert "components: trained with ffffffffffff…, the game has 'default'" in told
    assert told.endswith("spacemission train --players 3")
