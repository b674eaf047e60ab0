"""Speed of one game on this machine, whatever game it is: `spacemission bench --game NAME`.

Random legal play in one process and one thread, with 3 players where the game can be played so. Space
Mission's batched engine is measured beside it, turn by turn: machines differ, and what else runs on them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from spacemission_env.commands.speed import Play, aec_rate, batched_play, best_rates, vector_play
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.game_spec import DEFAULT_GAME, find_game
from spacemission_env.core.masks import choose_uniform

PLAYERS = 3
GAMES, RECORDED = 256, 200  # games side by side; moves of each that `rules_play` makes again and again
DECISIONS = 200_000


def players_of(game: str) -> int:
    """How many play: 3, or as many as can."""
    spec = find_game(game)
    return min(max(PLAYERS, spec.min_players), spec.max_players)


def rules_play(game: str, num_players: int, seed: int = 0, games: int = GAMES, moves: int = RECORDED) -> Play:
    """The rules alone: moves that were chosen before; each is looked at and made, and nothing is seen."""
    table = BatchedGames(games, num_players, game=game)
    for i in range(games):
        table.deal(i, seed + i)
    start = table.states.copy()
    chosen = np.zeros((moves, games), np.int64)

    def step(actions: np.ndarray) -> None:
        if table.step(table.everyone, actions):
            table.deal_next(np.flatnonzero(table.over))

    for actions in chosen:
        _, masks = table.view(table.everyone)
        choose_uniform(masks, table.keys(table.everyone), actions)
        step(actions)

    def play(count: int) -> int:
        made = 0
        while made < count:
            table.states[:] = start
            for actions in chosen:
                step(actions)
            made += chosen.size
        return made

    return play


def batched_rates(game: str, seed: int = 0, decisions: int = DECISIONS, rounds: int = 9) -> dict[str, float]:
    """The batched engine with what seats are given, each kind in turn, and Space Mission's."""
    num_players = players_of(game)
    plays = {
        "batched_256_games": batched_play(GAMES, num_players, seed, game=game),
        "batched_256_games_compact": batched_play(GAMES, num_players, seed, dtype="uint8", game=game),
        "batched_256_games_mask_only": batched_play(GAMES, num_players, seed, observe=False, game=game),
        "rules_256_games": rules_play(game, num_players, seed),
        "space_mission_256_games": batched_play(GAMES, PLAYERS, seed, game=DEFAULT_GAME),
    }
    return best_rates(plays, decisions, rounds)


def measure_game(
    game: str, seed: int = 0, report: Callable[[str], None] = lambda name: None, decisions: int = DECISIONS
) -> dict[str, float]:
    """Decisions or learner steps a second in a game, and how its engine compares to Space Mission's."""
    from spacemission_env.frontends.aec import env

    num_players = players_of(game)
    report("batched engine")
    figures = batched_rates(game, seed, decisions)
    figures["to_space_mission"] = figures["batched_256_games"] / figures["space_mission_256_games"]
    report("aec")
    figures["aec"] = aec_rate(env(game=game, num_players=num_players), seed, decisions // 5)
    report("gymnasium_vector_256")
    vector = {
        "gymnasium_vector_256": vector_play(GAMES, seed, game=game, num_players=num_players),
        "gymnasium_vector_256_compact": vector_play(
            GAMES, seed, dtype="uint8", game=game, num_players=num_players
        ),
    }
    return figures | best_rates(vector, decisions // 2, rounds=3)
