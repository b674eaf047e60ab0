"""A game for tests of what has to work for every game: hidden cards, up to seven players, the lowest wins.

Each seat is dealt a card from 1 to 5. In its turn it keeps it, or swaps it for a new one. A seat that swaps
and draws a 1 ends the game; else it ends after so many turns. The total, the last score, does not rank.
The batch functions are plain Python: no test has to wait until they are compiled.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from spacemission_env.core import game_spec
from spacemission_env.core.batch import Batch
from spacemission_env.core.constants import FINISHED, RUNNING, TRUNCATED
from spacemission_env.core.errors import RulesError
from spacemission_env.core.game import Game as AnyGame
from spacemission_env.core.game_spec import GameSpec
from spacemission_env.core.layout import Piece, placed, state_record
from spacemission_env.core.rng import hash63, next_seed

KEEP, SWAP = 0, 1
MOST = 7
STATE = state_record(("cards", "i1", (MOST,)))
PARAMETERS = np.dtype([("turns", "i2")])


@dataclass(frozen=True)
class Rules:
    turns: int = 3

    def for_players(self, num_players: int) -> Rules:
        return self

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Components:
    name: str = "five cards"
    sha256: str = "0" * 64

    def to_json(self) -> dict[str, Any]:
        return {"name": self.name, "sha256": self.sha256}


def make_rules(rules: Any) -> Rules:
    if isinstance(rules, Rules):
        return rules
    if rules is None:
        return Rules()
    name, _, value = str(rules).partition("=")
    if name != "turns" or not value.isdigit():
        raise RulesError(f"rules: expected turns=N, not {rules!r}")
    return Rules(int(value))


def make_parameters(components: Components, rules: Rules) -> np.ndarray:
    box = np.array([(rules.turns,)], PARAMETERS)
    box.setflags(write=False)
    return box


# ---------------------------------------------------------------- what compiled code does elsewhere


def card(s: Any, number: int) -> int:
    return 1 + int(hash63(int(s["seed"]), number, 5)) % 5


def deal_one(states: Any, i: int, boxes: Any, num_players: int, seed: int) -> None:
    states[i] = np.zeros((), STATE)
    s = states[i]
    s["seed"], s["num_players"], s["round_number"] = seed, num_players, 1
    for seat in range(num_players):
        s["cards"][seat] = card(s, 1000 + seat)


def deal_next(states: Any, boxes: Any, index: Any) -> int:
    for i in index:
        deal_one(states, i, boxes, int(states[i]["num_players"]), int(next_seed(int(states[i]["seed"]))))
    return -1


def apply_one(states: Any, i: int, boxes: Any, action: int, order: Any = None) -> None:
    s = states[i]
    if action == SWAP:
        s["cards"][s["player"]] = card(s, int(s["decisions"]))
        if s["cards"][s["player"]] == 1:
            s["over"] = FINISHED
    s["decisions"] += 1
    s["player"] = s["decisions"] % s["num_players"]
    s["round_number"] = 1 + s["decisions"] // s["num_players"]
    if s["over"] == RUNNING and s["round_number"] > boxes[0]["turns"]:
        s["over"] = TRUNCATED


def first_refused(states: Any, boxes: Any, index: Any, actions: Any) -> int:
    for n, i in enumerate(index):
        if states[i]["over"] or not 0 <= actions[n] < 2:
            return n
    return -1


def apply_batch(states: Any, boxes: Any, index: Any, actions: Any) -> int:
    for i, action in zip(index, actions, strict=True):
        apply_one(states, i, boxes, int(action))
    return int((states["over"][index] != 0).sum())


def step_batch(states: Any, boxes: Any, index: Any, actions: Any) -> int:
    refused = first_refused(states, boxes, index, actions)
    return -1 - refused if refused >= 0 else apply_batch(states, boxes, index, actions)


def view_one(states: Any, i: int, boxes: Any, seat: int, recall: int, observation: Any, mask: Any) -> bool:
    s = states[i]
    observation[:] = (s["cards"][seat] / 5, s["round_number"] / 100)
    mask[:] = not s["over"] and seat == s["player"]
    return True


def view_batch(states: Any, boxes: Any, index: Any, recall: int, observations: Any, masks: Any) -> int:
    for n, i in enumerate(index):
        view_one(states, i, boxes, int(states[i]["player"]), recall, observations[n], masks[n])
    return -1


def mask_batch(states: Any, boxes: Any, index: Any, masks: Any) -> int:
    masks[:] = (states["over"][index] == 0)[:, None]
    return -1


def keys_batch(states: Any, index: Any, keys: Any) -> int:
    for n, i in enumerate(index):
        keys[n] = hash63(int(states[i]["seed"]), int(states[i]["decisions"]), 1)
    return -1


def worlds_batch(states: Any, boxes: Any, index: Any, recall: int, keys: Any, worlds: Any) -> int:
    for n, i in enumerate(index):
        own = states[i]["cards"][states[i]["player"]]
        worlds[n] = states[i]
        worlds[n]["seed"] = keys[n]
        worlds[n]["cards"][: states[i]["num_players"]] = 3
        worlds[n]["cards"][states[i]["player"]] = own
    return -1


def scores_batch(states: Any, boxes: Any, index: Any, out: Any) -> None:
    for n, i in enumerate(index):
        out[n, :, 0] = out[n, :, 1] = states[i]["cards"][: out.shape[1]]
        out[n, :, 0] *= 10


def ranks_batch(states: Any, boxes: Any, index: Any, out: Any) -> None:
    for n, i in enumerate(index):
        out[n] = -10 * states[i]["cards"][: out.shape[1]].astype(np.int64)


def rank_scores(scores: np.ndarray) -> np.ndarray:
    return -scores[..., 0].astype(np.int64)


def unused(*arguments: Any) -> Any:
    raise NotImplementedError


BATCH = {name: globals().get(name, unused) for name in game_spec.BATCH_FUNCTIONS}


class Game(AnyGame):
    def setup_json(self) -> dict[str, Any]:
        return {"cards": self.states[0]["cards"][: self.num_players].tolist()}

    def move(self, action: int) -> dict[str, Any]:
        return {"kind": ("keep", "swap")[action]}


SPEC = GameSpec(
    name="low_card",
    env="low_card_v0",
    title="Low Card",
    min_players=2,
    max_players=MOST,
    action_count=2,
    layout_version=1,
    layout=placed(Piece("card", (1,), 5, "count", "own card", ""), Piece("turn", (1,), 100, "count", "", "")),
    state=STATE,
    key_size=1,
    score_names=("ten times", "card"),
    reward_names=("win",),
    batch=Batch(**BATCH),
    make_rules=make_rules,
    load_components=lambda path: Components(),
    make_parameters=make_parameters,
    compact_units=lambda boxes: np.ones(2, np.float32),
    recorded_rules=lambda header: make_rules(None),
    recorded_components=lambda header: Components(),
    state_problem=lambda state, box, players: None,
    game_class=f"{__name__}:Game",
    rank_scores=rank_scores,
)
Game.spec = SPEC


@contextmanager
def installed(folder: Path) -> Iterator[GameSpec]:
    """As a package of somebody else would bring it: by its entry point, in this and all other processes."""
    told = folder / "low_card-1.0.dist-info"
    told.mkdir(parents=True)
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: low-card\nVersion: 1.0\n")
    (told / "entry_points.txt").write_text(f"[{game_spec.GROUP}]\nlow_card = {__name__}:SPEC\n")
    sys.path.append(str(folder))
    game_spec._loaded.cache_clear()
    try:
        yield game_spec.find_game("low_card")
    finally:
        sys.path.remove(str(folder))
        game_spec._loaded.cache_clear()
