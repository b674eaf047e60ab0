"""`belief` estimates where hidden things are, from determinizations."""

import numpy as np

from spacemission_env import belief
from spacemission_env.core.game import make_game


def test_of_kuhn_poker_it_is_what_can_be_reckoned() -> None:
    game = make_game("kuhn_poker", 2)
    game.reset(seed=7)
    own = int(game.states[0].cards[0])
    (cards,) = belief(game, 0, 2000)
    assert [place.title for place in cards.places][1:] == ["card of player_1", "card that stays out"]
    assert cards.certain.tolist() == [True, False, False]
    assert cards.mean[0, own] == 1 and not cards.mean[1:, own].any()
    others = np.delete(cards.any[1:], own, 1)
    assert np.abs(others - 0.5).max() < 0.06  # more than five standard errors
