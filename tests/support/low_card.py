"""A small uncompiled game for tests of general code: hidden cards, 2 to 7 players, the lowest card wins.

Each seat is dealt a card from 1 to 5. In its turn it keeps the card or swaps it for a new one. A seat that
swaps and draws a 1 ends the game; otherwise the game ends after a number of turns. The total, the last score,
does not rank.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from spacemission_env.core.batch_template import bind_batch
from spacemission_env.core.constants import FINISHED, RUNNING, TRUNCATED
from spacemission_env.core.game import Game as AnyGame
from spacemission_env.core.game_spec import GameSpec
from spacemission_env.core.layout import Piece, as_record, placed, state_record
from spacemission_env.core.reading import Json
from spacemission_env.core.rng import hash63
from spacemission_env.core.rules_options import WholeNumberRules
from spacemission_env.core.small_games import OneDeck
from tests.support import take_stones

SWAP = 1
MOST = 7
LAYOUT = placed(Piece("card", (1,), 5, "count", "own card", ""), Piece("turn", (1,), 100, "count", "", ""))
OBSERVATION = as_record("f4", LAYOUT.values())
STATE = state_record(("cards", "i1", (MOST,)))
PARAMETERS = np.dtype((np.record, [("turns", "i2"), ("scale", "f4", (2,))]))
SCORES, REWARDS = ("ten times", "card"), ("win",)
DECK = OneDeck("five cards", tuple("12345"))


@dataclass(frozen=True)
class Rules(WholeNumberRules):
    RANGES: ClassVar = {"turns": (1, 1000)}
    turns: int = 3


def make_parameters(deck: OneDeck, rules: Rules) -> np.ndarray:
    parameters = np.array([(rules.turns, (1 / 5, 1 / 100))], PARAMETERS)
    parameters.setflags(write=False)
    return parameters


# ---------------------------------------------------------------- rules


def card(s: np.void, number: int) -> int:
    return 1 + int(hash63(int(s.seed), number, 5)) % 5


def deal(s: np.void, t: np.void, num_players: int, seed: int) -> None:
    for name in STATE.names or ():
        s[name] = 0
    s.seed, s.num_players, s.round_number = seed, num_players, 1
    s.cards[:num_players] = [card(s, 1000 + seat) for seat in range(num_players)]


def is_legal(s: np.void, t: np.void, action: int) -> bool:
    return bool(s.over == RUNNING and 0 <= action < 2)


def apply(s: np.void, t: np.void, action: int) -> None:
    if action == SWAP:
        s.cards[s.player] = card(s, int(s.decisions))
        if s.cards[s.player] == 1:
            s.over = FINISHED
    s.decisions += 1
    s.player = s.decisions % s.num_players
    s.round_number = 1 + s.decisions // s.num_players
    if s.over == RUNNING and s.round_number > t.turns:
        s.over = TRUNCATED


def write_mask(s: np.void, t: np.void, seat: int, mask: np.ndarray) -> None:
    mask[:] = s.over == RUNNING and seat == s.player


def observe(s: np.void, t: np.void, seat: int, recall: int, o: np.ndarray) -> None:
    o.numbers[:] = s.cards[seat] / 5, s.round_number / 100


def write_key(s: np.void, t: np.void, seat: int, key: np.ndarray) -> None:
    key[0] = s.cards[seat]


def decision_key(s: np.void) -> int:
    return int(hash63(int(s.seed), int(s.decisions), 1))


def determinize(s: np.void, t: np.void, seat: int, seed: int, out: np.ndarray) -> None:
    own = s.cards[seat]
    out[0] = s
    out[0].seed = seed
    out[0].cards[: s.num_players] = 3
    out[0].cards[seat] = own


def score(s: np.void, t: np.void, scores: np.ndarray) -> None:
    for j in range(s.num_players):
        scores[j] = 10 * s.cards[j], s.cards[j]


def rank_number(scores: np.ndarray, seat: int) -> int:
    return -int(scores[seat, 0])


def uncompiled(function: Callable[..., object]) -> Callable[..., object]:
    """A decorator that compiles nothing."""
    return function


class Game(AnyGame):
    def setup_json(self) -> Json:
        return {"cards": self.states[0].cards[: self.num_players].tolist()}

    def _move_text(self, action: int) -> str:
        return ("keep", "swap")[action]


SPEC = Game.spec = GameSpec(
    name="low_card", env="low_card_v0", title="Low Card", min_players=2, max_players=MOST, action_count=2,
    layout=LAYOUT, layout_version=1, state=STATE, key_size=1, score_names=SCORES, reward_names=REWARDS,
    batch=bind_batch(
        __name__, uncompiled, observation=OBSERVATION, action_count=2, max_players=MOST, score_names=SCORES,  # type: ignore[arg-type]
        reward_names=REWARDS, deal=deal, is_legal=is_legal, apply=apply, write_mask=write_mask,
        observe=observe, write_key=write_key, decision_key=decision_key, determinize=determinize, score=score,
        rank_number=rank_number,
    ),
    make_rules=Rules.make, load_components=DECK.load, make_parameters=make_parameters,
    recorded_components=DECK.recorded, game_class=f"{__name__}:Game",
)  # fmt: skip


installed = partial(take_stones.installed, name=SPEC.name, module=__name__)
