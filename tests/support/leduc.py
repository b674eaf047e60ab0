"""Leduc hold'em for two players (Southey et al. 2005), whose exploitability is published.

Six cards, two of each of three ranks. Each player pays 1 chip and gets a card. There are two rounds of
betting, with bets of 2 and 4 chips and at most two bets each; before the second, a public card is turned. A
pair with it wins, then the higher rank.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from spacemission_env.core.batch_template import bind_batch
from spacemission_env.core.compiling import make_njit
from spacemission_env.core.constants import FINISHED, RUNNING
from spacemission_env.core.game_spec import GameSpec, Limits
from spacemission_env.core.layout import Piece, as_record, placed, scale_of, state_record
from spacemission_env.core.reading import Json
from spacemission_env.core.rng import hash63, next32, seed_rng, shuffle
from spacemission_env.core.rules_options import WholeNumberRules
from spacemission_env.core.small_games import OneDeck, OneDeckGame

njit = make_njit(Path(__file__))

CARDS = ("J1", "J2", "Q1", "Q2", "K1", "K2")
FOLD, CALL, RAISE = range(3)
MOST = 8  # decisions: at most four in a round
NONE, PUBLIC = -1, 2  # PUBLIC: place of the public card in the deck
LAYOUT = placed(
    Piece("seat", (2,), 1, "one-hot", "the observer", ""),
    Piece("player_to_act", (2,), 1, "one-hot", "who acts", ""),
    Piece("card", (6,), 1, "one-hot", "own card", ""),
    Piece("public", (6,), 1, "one-hot", "the public card", ""),
    Piece("betting", (MOST, 3), 1, "one-hot", "the decisions", ""),
)
OBSERVATION = as_record("f4", LAYOUT.values())
STATE = state_record(
    ("cards", "i1", (6,)),  # of seats 0 and 1, the public card, the rest
    ("history", "i1", (MOST,)),
    ("paid", "i1", (2,)),
    ("raises", "i1"),  # in this round
    ("begun", "i1"),  # decisions before this round
    ("shown", "i1"),  # whether the public card is turned
    ("folded", "i1"),  # seat, or NONE
)
PARAMETERS = np.dtype((np.record, [("ante", "i1"), ("scale", "f4", OBSERVATION["numbers"].shape)]))


@njit
def deal(s, t, num_players, seed):
    seed_rng(s, seed)
    s.salt = hash63(seed, 0x1ED, 0)
    s.num_players, s.start_player, s.player, s.round_number = num_players, 0, 0, 1
    s.decisions, s.over, s.raises, s.begun, s.shown, s.folded = 0, RUNNING, 0, 0, 0, NONE
    s.paid[:] = t.ante
    s.history[:] = NONE
    for card in range(6):
        s.cards[card] = card
    shuffle(s, s.cards, 6)


@njit
def is_legal(s, t, action):
    if s.over != RUNNING or not 0 <= action < 3:
        return False
    behind = s.paid[s.player] < s.paid[1 - s.player]
    return action == CALL or (action == FOLD and behind) or (action == RAISE and s.raises < 2)


@njit
def apply(s, t, action):
    me, other = int(s.player), 1 - int(s.player)
    first = s.decisions == s.begun
    s.history[s.decisions] = action
    s.decisions += 1
    s.player = other
    if action == FOLD:
        s.folded, s.over = me, FINISHED
        return
    s.paid[me] = s.paid[other]
    if action == RAISE:
        s.paid[me] += 4 if s.shown else 2
        s.raises += 1
    elif not first:  # the round ends
        s.over = FINISHED if s.shown else RUNNING
        s.shown, s.raises, s.begun, s.player = 1, 0, s.decisions, 0


@njit
def score(s, t, scores):
    scores[0, 0] = scores[1, 0] = 0
    if s.over != FINISHED:
        return
    lead = int(s.cards[0]) // 2 - int(s.cards[1]) // 2
    for j in range(2):  # only one can have a pair with the public card, or both have the same rank
        if lead != 0 and s.cards[j] // 2 == s.cards[PUBLIC] // 2:
            lead = 1 - 2 * j
    if s.folded >= 0:
        lead = 2 * int(s.folded) - 1
    if lead != 0:
        best = 0 if lead > 0 else 1
        scores[best, 0] = s.paid[1 - best]
        scores[1 - best, 0] = -int(s.paid[1 - best])


@njit
def observe(s, t, seat, recall, o):
    o.numbers[:] = 0
    o.seat[seat] = 1
    o.card[s.cards[seat]] = 1
    if s.over == RUNNING:
        o.player_to_act[s.player] = 1
    if s.shown:
        o.public[s.cards[PUBLIC]] = 1
    for i in range(s.decisions):
        o.betting[i, s.history[i]] = 1


@njit
def write_key(s, t, seat, key):
    key[0], key[1], key[2] = seat, s.cards[seat], s.cards[PUBLIC] if s.shown else NONE
    key[3:] = s.history


@njit
def decision_key(s):
    known = np.int64(s.cards[s.player]) * 8 + (np.int64(s.cards[PUBLIC]) if s.shown else 7)
    for i in range(MOST):
        known = known * 4 + np.int64(s.history[i]) + 1
    return hash63(known, s.salt, s.salt >> 32)


@njit
def determinize(s, t, seat, seed, out):
    out[0] = s
    w, own, public, place = out[0], s.cards[seat], s.cards[PUBLIC], 0
    seed_rng(w, seed)
    for card in range(6):  # in order: the draw does not depend on their true places
        if card != own and (card != public or not s.shown):
            w.cards[place] = card
            place += 1
    shuffle(w, w.cards, place)
    if s.shown:
        w.cards[4] = w.cards[PUBLIC]
        w.cards[PUBLIC] = public
    w.cards[5], w.cards[seat] = w.cards[seat], own
    seed_rng(w, (np.int64(next32(w)) << 31) | np.int64(next32(w) >> 1))


@dataclass(frozen=True)
class Rules(WholeNumberRules):
    RANGES: ClassVar = {"ante": (1, 1)}
    ante: int = 1


def make_parameters(deck: OneDeck, rules: Rules) -> np.ndarray:
    return np.frombuffer(np.array([(rules.ante, scale_of(LAYOUT, {}))], PARAMETERS).tobytes(), PARAMETERS)


class Game(OneDeckGame):
    def _move_text(self, action: int) -> str:
        return ("fold", "call", "raise")[action]

    def _seen(self, seat: int | None) -> Json:
        s = self.states[0]
        told = {
            "betting": s.history[: s.decisions].tolist(),
            "public": CARDS[s.cards[PUBLIC]] if s.shown else None,
        }
        return told | {"card": None if seat is None else CARDS[s.cards[seat]]}

    def board(self, seat: int | None = None) -> str:
        view = self.seat_json(seat)
        return f"{view['card']} {view['public']} {view['betting']}\n"


BATCH = bind_batch(
    __name__, njit, observation=OBSERVATION, action_count=3, max_players=2, score_names=("chips",),
    reward_names=("win", "chips"), deal=deal, is_legal=is_legal, apply=apply, observe=observe,
    write_key=write_key, decision_key=decision_key, determinize=determinize, score=score,
)  # fmt: skip
DECK = OneDeck("leduc deck", CARDS)
SPEC = Game.spec = GameSpec(
    name="leduc", env="leduc_v0", title="Leduc hold'em", min_players=2, max_players=2, action_count=3,
    layout=LAYOUT, layout_version=1, state=STATE, key_size=3 + MOST, score_names=("chips",),
    reward_names=("win", "chips"), batch=BATCH, make_rules=Rules.make, load_components=DECK.load,
    make_parameters=make_parameters, recorded_components=DECK.recorded, game_class=f"{__name__}:Game",
    limits=lambda rules, n: Limits(MOST, 6, {"chips": (-13.0, 13.0)}, ("chips",)),
)  # fmt: skip
