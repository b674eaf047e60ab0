"""A small game without hidden pieces: seats in turn take 1 to 3 stones, and the last stone wins.

Its observation lists the stones as rows. `installed` installs it, or any other game in one file.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from spacemission_env.core import game_spec
from spacemission_env.core.batch_template import bind_batch
from spacemission_env.core.compiling import make_njit
from spacemission_env.core.constants import FINISHED, RUNNING
from spacemission_env.core.game import Game as AnyGame
from spacemission_env.core.game_spec import GameSpec
from spacemission_env.core.layout import Piece, as_record, placed, state_record
from spacemission_env.core.reading import Json
from spacemission_env.core.rng import hash63, seed_rng
from spacemission_env.core.rules_options import WholeNumberRules
from spacemission_env.core.small_games import OneDeck

NAME = "take_stones"
MOST, TAKES, SEATS = 15, 3, 3
NOBODY = -1
LAYOUT = placed(
    Piece("left", (MOST + 1,), 1, "one-hot", "stones left", ""),
    Piece("stones", (MOST, 1), 1, "0 or 1", "whether the stone is there", "", rows=True),
    Piece("players", (SEATS,), 1, "one-hot", "number of players", ""),
)
OBSERVATION = as_record("f4", LAYOUT.values())
SIZE = len(LAYOUT) and OBSERVATION["numbers"].shape[0]
STATE = state_record(("left", "i1"), ("taker", "i1"))
PARAMETERS = np.dtype((np.record, [("fewest", "i2"), ("scale", "f4", (SIZE,))]))
DECK = OneDeck("stones", ("stone",))
njit = make_njit(Path(__file__))


@dataclass(frozen=True)
class Rules(WholeNumberRules):
    RANGES: ClassVar = {"fewest": (1, 8)}
    fewest: int = 8


def make_parameters(deck: OneDeck, rules: Rules) -> np.ndarray:
    parameters = np.array([(rules.fewest, np.ones(SIZE))], PARAMETERS)
    parameters.setflags(write=False)
    return parameters


@njit
def deal(s, t, num_players, seed):  # type: ignore[no-untyped-def]
    seed_rng(s, seed)
    s.salt, s.seed = hash63(seed, 1, 1), seed
    s.num_players, s.start_player, s.player, s.round_number = num_players, 0, 0, 1
    s.decisions, s.over, s.taker = 0, RUNNING, NOBODY
    s.left = t.fewest + hash63(seed, 2, 2) % (MOST - 7)


@njit
def is_legal(s, t, action):  # type: ignore[no-untyped-def]
    return s.over == RUNNING and 0 <= action < TAKES and action < s.left


@njit
def apply(s, t, action):  # type: ignore[no-untyped-def]
    s.left -= action + 1
    s.decisions += 1
    if s.left == 0:
        s.over, s.taker = FINISHED, s.player
    else:
        s.player = s.decisions % s.num_players
        s.round_number = 1 + s.decisions // s.num_players


@njit
def observe(s, t, seat, recall, o):  # type: ignore[no-untyped-def]
    o.numbers[:] = 0
    o.left[s.left] = 1
    for i in range(s.left):
        o.stones[i, 0] = 1
    o.players[s.num_players - 1] = 1


@njit
def write_key(s, t, seat, key):  # type: ignore[no-untyped-def]
    key[0], key[1] = s.left, s.decisions


@njit
def decision_key(s):  # type: ignore[no-untyped-def]
    return hash63(s.salt, s.decisions, 3)


@njit
def determinize(s, t, seat, seed, out):  # type: ignore[no-untyped-def]
    out[0] = s
    seed_rng(out[0], seed)


@njit
def score(s, t, scores):  # type: ignore[no-untyped-def]
    for j in range(s.num_players):
        scores[j, 0] = s.taker == j


class Game(AnyGame):
    def setup_json(self) -> Json:
        return {"left": int(self.states[0].left)}

    def _move_text(self, action: int) -> str:
        return f"take {action + 1}"


SPEC = Game.spec = GameSpec(
    name=NAME, env=f"{NAME}_v0", title="Take Stones", min_players=2, max_players=SEATS, action_count=TAKES,
    layout=LAYOUT, layout_version=1, state=STATE, key_size=2, score_names=("last",), reward_names=("win",),
    batch=bind_batch(
        __name__, njit, observation=OBSERVATION, action_count=TAKES, max_players=SEATS,
        score_names=("last",), reward_names=("win",), deal=deal, is_legal=is_legal, apply=apply,
        observe=observe, write_key=write_key, decision_key=decision_key, determinize=determinize, score=score,
    ),
    make_rules=Rules.make, load_components=DECK.load, make_parameters=make_parameters,
    recorded_components=DECK.recorded, game_class=f"{__name__}:Game",
)  # fmt: skip


@contextmanager
def installed(folder: Path, name: str = NAME, module: str = __name__) -> Iterator[GameSpec]:
    """Install a game by its entry point, as another package would, in this and all other processes."""
    told = folder / f"{name}-1.0.dist-info"
    told.mkdir(parents=True)
    (told / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (told / "entry_points.txt").write_text(f"[{game_spec.GROUP}]\n{name} = {module}:SPEC\n")
    sys.path.append(str(folder))
    game_spec._loaded.cache_clear()
    try:
        yield game_spec.find_game(name)
    finally:
        sys.path.remove(str(folder))
        game_spec._loaded.cache_clear()
