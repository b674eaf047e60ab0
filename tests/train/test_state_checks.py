"""The state of a training run: what stands in it is checked before `--resume` restores anything."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save
from typer.testing import CliRunner

from spacemission_env.cli import app
from spacemission_env.core.errors import LONGEST
from spacemission_train.run import trainer
from spacemission_train.run.state import read_state, state_bytes
from tests.support.small_runs import tiny

pytestmark = pytest.mark.slow

Text = dict[str, Any]
Tensors = dict[str, torch.Tensor]


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    settings = tiny(hidden=(4,), envs=4, players=(2, 3), steps=128, checkpoint_steps=128)
    return trainer.start(settings, tmp_path_factory.mktemp("run") / "out").out


@pytest.fixture
def state(out: Path) -> Any:
    """The path of the state; whatever a test makes of it, it is as before afterwards."""
    path = out / trainer.STATE_FILE
    data = path.read_bytes()
    yield path
    path.write_bytes(data)


def rewrite(path: Path, change: Callable[[Text, Tensors], Any]) -> None:
    text, tensors = read_state(path)
    change(text, tensors)
    path.write_bytes(state_bytes(text, tensors))


def refusal(path: Path) -> str:
    result = CliRunner().invoke(app, ["train", "--resume", str(path.parent), "--steps", "256"])
    assert result.exit_code == 1
    (line,) = result.stderr.splitlines()
    assert line.startswith("spacemission: ") and "unexpected" not in line and len(line) <= LONGEST + 20
    return str(line)


@pytest.mark.parametrize("place", [0.001, 0.01, 0.2, 0.5, 0.8, 0.999])
def test_one_changed_byte_is_noticed(place: float, state: Path) -> None:
    data = bytearray(state.read_bytes())
    data[int(place * len(data))] ^= 1
    state.write_bytes(data)
    assert str(state) in refusal(state)


def test_a_state_without_a_digest_is_refused(state: Path) -> None:
    state.write_bytes(save(read_state(state)[1]))
    assert "its checksum is missing" in refusal(state)


def set_to(name: str, value: Any, row: Any = 0) -> Callable[[Text, Tensors], None]:
    def change(text: Text, tensors: Tensors) -> None:
        tensors[name].view(-1)[row] = value

    return change


def other(name: str, make: Callable[[torch.Tensor], torch.Tensor]) -> Callable[[Text, Tensors], None]:
    def change(text: Text, tensors: Tensors) -> None:
        tensors[name] = make(tensors[name])

    return change


def entry(value: Any, *path: Any) -> Callable[[Text, Tensors], None]:
    def change(text: Text, tensors: Tensors) -> None:
        at = text
        for key in path[:-1]:
            at = at[key]
        at[path[-1]] = value

    return change


FIRST = "network.mlp_extractor.policy_net.0.weight"
HARM: dict[str, tuple[Callable[[Text, Tensors], None], str]] = {
    "symmetry": (set_to("env.seating.symmetry", 100), "env.seating.symmetry: holds numbers out of range"),
    "seat": (set_to("env.seating.seat", 3), "env.seating.seat"),
    "a negative seat": (set_to("env.seating.seat", -1), "env.seating.seat"),
    "an opponent": (set_to("env.seating.players", 10**15), "env.seating.players"),
    "a game": (set_to("env.games", 77, slice(40, 90)), "env.games: game 0"),
    "an empty game": (set_to("env.games", 0, slice(0, None)), "env.games: game 0: num_players does not hold"),
    "nan": (set_to(FIRST, float("nan")), "not finite"),
    "shape": (other(FIRST, lambda t: t[:-1].clone()), "expected torch.float32 of shape"),
    "dtype": (other("env.seating.seat", lambda t: t.double()), "env.seating.seat: torch.float64"),
    "torch": (other("rng.torch", lambda t: t[:100].clone()), "rng.torch"),
    "numpy": (set_to("rng.numpy", 2**40), "rng.numpy"),
    "numpy's place": (entry(5000, "numpy", 1), "numpy: is no state"),
    "generator": (entry(2, "env_rng", "state", "inc"), "env_rng"),
    "steps": (entry(-1, "steps"), "steps: expected a number from 0"),
    "rows": (entry([], "rows"), "rows"),
    "row": (entry("x", "rows", 0, "steps"), "rows"),
    "result": (entry(None, "results", 0, "share"), "results: share"),
    "snapshots": (entry([1, 2], "snapshots"), "snapshots"),
    "best": (entry({}, "best"), "best"),
    "thinned": (entry(2000, "thinned"), "thinned"),
    "seconds": (entry(-5.0, "seconds"), "seconds"),
    "hidden": (entry([4096] * 500, "settings", "hidden"), "hidden: expected 1 to 8 layers"),
    "components": (entry(5, "settings", "components"), "components: expected a text"),
    "no run": (lambda text, _: text.pop("settings"), "not the state of a run"),
    "no tensor": (lambda _, tensors: tensors.pop(FIRST), "is missing"),
    "a tensor more": (lambda _, tensors: tensors.update(x=torch.zeros(1)), "x: is no tensor of such a run"),
}


@pytest.mark.parametrize("name", HARM)
def test_what_no_run_has_saved_is_refused_under_a_digest_that_holds(name: str, state: Path) -> None:
    change, said = HARM[name]
    rewrite(state, change)
    line = refusal(state)
    assert said in line and str(state) in line, line
