"""Whose turn it is in many games, for every game: fields of the states and seats, one for each game."""

from __future__ import annotations

from pathlib import Path

from spacemission_env.core.compiling import make_njit

njit = make_njit(Path(__file__))


@njit
def others_to_move(players, over, seats, num_players, index, waiting, offsets):
    """The games of `index` that go on and wait for another seat than `seats[i]`; how many they are.

    Args:
        players: int8 (games,), who is to act.
        over: int8 (games,), 0 while a game runs.
        seats: int64 (games,), one's own.
        num_players: of each game.
        index: int64 (n,).
        waiting: out, int64 (n,); may be the memory of `index`.
        offsets: out, int64 (n,): how many places after one's own, less one, the seat is that is to act.
    """
    count = 0
    for n in range(len(index)):
        i = index[n]
        if over[i] == 0 and players[i] != seats[i]:
            waiting[count] = i
            offsets[count] = (players[i] - seats[i]) % num_players - 1
            count += 1
    return count
