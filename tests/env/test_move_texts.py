"""Tests texts of moves: each names its move and no other, in any case and blanks.

`python -m tests.env.test_move_texts 100000` compares so many positions of every game, or of the games that
follow (`make check-long`).
"""

from __future__ import annotations

import sys
from itertools import count

import pytest

from spacemission_env.core.errors import IllegalActionError
from spacemission_env.core.game import Game, make_game
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


def opening() -> Game:
    game = make_game("space_mission", 2)
    game.reset(3)
    return game


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("jump Hazrad J1L2", "no legal move begins with 'jump Hazrad'; nearest of 45: 'jump Hazard J1L2', "),
        ("jump hazard J9", "no legal move begins with 'jump hazard J9'; nearest of 45: 'jump Hazard J"),
        ("jump", "is only the beginning of legal moves; nearest of 45: 'jump "),
        ("35", "no legal move begins with '35'; nearest of 45: "),
        (" \t", "is empty; nearest of 45: "),
        (35, "move 35: expected a text"),
        (None, "move None: expected a text"),
        ("jump \x1b[2J" + "x" * 2**20, "no legal move begins with "),
    ],
)
def test_a_text_that_names_no_legal_move_is_refused_in_one_line(text: object, said: str) -> None:
    game = opening()
    before = game.states.tobytes()
    with pytest.raises(IllegalActionError) as refused:
        game.parse_move(text)  # type: ignore[arg-type]
    line = str(refused.value)
    assert said in line and line.isprintable() and len(line) <= 600
    assert game.states.tobytes() == before


def test_a_game_that_does_not_run_has_no_moves() -> None:
    game = make_game("kuhn_poker", 2)
    with pytest.raises(IllegalActionError, match="move 'bet': the game has not been reset"):
        game.parse_move("bet")
    game.reset(1)
    for text in ("CHECK", " bet", "f old"):
        game.step(game.parse_move(text))
    with pytest.raises(IllegalActionError, match="move 'bet': the game is over"):
        game.parse_move("bet")
    with pytest.raises(IllegalActionError, match="action 0: the game is over"):
        game.move_text(0)


def test_every_letter_is_the_same_in_any_case() -> None:
    for code in range(sys.maxunicode + 1):
        if not 0xD800 <= code < 0xE000:
            one = chr(code)
            assert move_key(one) == move_key(one.upper()) == move_key(one.lower()) == move_key(one.swapcase())


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
