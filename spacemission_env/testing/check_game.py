"""Finds faults of a game without knowing its rules."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator

from spacemission_env.core.errors import failure, printable
from spacemission_env.core.game_spec import GameSpec, find_game
from spacemission_env.testing.entry_points import check_entry_points
from spacemission_env.testing.moves import check_moves
from spacemission_env.testing.parity import check_parity
from spacemission_env.testing.pictures import check_pictures
from spacemission_env.testing.sample import Sample, sample
from spacemission_env.testing.views import check_names, check_views, check_worlds
from spacemission_env.testing.words import check_records, check_results, check_words

CHECKS = (
    "names", "entry points", "moves", "views", "worlds", "pictures", "words", "records", "results",
    "pettingzoo", "jit",
)  # fmt: skip
GAMES = 20
LONGEST = 250  # maximum number of characters of a problem


def check_game(
    game: str | GameSpec, *, rules: object = None, games: int = GAMES, seed: int = 0, jit: bool = True
) -> list[str]:
    """Check a game; return one line per problem.

    Args:
        game: its name, or itself.
        rules: a preset or options; None: as printed. Check each preset that matters.
        games: random games per number of players, whose positions are checked.
        seed: seed of the first game.
        jit: also compare with a second process without the JIT (or with it, if this one has none).

    Raises:
        SetupError: no such game is installed, or the object is not a game.
    """
    spec = find_game(game)
    problems: list[str] = []

    def look(name: str, check: Callable[..., Iterator[str]], *arguments: object) -> None:
        try:
            problems.extend(_line(f"{name}: {problem}") for problem in check(*arguments))
        except Exception as error:  # the game may raise anything
            problems.append(_line(f"{name}: failed with {failure(error)}"))

    look("names", check_names, spec)
    for players in range(spec.min_players, spec.max_players + 1):
        try:
            positions = sample(spec, players, rules, games, seed)
        except Exception as error:
            problems.append(f"play: {players} players: failed with {failure(error)}")
            return problems
        for name, check, more in _of_positions(seed):
            look(name, check, positions, *more)
    look("pettingzoo", _pettingzoo, spec, rules)
    if jit and not problems:  # otherwise the second process finds the same problems
        look("jit", check_parity, spec, rules, seed)
    return problems


def _line(problem: str) -> str:
    line = printable(" ".join(problem.split()))
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"


def _of_positions(seed: int) -> list[tuple[str, Callable[..., Iterator[str]], tuple[object, ...]]]:
    positions: list[tuple[str, Callable[[Sample], Iterator[str]]]] = [
        ("entry points", check_entry_points), ("moves", check_moves), ("views", check_views),
        ("words", check_words), ("results", check_results),
    ]  # fmt: skip
    return [
        *((name, check, ()) for name, check in positions),
        ("worlds", check_worlds, (seed,)),
        ("pictures", check_pictures, (seed,)),
        ("records", check_records, (seed,)),
    ]


def _pettingzoo(spec: GameSpec, rules: object) -> Iterator[str]:
    from pettingzoo.test import api_test

    from spacemission_env.frontends import aec

    for players in range(spec.min_players, spec.max_players + 1):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                api_test(aec.env(spec, num_players=players, rules=rules), num_cycles=100)
            except AssertionError as error:
                yield f"{players} players: {error}"
