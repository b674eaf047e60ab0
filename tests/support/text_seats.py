"""Makes seats that are told in text, with the names of the game or neutral ones."""

from functools import cache

from spacemission_env import TextSeat, make_game
from spacemission_env.core.game import Game
from spacemission_env.texts.neutral import NeutralNames


@cache
def neutral(game: str) -> NeutralNames:
    return NeutralNames(make_game(game), 7)


def seat_of(game: Game, seat: int, names: str) -> TextSeat:
    """As `TextSeat`, without drawing neutral names again for each position."""
    made = TextSeat(game, seat)
    if names == "neutral":
        made._said = neutral(game.spec.name)
    return made
