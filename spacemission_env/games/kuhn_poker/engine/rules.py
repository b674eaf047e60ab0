"""The rules of Kuhn poker, and who has won what.

`s` is a game (`state.STATE`), `t` the box with its options (`state.BOX`). Functions change `s` in place and
trust that the move is legal (`is_legal` says which are).

| id | rule |
| --- | --- |
| KP-1 | Two or three players. The deck has one card more than there are players, all of different rank. |
| KP-2 | Each puts an ante into the pot (1 chip; option `ante`: 1 to 5) and is dealt a card; one stays out. |
| KP-3 | Seat 0 always begins; then the seats act in their order, in turn. |
| KP-4 | As long as nobody has bet, to pass is to check, and to bet puts 1 chip into the pot. |
| KP-5 | After a bet each other player, once and in turn, folds (pass) or calls with 1 chip (bet). |
| KP-6 | The betting ends when all have checked, or when all others have answered the bet. |
| KP-7 | Of those who have not folded, the one with the highest card takes the pot. |
| KP-8 | The result of a player is what it takes less what it has put in; results add up to zero. |
| KP-9 | A player knows its own card and all that was bet. No card is ever turned over. |

Two players: Kuhn (1950), "A simplified two-person poker". Three: Szafron, Gibson and Sturtevant (2013), "A
parameterized family of equilibrium profiles for three-player Kuhn poker". In both the bet is as large as the
ante, which is option `ante` = 1.
"""

from __future__ import annotations

from spacemission_env.core.constants import FINISHED, RUNNING
from spacemission_env.core.rng import hash63, seed_rng, shuffle
from spacemission_env.games.kuhn_poker.engine.compiled import njit
from spacemission_env.games.kuhn_poker.engine.constants import (
    ACTION_COUNT,
    BET,
    BET_CHIPS,
    CARDS,
    MAX_PLAYERS,
    MOST_DECISIONS,
    NOBODY,
    RANK,
    WIN,
)

SALT_STREAM = 0x5A17  # tells the salts of games from other numbers made of their seeds

# ---------------------------------------------------------------- play


@njit
def deal(s, t, num_players, seed):
    """A new game from a seed: antes and cards (KP-2), seat 0 to act (KP-3)."""
    seed_rng(s, seed)
    # Few positions are possible, so keys made of the position alone would let an agent that draws by them do
    # the same in all games of a position. The salt sets games apart.
    s.salt = hash63(seed, SALT_STREAM, 0)
    s.decisions = 0
    s.num_players = num_players
    s.start_player = 0
    s.player = 0
    s.over = RUNNING
    s.round_number = 1
    s.bet_at = NOBODY
    for i in range(MOST_DECISIONS):
        s.history[i] = NOBODY
    for j in range(MAX_PLAYERS):
        s.put_in[j] = t.ante if j < num_players else 0
        s.folded[j] = 0
    for card in range(CARDS):
        s.cards[card] = card if card <= num_players else NOBODY  # KP-1
    shuffle(s, s.cards, num_players + 1)


@njit
def is_legal(s, action):
    """Whether the player to act may make this move, in a game that has been dealt; `action`: any integer.

    Both moves are, until the betting has ended (KP-4, KP-5, KP-6).
    """
    return s.over == RUNNING and 0 <= action < ACTION_COUNT


@njit
def write_mask(s, seat, mask):
    """Write the legal moves of a seat: int8, 1 legal, 0 not; all zero where it is not to move."""
    for action in range(ACTION_COUNT):
        mask[action] = s.player == seat and is_legal(s, action)


@njit
def apply(s, action):
    """Carry out a legal move of the player to act: PASS or BET."""
    seat = s.player
    s.history[s.decisions] = action
    if action == BET:  # KP-4, KP-5: a bet or a call
        s.put_in[seat] += BET_CHIPS
        if s.bet_at == NOBODY:
            s.bet_at = s.decisions
    elif s.bet_at != NOBODY:  # KP-5: a fold
        s.folded[seat] = 1
    s.decisions += 1
    # KP-6: a round of checks, or a round that begins with the bet.
    begun = 0 if s.bet_at == NOBODY else int(s.bet_at)
    if s.decisions == begun + s.num_players:
        s.over = FINISHED
    else:
        s.player = (seat + 1) % s.num_players  # KP-3


# ---------------------------------------------------------------- results


@njit
def winner(s):
    """KP-7: the seat that takes the pot of a finished game."""
    best = NOBODY
    for j in range(s.num_players):
        if s.folded[j] == 0 and (best == NOBODY or s.cards[j] > s.cards[best]):
            best = j
    return best


@njit
def net_chips(s, chips):
    """KP-8: write what each seat has won, integers (seats,), 0 before the end; nothing for absent seats."""
    pot = 0
    for j in range(s.num_players):
        chips[j] = 0
        if s.over == FINISHED:
            chips[j] = -int(s.put_in[j])
            pot += int(s.put_in[j])
    if s.over == FINISHED:
        chips[winner(s)] += pot


@njit
def rewards(chips, num_players, mode, out):
    """Write each seat's final reward from its net chips; `mode` is the index in `constants.REWARD_NAMES`.

    Each adds up to zero. win: +1 split among the winners, -1 split among the others; 0 for all where all
    are level, which in this game they are only before the end. rank: from +1 (first) to -1 (last) in equal
    steps, ties share the mean. chips: the net chips themselves.
    """
    winners = 0
    for i in range(num_players):
        ahead = 0
        behind = 0
        for j in range(num_players):
            ahead += chips[j] > chips[i]
            behind += chips[j] < chips[i]
        winners += ahead == 0
        if mode == WIN:
            out[i] = 1.0 if ahead == 0 else -1.0
        elif mode == RANK:
            out[i] = (behind - ahead) / (num_players - 1)
        else:
            out[i] = chips[i]
    if mode == WIN:
        for i in range(num_players):
            if winners == num_players:  # a draw of all
                out[i] = 0.0
            else:
                out[i] /= winners if out[i] > 0 else num_players - winners
