"""A picture of each game for the first page: a game under way, always the same one."""

from __future__ import annotations

from functools import lru_cache

from spacemission_agents.web.catalogue import offers
from spacemission_agents.web.position import THEME
from spacemission_env.core.agents_api import make_agent, prepare_agents
from spacemission_env.core.game_spec import find_game

SEED, MOVES = 7, 90
# The first of these that a game has plays it: what sits opposite by default is compiled anyway.
PLAYERS = ("heuristic", "greedy", "random")


@lru_cache(maxsize=16)
def sample(name: str) -> str:
    """The table after some moves, or right before the end of a shorter game, as seat 0 knows it.

    Raises:
        SetupError: there is no such game.
    """
    spec = find_game(name)
    agent = make_agent(next(one for one in PLAYERS if one in offers(spec)), spec)
    game = spec.game(spec.table_players(None))
    game.reset(SEED)
    prepare_agents([agent], game.info)
    for _ in range(MOVES):
        after = game.clone()
        after.step(agent.play(game))
        if after.over:
            break
        game = after
    return spec.picture.draw(game.seat_json(0), theme=THEME)
