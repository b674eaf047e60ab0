"""Plays a game in the engine and the independent rules, and compares every decision."""

import random

from spacemission_env.games.space_mission.game import Game
from spacemission_env.games.space_mission.options import Rules
from tests.oracle.space_mission_oracle import OracleGame
from tests.support.engine_snapshot import snapshot
from tests.support.random_play import choose


def compare_game(
    seed: int, num_players: int, rules: Rules, components: object = None
) -> tuple[int, str | None]:
    """Play one random game in both; return the number of decisions and the reason of the end."""
    rng = random.Random(seed)
    game = Game(num_players, rules, components)
    game.reset(seed=seed)
    header = game.components.to_json()
    oracle = OracleGame(
        num_players, game.rules.to_json(), header["planets"], header["cards"], game.setup_json()
    )
    decisions = 0
    while True:
        context = f"seed {seed}, decision {decisions}"
        assert snapshot(game) == oracle.snapshot(), context
        legal = game.legal_actions()
        assert legal == oracle.legal(), context
        assert game.scores_json() == oracle.scores(), context
        assert game.winners() == oracle.winners(), context
        for seat in range(num_players):
            assert seat == game.player or not game.mask(seat).any(), context
        if oracle.over:
            assert game.over
            return decisions, game.reason
        action = choose(game, legal, rng)
        shuffles = int(game.states[0].shuffles)
        game.step(action)
        asked: list[bool] = []

        def shuffled(cards: list[str], asked: list[bool] = asked) -> list[str]:
            asked.append(True)
            return game.last_shuffle()

        oracle.apply(action, shuffled)
        assert len(asked) == game.states[0].shuffles - shuffles, context
        decisions += 1
