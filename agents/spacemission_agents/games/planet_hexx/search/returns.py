"""What a leaf of the search is expected to pay each seat, and what the end of a game does."""

from __future__ import annotations

from spacemission_agents.games.planet_hexx.compiled import njit
from spacemission_agents.games.planet_hexx.heuristic.judgement import actions_worth, time_left
from spacemission_env.core.constants import FINISHED, RUNNING

SURE = 3.0  # how much more likely a win is for who needs less time: odds are times to this power
LEAST = 0.5  # Actions to the end that count at least


@njit
def leaf_returns(s, t, w, tools, out):
    """Each seat's share of the win by the time that it still needs, 0 to 1; they sum to 1.

    In a world of a search the cards in all hands are known: that they were sampled is for the mean over the
    simulations.
    """
    n = int(s.num_players)
    if s.over != RUNNING:
        end_returns(s, out)
        return
    total = 0.0
    for j in range(n):
        for i in range(s.hand_size[j]):
            s.known[j, i] = 1
        time = time_left(s, t, w, j, tools) - actions_worth(s, t, w, j, True)
        out[j] = (max(time, 0.0) + w.finish + LEAST) ** -SURE
        total += out[j]
    for j in range(n):
        out[j] /= total


@njit
def end_returns(s, out):
    """The win, split among the winners; nothing for a truncated game."""
    n = int(s.num_players)
    winners = 0
    for j in range(n):
        winners += s.won[j]
    for j in range(n):
        out[j] = s.won[j] / winners if s.over == FINISHED and winners > 0 else 0.0
