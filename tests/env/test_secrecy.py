"""Whatever a seat is shown of a game is equal in all games that it cannot tell apart: every game, every view.

Such games are worlds, drawn by `determinize`, and twins, which come from another draw or another seat's other
move. `leaktest` compares all that PettingZoo gives (tests/leaktest), `check_agent` the moves of agents.

`python -m tests.env.test_secrecy 2000` compares so many worlds and twins of every game (`make check-long`).
"""

import sys
from collections.abc import Callable

import numpy as np
import pytest

from spacemission_env import belief, make_game
from spacemission_env.core.game import Game
from spacemission_env.core.game_spec import find_game, game_names
from spacemission_env.testing.sample import Lines
from tests.support.text_seats import seat_of

COMPARED = 40


def prompt(game: Game, seat: int, names: str) -> tuple[str, ...]:
    one = seat_of(game, seat, names)
    return one.rules(), one.prompt(), *one.legal_moves()


def at_the_table(game: Game) -> Game:
    """The game whose observations show only what is on the table now."""
    other = game.clone()
    other.recall = 0
    return other


VIEWS: dict[str, Callable[[Game, int], object]] = {
    "observation": lambda game, seat: game.observe(seat).tobytes(),
    "compact observation": lambda game, seat: game.whole_numbers(seat).tobytes(),
    "table observation": lambda game, seat: at_the_table(game).observe(seat).tobytes(),
    "mask": lambda game, seat: game.mask(seat).tobytes(),
    "decision key": lambda game, seat: game.decision_key() if game.player == seat else None,
    "board": lambda game, seat: game.board(seat),
    "table board": lambda game, seat: at_the_table(game).board(seat),
    "JSON": lambda game, seat: (game.seat_json(seat), game.public_json()),
    "picture": lambda game, seat: [game.picture(seat, legal=True, tall=tall) for tall in (False, True)],
    "prompt": lambda game, seat: prompt(game, seat, "own"),
    "neutral prompt": lambda game, seat: prompt(game, seat, "neutral"),
    "belief": lambda game, seat: [(one.mean.tobytes(), one.any.tobytes()) for one in belief(game, seat, 5)],
}


def compare(name: str, players: int, least: int, seed: int) -> int:
    """Compare all views with those in worlds and twins; return how many of these there were."""
    lines, compared, differ = Lines(make_game(name, players), seed), 0, 0
    while compared < least:
        line = lines.play()
        for k in lines.rng.permutation(np.arange(1, len(line.states)))[:8].tolist():
            for seat in range(players):
                game = lines.at(line.states[k])
                if game.over:  # the end reveals all
                    continue
                others = [game.determinize(seat, seed + k)]
                made, same = lines.twin(line, k, seat)
                if same and not lines.at(made[-1]).over:
                    others.append(lines.at(made[-1]))
                for what, view in VIEWS.items():
                    ours = view(game, seat)
                    for other in others:
                        assert view(other, seat) == ours, (what, name, players, game.seed, k, seat)
                compared += len(others)
                differ += sum(other.open_board() != game.open_board() for other in others)
    assert differ > compared / 10, "the games are the same ones"
    return compared


@pytest.mark.parametrize("name", game_names())
def test_all_views_are_equal_in_games_that_a_seat_cannot_tell_apart(name: str) -> None:
    assert compare(name, find_game(name).max_players, COMPARED, 3) >= COMPARED


def main(worlds: int) -> None:
    for name in game_names():
        numbers = range(find_game(name).min_players, find_game(name).max_players + 1)
        for players in numbers:
            compared = compare(name, players, -(-worlds // len(numbers)), 1000 * players)
            print(f"{name}, {players} players: views equal in {compared:,} worlds and twins", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
