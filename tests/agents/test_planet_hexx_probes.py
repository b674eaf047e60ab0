"""Tests the probes of Planet Hexx: their positions, answers of agents, refusals."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from spacemission_agents.games.planet_hexx.probes import ask_all, build_position, load_probes, summary
from spacemission_agents.probing import Probe, ProbeError
from spacemission_env.games.planet_hexx.engine.constants import HAND, MAX_PLAYERS, NOTHING
from tests.support.command_line import run

pytestmark = pytest.mark.slow

PROBES = load_probes()


def cards(probe: Probe) -> np.ndarray:
    """The number of cards of each kind in all places."""
    s, box = probe.game.states[0], probe.game.t
    kinds = int(box.kinds)
    lying = [*s.deck[: s.deck_size], *s.hex[s.hex != NOTHING], *s.filled[s.filled != NOTHING]]
    for seat in range(MAX_PLAYERS):
        lying += [k for k in s.hand[seat, :HAND] if k != NOTHING]
    lying += [frame.card for frame in s.stack[: s.depth] if frame.card != NOTHING and not frame.gone]
    found = np.bincount(np.array(lying, np.int64), minlength=kinds)
    return found[:kinds] + s.discard[:kinds]


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe.id)
def test_a_probe_is_a_position_of_a_game(probe: Probe) -> None:
    box = probe.game.t
    expected = np.array(box.copies[: int(box.kinds)], np.int64)
    expected[[box.space_base, box.delta_colony]] += 1
    if probe.game.states[0].asked == 6:  # in a window a declared card lies on the table
        assert abs(cards(probe) - expected).sum() <= 1
    else:
        assert (cards(probe) == expected).all()
    legal = probe.game.legal_actions()
    assert set(probe.right) < set(legal)
    seat = probe.game.player
    for seed in range(3):
        world = probe.game.determinize(seat, seed)
        assert world.information_state_key(seat) == probe.game.information_state_key(seat)


def test_good_agents_find_the_moves_and_chance_does_not() -> None:
    assert len(PROBES) >= 3 and len({probe.theme for probe in PROBES}) > 1
    assert summary(ask_all("heuristic", PROBES, repeat=1))["score"] == 1
    assert summary(ask_all("policy:default", PROBES, repeat=1))["score"] >= 0.85
    assert summary(ask_all("random", PROBES, repeat=40))["score"] < 0.4


def test_the_command(tmp_path: Path) -> None:
    assert "of 8 probes right" in run("probe", "heuristic", "--game", "planet_hexx", "--repeat", "1").stdout
    shown = run("probe", "greedy", "--game", "planet_hexx", "--theme", "uploads", "--show").stdout
    assert "last-point (uploads): 100% right" in shown
    path = tmp_path / "probes.toml"
    path.write_text('format = 1\ntheme = "a"\n[[probe]]\nid = "b"\nwhy = "c"\nright = [{kind = "fly"}]\n')
    assert (
        "position: is missing"
        in run("probe", "greedy", "--game", "planet_hexx", "--file", str(path), status=1).stderr
    )


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"speed": 3}, "speed: unknown field"),
        ({"players": 5}, "players: expected 2 to 4"),
        ({"store": [3, 3, 3]}, "store: more than 2 seats"),
        ({"store": [-1]}, "store: expected 0 to 99, not -1"),
        ({"files": ["9.0"]}, "files: '9.0'"),
        ({"files": ["1.0", "1.1"]}, "two seats with one Mission File"),
        ({"hands": [["warp"]]}, "hands: no card 'warp'"),
        ({"hands": [["big_gus", "big_gus"]]}, "'big_gus': there are no more of it"),
        ({"filled": [["big_gus", "glimmer", "pebble"]]}, "no point of its type is open"),
        ({"ships": [[4, 4]]}, "ships: there is no hex at"),
        ({"ships": [[400, 4]]}, "expected a cell"),
        ({"hexes": [{"card": "big_gus", "at": [2, 0]}]}, "may not lie at"),
        ({"hexes": [{"card": "detour", "at": [-1, 0]}]}, "may not lie at"),
        ({"moves": [{"kind": "upload"}]}, r"moves\[0\]: not legal"),
        ({"active": 2}, "active: seat 2"),
    ],
)
def test_impossible_positions_are_refused(table: dict[str, object], words: str) -> None:
    with pytest.raises(ProbeError, match=words):
        build_position({"files": ["0.0", "2.0"], **table})
