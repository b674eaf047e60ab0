"""`belief` estimates where hidden things are, from determinizations."""

from __future__ import annotations

import numpy as np
import pytest

from spacemission_env import belief
from spacemission_env.core.errors import SetupError
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


@pytest.mark.parametrize("name", ["space_mission", "planet_hexx"])
def test_it_depends_on_nothing_that_is_hidden(name: str) -> None:
    game = make_game(name, 2)
    game.reset(seed=7)
    for _ in range(20):
        game.step(game.legal_actions()[0])
    other = game.determinize(0, 5)
    assert (other.states != game.states).any()
    for one, same in zip(belief(game, 0, 20), belief(other, 0, 20), strict=True):
        assert one.mean.shape == (len(one.places), len(one.kinds))
        assert (one.mean == same.mean).all() and (one.any == same.any).all()
        assert (one.any <= one.mean).all() and (one.any >= 0).all()


@pytest.mark.parametrize(("seat", "n", "why"), [(0, 0, "n: expected 1 to"), (2, 1, "seat"), (0, 1.5, "n: ")])
def test_what_is_refused(seat: int, n: int, why: str) -> None:
    game = make_game("kuhn_poker", 2)
    game.reset(seed=7)
    with pytest.raises(SetupError, match=why):
        belief(game, seat, n)
