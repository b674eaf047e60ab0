"""The leak test finds planted faults of PettingZoo and Gymnasium environments, and none in clean ones."""

import copy
import random
from typing import Any

import pytest

from spacemission_env.core.game_spec import game_names
from spacemission_env.frontends import aec
from spacemission_env.leaktest import check, check_environment
from tests.support import planted_v0

PLANTED = {
    "observation": {"twins, observation"},
    "mask": {"twins, observation"},
    "info": {"twins, info"},
    "reward": {"twins, reward"},
    "credit": {"reward credit"},
    "mask forbids": {"masks, forbidden moves"},
    "mask allows": {"masks, allowed moves", "step"},
    "random": {"global random state", "seeds, used environment"},
    "numpy": {"global random state"},
    "shared seed": {"seeds, beside another"},
    "used": {"seeds, used environment"},
    "late chance": set(),  # a fault only together with a copy that forgets where its chance stands
    "outside": {"observation space"},
    "dtype": {"observation space"},
    "history": {"kept observations"},
    "deepcopy": {"copies, deepcopy"},
    "copied list": {"copies, deepcopy"},
    "pickle": {"copies, pickle"},
}


@pytest.mark.parametrize("fault", PLANTED)
def test_each_planted_fault_is_found(fault: str) -> None:
    report = check_environment(lambda: planted_v0.env(fault), planted_v0.twin, games=8)
    assert PLANTED[fault] <= report.found.keys(), report.text()
    more = {
        "mask",
        "random",
        "shared seed",
        "used",
        "deepcopy",
        "copied list",
        "history",
        "mask allows",
        "outside",
    }
    assert fault in more or report.found.keys() == PLANTED[fault], report.text()


@pytest.mark.parametrize("fault", ["none", "hash"])
def test_other_processes_play_the_same_game(fault: str) -> None:
    report = check(f"pettingzoo:tests.support.planted_v0(fault={fault!r})", planted_v0.twin, games=2)
    assert report.tried["seeds, other process"] == 2
    assert report.found.keys() == ({"seeds, other process"} if fault == "hash" else set()), report.text()


@pytest.mark.parametrize(
    ("fault", "check"),
    [
        ("none", None),
        ("outside", "observation space"),
        ("mask", "step"),
        ("random", "seeds, used environment"),
    ],
)
def test_gymnasium(fault: str, check: str | None) -> None:
    report = check_environment(lambda: planted_v0.Alone(fault), games=4)
    assert (check in report.found) if check else not report.found, report.text()


@pytest.mark.parametrize(
    "name",
    [
        "rps_v2",
        "tictactoe_v3",
        "connect_four_v3",
        "leduc_holdem_v4",
        "texas_holdem_v4",
        pytest.param("hanabi_v5", marks=pytest.mark.slow),
    ],
)
def test_classic_games_have_no_findings(name: str) -> None:
    for package in (
        ("rlcard",) if "holdem" in name else ("pyspiel", "shimmy") if name == "hanabi_v5" else ("pygame",)
    ):
        pytest.importorskip(package)
    report = check(f"pettingzoo:{name}", games=2)
    assert not report.found, report.text()
    assert report.counts["twins"] > 0 or name in ("tictactoe_v3", "connect_four_v3")


def determinized(env: Any, seat: str, rng: random.Random) -> Any:
    """Our games through PettingZoo: everything that is hidden from a seat is drawn anew."""
    new = copy.deepcopy(env)
    inner = new.unwrapped
    inner.game = inner.game.determinize(inner.possible_agents.index(seat), rng.randrange(2**31))
    return new


@pytest.mark.parametrize(
    "name",
    [name if name == "kuhn_poker" else pytest.param(name, marks=pytest.mark.slow) for name in game_names()],
)
def test_our_games_have_no_findings(name: str) -> None:
    report = check_environment(lambda: aec.env(name), determinized, games=2, seconds=60)
    assert not report.found, report.text()
    assert report.counts["twins"] > 0
