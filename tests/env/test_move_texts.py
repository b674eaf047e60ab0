"""Tests texts of moves: each names its move and no other, in any case and blanks.

`python -m tests.env.test_move_texts 100000` compares so many positions of every game, or of the games that
follow (`make check-long`).
"""

import sys
from itertools import count

import pytest

from spacemission_env.core.game import make_game
from spacemission_env.core.game_spec import find_game, game_names
from spacemission_env.core.move_texts import begins, find_move, move_key
from spacemission_env.testing.sample import Lines
from spacemission_env.testing.words import text_problem

POSITIONS = 150  # for each number of players; `check-game` looks at more


def positions_checked(game: str, players: int, positions: int, seed: int) -> int:
    """Check positions of random games, half of whose moves are rare ones; return how many moves they had."""
    lines, moves = Lines(make_game(game, players), seed), 0
    while positions > 0:
        for states in lines.play().states[1:]:
            one = lines.at(states)
            problem = text_problem(one)
            assert problem is None, f"{game}, {players} players, seed {one.seed}: {problem}"
            moves += len(lines.legal(states))
            positions -= 1
            if not positions:
                break
    return moves


@pytest.mark.parametrize("game", game_names())
def test_each_text_names_its_move_and_no_other(game: str) -> None:
    spec = find_game(game)
    for players in range(spec.min_players, spec.max_players + 1):
        assert positions_checked(game, players, POSITIONS, seed=players) >= POSITIONS // 2


def test_every_letter_is_the_same_in_any_case() -> None:
    for one in map(chr, range(sys.maxunicode + 1)):
        forms = {one, one.upper(), one.lower(), one.swapcase()}
        assert len(forms) == 1 or len({move_key(form) for form in forms}) == 1


def test_a_beginning_has_whole_words() -> None:
    assert begins("jump Ruby Red J1S2", "JUMP  ruby") and begins("upload", "upload")
    assert not begins("upload_now wormhole", "upload") and not begins("jump", "jump Hazard")
    assert find_move("TAKEwater", {3: "take water", 4: "take medal"}) == 3


def main(positions: int, games: list[str]) -> None:
    for game in games or game_names():
        spec = find_game(game)
        numbers = range(spec.min_players, spec.max_players + 1)
        done = 0
        for players, left in zip(numbers, count(len(numbers), -1), strict=False):
            part = -((done - positions) // left)  # rounded up, so that they add up
            moves = positions_checked(game, players, part, seed=1000 * players)
            done += part
            print(f"{game}, {players} players: {part:,} positions, {moves:,} moves: none alike", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
