"""Implements Kuhn poker for 2 and 3 players, which has a known solution, in one file.

| id | rule |
| --- | --- |
| KP-1 | Two or three players. The deck has one card more than there are players, all of different rank. |
| KP-2 | Each player pays an ante (1 chip; option `ante`: 1 to 5) and gets a card; one is left out. |
| KP-3 | Seat 0 always begins; then the seats act in order. |
| KP-4 | Before a bet, a pass is a check, and a bet puts 1 chip into the pot. |
| KP-5 | After a bet each other player, once and in turn, folds (pass) or calls with 1 chip (bet). |
| KP-6 | The betting ends when all have checked, or when all other players have answered the bet. |
| KP-7 | The player with the highest card among the players who have not folded takes the pot. |
| KP-8 | The result of each player is the chips it takes minus those it put in; results add up to zero. |
| KP-9 | Each player knows its own card and all moves. No card is ever turned over. |

Two players: Kuhn (1950), "A simplified two-person poker". Three: Szafron, Gibson and Sturtevant (2013), "A
parameterized family of equilibrium profiles for three-player Kuhn poker". In both papers, ante and bet are 1.
"""

from __future__ import annotations

from collections.abc import Sequence
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

MIN_PLAYERS, MAX_PLAYERS = 2, 3
CARD_NAMES = ("J", "Q", "K", "A")  # lowest first; the ace only with three players (KP-1)
MOVE_WORDS = (("check", "bet"), ("fold", "call"))  # words for pass, bet: before a bet, after it (KP-4, KP-5)
CARDS = len(CARD_NAMES)
MOST_DECISIONS = 2 * MAX_PLAYERS - 1  # all but the last player check, the last one bets, the others answer
PASS, BET, ACTION_COUNT = 0, 1, 2
NOBODY, MOST_ANTE = -1, 5  # NOBODY: no card, no decision yet
SCORE_NAMES, REWARD_NAMES = ("chips",), ("win", "rank", "chips")

LAYOUT = placed(  # "relative seat" k is the seat k places after the observer; absent seats are zero
    Piece("num_players", (2,), 1, "one-hot 2, 3", "number of players", "KP-1"),
    Piece("seat", (MAX_PLAYERS,), 1, "one-hot", "the observer's place in the order of betting", "KP-3"),
    Piece("player_to_act", (MAX_PLAYERS,), 1, "one-hot, relative seat; zero at the end", "who acts", "KP-3"),
    Piece("card", (CARDS,), 1, "one-hot, lowest first", "own card", "KP-9"),
    Piece("betting", (MAX_PLAYERS, 2, ACTION_COUNT), 1, "one-hot pass, bet", "decisions by seat", "KP-9"),
    Piece("put_in", (MAX_PLAYERS,), "stake", "count", "chips of the relative seat in the pot", "KP-9"),
    Piece("pot", (1,), "full_pot", "count", "chips in the pot", "KP-9"),
    Piece("ante", (1,), MOST_ANTE, "count", "the ante that is played for", "KP-2"),
)
OBSERVATION = as_record("f4", LAYOUT.values())

STATE = state_record(
    ("cards", "i1", (CARDS,)),  # card of each seat, then the card left out: 0 is the lowest; else NOBODY
    ("history", "i1", (MOST_DECISIONS,)),  # the decisions, PASS or BET; NOBODY: not made
    ("bet_at", "i1"),  # which decision was the first bet, or NOBODY
    ("folded", "i1", (MAX_PLAYERS,)),  # 1 where the seat is out
    ("put_in", "i1", (MAX_PLAYERS,)),  # chips of each seat in the pot, ante included
)
# Chips that each seat puts in first (KP-2), and 1 / unit for each number of the observation.
PARAMETERS = np.dtype((np.record, [("ante", "i1"), ("scale", "f4", OBSERVATION["numbers"].shape)]))


@njit
def deal(s, t, num_players, seed):
    """Deal a new game from a seed: antes and cards (KP-2), seat 0 to act (KP-3)."""
    seed_rng(s, seed)
    s.salt = hash63(seed, 0x5A17, 0)  # positions are few: agents must not always repeat their moves
    s.decisions, s.over, s.bet_at = 0, RUNNING, NOBODY
    s.num_players, s.start_player, s.player, s.round_number = num_players, 0, 0, 1
    s.history[:] = NOBODY
    s.folded[:] = 0
    for j in range(MAX_PLAYERS):
        s.put_in[j] = t.ante if j < num_players else 0
    for card in range(CARDS):
        s.cards[card] = card if card <= num_players else NOBODY  # KP-1
    shuffle(s, s.cards, num_players + 1)


@njit
def is_legal(s, t, action):
    """Whether the player to act may make this move: both moves, until the betting ends (KP-4 to KP-6)."""
    return s.over == RUNNING and 0 <= action < ACTION_COUNT


@njit
def apply(s, t, action):
    """Carry out a legal move of the player to act: PASS or BET."""
    seat = s.player
    s.history[s.decisions] = action
    if action == BET:  # KP-4, KP-5: a bet or a call
        s.put_in[seat] += 1
        if s.bet_at == NOBODY:
            s.bet_at = s.decisions
    elif s.bet_at != NOBODY:  # KP-5: a fold
        s.folded[seat] = 1
    s.decisions += 1
    begun = 0 if s.bet_at == NOBODY else int(s.bet_at)  # KP-6: the decision at which the last round begins
    if s.decisions == begun + s.num_players:
        s.over = FINISHED
    else:
        s.player = (seat + 1) % s.num_players  # KP-3


@njit
def winner(s):
    """KP-7: the seat that takes the pot of a finished game."""
    best = NOBODY
    for j in range(s.num_players):
        if s.folded[j] == 0 and (best == NOBODY or s.cards[j] > s.cards[best]):
            best = j
    return best


@njit
def score(s, t, scores):
    """KP-8: write what each seat has won in chips, integers (seats, 1); 0 before the end."""
    pot = 0
    for j in range(s.num_players):
        scores[j, 0] = -int(s.put_in[j]) if s.over == FINISHED else 0
        pot -= scores[j, 0]
    if s.over == FINISHED:
        scores[winner(s), 0] += pot


# ---------------------------------------------------------------- what a seat knows (KP-9), and does not


@njit
def observe(s, t, seat, recall, o):
    """Write the seat's knowledge into one `OBSERVATION` record: float32 in [0, 1]; seats forget nothing."""
    o.numbers[:] = 0
    n = int(s.num_players)
    o.num_players[n - MIN_PLAYERS] = 1
    o.seat[seat] = 1
    if s.over == RUNNING:
        o.player_to_act[(s.player - seat) % n] = 1
    o.card[s.cards[seat]] = 1
    for i in range(s.decisions):  # KP-3: seat i mod n made decision i
        o.betting[(i - seat) % n, i // n, s.history[i]] = 1
    o.ante[0] = t.ante
    for j in range(n):
        o.put_in[(j - seat) % n] = s.put_in[j]
        o.pot[0] += s.put_in[j]
    for i in range(len(o.numbers)):
        o.numbers[i] *= t.scale[i]


@njit
def write_key(s, t, seat, key):
    """Write the information-state key, int32 (key size,): equal keys mean equal sets of possible states."""
    key[0], key[1], key[2] = s.num_players, seat, s.cards[seat]
    key[3:] = s.history


@njit
def decision_key(s):
    """The random key of the decision, for agents: a hash of what the seat to act knows and of the salt."""
    known = np.int64(s.num_players) << 3 | np.int64(s.cards[s.player])
    for i in range(MOST_DECISIONS):
        known = known << 2 | (np.int64(s.history[i]) & 3)
    return hash63(known, s.salt, s.salt >> 32)  # hash63 uses 64 bits of the first, 32 of the others


@njit
def determinize(s, t, seat, seed, out):
    """Write into `out[0]` a game that the seat cannot tell from `s`: all cards but its own are dealt anew."""
    out[0] = s
    w, n, own, place = out[0], int(s.num_players), s.cards[seat], 0
    seed_rng(w, seed)
    for card in range(n + 1):  # sort the cards first: the draw must not depend on their true places
        if card != own:
            w.cards[place] = card
            place += 1
    shuffle(w, w.cards, n)
    w.cards[n], w.cards[seat] = w.cards[seat], own
    seed_rng(w, (np.int64(next32(w)) << 31) | np.int64(next32(w) >> 1))


BATCH = bind_batch(
    __name__, njit, observation=OBSERVATION, action_count=ACTION_COUNT, max_players=MAX_PLAYERS,
    score_names=SCORE_NAMES, reward_names=REWARD_NAMES, deal=deal, is_legal=is_legal, apply=apply,
    observe=observe, write_key=write_key, decision_key=decision_key, determinize=determinize, score=score,
    only_finished_wins=True,
)  # fmt: skip

DECK = OneDeck("kuhn deck", CARD_NAMES)


@dataclass(frozen=True)
class Rules(WholeNumberRules):
    """Options; `ante`: chips that each player puts in before the cards are dealt (KP-2)."""

    RANGES: ClassVar = {"ante": (1, MOST_ANTE)}
    ante: int = 1


def make_parameters(deck: OneDeck, rules: Rules) -> np.ndarray:
    """The options as compiled code reads them: one `PARAMETERS` record (1,), read-only."""
    stake = rules.ante + 1
    scale = scale_of(LAYOUT, {"stake": stake, "full_pot": MAX_PLAYERS * stake})
    return np.frombuffer(np.array([(rules.ante, scale)], PARAMETERS).tobytes(), PARAMETERS)


class Game(OneDeckGame):
    """One game; `setup` is like `{"cards": ["K", "J", "Q"]}`: each seat's card, then the card left out."""

    rules: Rules

    def _move_text(self, action: int) -> str:
        """Check or bet, and after a bet fold or call (KP-4, KP-5)."""
        return MOVE_WORDS[int(self.states[0].bet_at != NOBODY)][action]

    def _move_words(self, action: int, seat: int | None) -> str:
        return f"player_{self.player} {self._move_text(action)}s"  # no part of a move is hidden

    def _seen(self, seat: int | None) -> Json:
        s, n = self.states[0], int(self.states[0].num_players)
        acts = [MOVE_WORDS[int(NOBODY != s.bet_at < i)][s.history[i]] for i in range(s.decisions)]
        seats: list[Json] = [
            {"chips": int(s.put_in[j]), "folded": bool(s.folded[j]), "acts": acts[j::n], "card": None}
            for j in range(n)
        ]
        if seat is not None:  # KP-9
            seats[seat]["card"] = CARD_NAMES[s.cards[seat]]
        table = {"pot": int(s.put_in[:n].sum()), "ante": self.rules.ante, "bet": bool(s.bet_at != NOBODY)}
        return {**table, "deck": list(CARD_NAMES[: n + 1]), "seats": seats}

    def board(self, seat: int | None = None) -> str:
        """The table in words as a seat (default: the one to act) knows it."""
        view = self.seat_json(seat)
        lines = [f"You are player_{view['seat']} and hold {view['seats'][view['seat']]['card']}."]
        for j, one in enumerate(view["seats"]):
            acts = ", then ".join("bet" if act in ("bet", "call") else "passed" for act in one["acts"])
            turn = ", to act" if j == view["player_to_act"] else ""
            lines.append(f"player_{j}: {one['chips']} in the pot; {acts or 'has not acted'}{turn}")
        return "\n".join(lines) + "\n"

    def result_words(self, agents: Sequence[str] | None = None) -> str:
        """Who won how many chips."""
        named = [f"  {agent}" for agent in agents] if agents else [""] * self.num_players
        return "".join(f"player_{j}  {won:+d} chips{named[j]}\n" for j, (won,) in enumerate(self.scores()))


def limits(rules: Rules, num_players: int) -> Limits:
    """The bounds. In the longest game all seats but the last check, the last bets, and the others answer.
    The best result is to win all stakes.
    """
    stake = rules.ante + 1
    chips = (-stake, (num_players - 1) * stake)
    return Limits(2 * num_players - 1, num_players + 1, {"chips": chips}, REWARD_NAMES)


HOW_TO_PLAY = """\
Bet on who holds the highest card, which nobody else sees. You win the chips that you take out of the pot,
less those that you put in.

## Play

Each player puts a chip (option: more) into the pot and gets one card; one card is left out. The deck has a
jack, a queen and a king, with three players also an ace; J is the lowest. The players act in turn.

- Nobody has bet yet: **check** (do nothing), or **bet** one chip.
- Somebody has bet: each other player once **calls** (puts in a chip too) or **folds** (is out).

## The end

When all have checked, or all others have answered the bet, the highest card of those who are still in takes
the pot. No card is turned over.
"""

# For language models: the table of rules above, and the names of the ranks.
RULES_TEXT = "\n".join(
    " ".join(line.strip("| ").split(" | "))
    for line in (__doc__ or "").splitlines()
    if line.startswith("| KP")
)
RULES_TEXT += "\nThe ranks from the lowest: J, Q, K, with three players also A (KP-1).\n"
MOVE_FORMS = (
    ("check", "nobody has bet: put in nothing (KP-4)"),
    ("bet", "nobody has bet: put in 1 chip (KP-4)"),
    ("fold", "somebody has bet: you are out (KP-5)"),
    ("call", "somebody has bet: put in 1 chip (KP-5)"),
)

SPEC = Game.spec = GameSpec(
    name="kuhn_poker", env="kuhn_poker_v0", title="Kuhn poker", min_players=MIN_PLAYERS,
    max_players=MAX_PLAYERS, action_count=ACTION_COUNT, layout=LAYOUT, layout_version=1, state=STATE,
    key_size=3 + MOST_DECISIONS, score_names=SCORE_NAMES, reward_names=REWARD_NAMES, batch=BATCH,
    make_rules=Rules.make, load_components=DECK.load, make_parameters=make_parameters,
    recorded_components=DECK.recorded, game_class=f"{__name__}:Game",
    picture_module=f"{__name__}_picture", limits=limits, how_to_play=HOW_TO_PLAY,
    rules_text=RULES_TEXT, move_forms=MOVE_FORMS,
    own_words=("check", "bet", "fold", "call", "pass", "ante", "pot", "chip", "deck", "card"),
)  # fmt: skip
