"""Tests of a run's state file: `--resume` checks the whole content before it restores anything."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save
from typer.testing import CliRunner

from spacemission_env.cli import app
from spacemission_env.core.errors import LONGEST
from spacemission_env.core.reading import Json
from spacemission_train.run import trainer
from spacemission_train.run.state import read_state, state_bytes
from tests.support.small_runs import files_of, tiny

pytestmark = pytest.mark.slow

Text = Json
Tensors = dict[str, torch.Tensor]
Change = Callable[[Text, Tensors], Any]


@pytest.fixture(scope="module")
def runs(run_of: Callable[[str], trainer.Run], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The folders of a small run by each method."""
    small = tiny(hidden=(4,), envs=4, players=(2, 3), steps=128, checkpoint_steps=128)
    return {"ppo": trainer.start(small, tmp_path_factory.mktemp("run") / "out").out, "td": run_of("td").out}


@pytest.fixture
def state(runs: dict[str, Path], tmp_path: Path) -> Path:
    """The state of a copy of the run by PPO."""
    return Path(shutil.copytree(runs["ppo"], tmp_path / "out")) / trainer.STATE_FILE


def refusal(path: Path) -> str:
    """The line that refuses the state; the refusal changes nothing."""
    before = files_of(path.parent)
    result = CliRunner().invoke(app, ["train", "--resume", str(path.parent), "--steps", "256"])
    assert result.exit_code == 1 and files_of(path.parent) == before
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


def set_to(name: str, value: Any, row: Any = 0) -> Change:
    def change(text: Text, tensors: Tensors) -> None:
        tensors[name].view(-1)[row] = value

    return change


def other(name: str, make: Callable[[torch.Tensor], torch.Tensor]) -> Change:
    def change(text: Text, tensors: Tensors) -> None:
        tensors[name] = make(tensors[name])

    return change


def entry(value: Any, *path: Any) -> Change:
    def change(text: Text, tensors: Tensors) -> None:
        at: Any = text
        for key in path[:-1]:
            at = at[key]
        at[path[-1]] = value

    return change


def without(*path: Any) -> Change:
    def change(text: Text, tensors: Tensors) -> None:
        at: Any = text
        for key in path[:-1]:
            at = at[key]
        del at[path[-1]]

    return change


FIRST = {"ppo": "network.mlp_extractor.policy_net.0.weight", "td": "network.row.weight"}
COMMON: list[tuple[Change, str]] = [
    (entry("0" * 64, "components_sha256"), "components"),
    (entry(-1, "steps"), "steps: expected 0 or more"),
    (entry(500, "steps"), "rows: expected steps that grow, up to those of the run"),
    (without("steps"), "steps"),
    (entry("x", "updates"), "updates"),
    (entry(-5, "games"), "games"),
    (entry(-5.0, "seconds"), "seconds"),
    (entry([], "rows"), "rows"),
    (entry("x", "rows", 0, "steps"), "rows"),
    (without("rows", 0, "score"), "rows"),
    (entry(None, "results", 0, "share"), "results: share"),
    (entry({}, "best"), "best"),
    (entry([1], "warnings"), "warnings"),
    (entry([4096] * 500, "settings", "hidden"), "hidden: expected 1 to 8 layers"),
    (entry(5, "settings", "components"), "components: expected a text"),
    (without("settings"), "not the state of a run"),
    (lambda _, tensors: tensors.update(x=torch.zeros(1)), "x: is no tensor of such a run"),
]
OF_PPO: list[tuple[Change, str]] = [
    (set_to("env.seating.seat", 3), "env.seating.seat"),
    (set_to("env.seating.seat", -1), "env.seating.seat"),
    (set_to("env.seating.players", 10**15), "env.seating.players"),
    (set_to("env.games", 77, slice(40, 90)), "env.games: game 0"),
    (set_to("env.games", 0, slice(0, None)), "env.games: game 0: num_players does not hold"),
    (other("env.seating.seat", lambda t: t.double()), "env.seating.seat: torch.float64"),
    (other("rng.torch", lambda t: t[:100].clone()), "rng.torch"),
    (set_to("rng.numpy", 2**40), "rng.numpy"),
    (entry(5000, "numpy", 1), "numpy: is no state"),
    (entry(2, "env_rng", "state", "inc"), "env_rng"),
    (entry([1, 2], "snapshots"), "snapshots"),
    (entry(2000, "thinned"), "thinned"),
]
OF_TD: list[tuple[Change, str]] = [
    (entry([6, 8], "settings", "hidden"), "does not fit these settings"),
    (other("optimizer.exp_avg_sq.outputs.bias", lambda t: t - 1), "exp_avg_sq.outputs.bias"),
    (entry("x", "loss"), "loss"),
    (entry("ppo", "settings", "method"), "input"),
]
HARM: list[tuple[str, Change, str]] = [("ppo", *harm) for harm in OF_PPO] + [("td", *harm) for harm in OF_TD]
for method, name in FIRST.items():
    HARM += [(method, *harm) for harm in COMMON]
    HARM += [
        (method, set_to(name, float("nan")), "not finite"),
        (method, other(name, lambda t: t[:-1].clone()), "expected torch.float32 of shape"),
        (method, other(name, lambda t: t.double()), f"{name}: torch.float64"),
        (method, lambda _, tensors, name=name: tensors.pop(name), "is missing"),
    ]


@pytest.mark.parametrize(("method", "change", "said"), HARM)
def test_what_no_run_has_saved_is_refused_under_a_digest_that_holds(
    method: str, change: Change, said: str, runs: dict[str, Path], tmp_path: Path
) -> None:
    path = Path(shutil.copytree(runs[method], tmp_path / "out")) / trainer.STATE_FILE
    text, tensors = read_state(path)
    change(text, tensors)
    path.write_bytes(state_bytes(text, tensors))
    line = refusal(path)
    assert said in line and str(path) in line, line
