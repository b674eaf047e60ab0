"""Finds faults of a game without knowing its rules."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from time import monotonic

from spacemission_env.core.errors import failure, printable
from spacemission_env.core.game_spec import GROUP, GameSpec, find_game, game_names
from spacemission_env.testing.batch_functions import check_entry_points, check_moves, check_names, check_views
from spacemission_env.testing.knowledge import Knowledge
from spacemission_env.testing.parity import check_parity
from spacemission_env.testing.pictures import check_pictures
from spacemission_env.testing.sample import Sample, sample
from spacemission_env.testing.words import check_records, check_results, check_words

CHECKS = (
    "names", "entry points", "moves", "views", "knowledge", "pictures", "words", "records", "results",
    "pettingzoo", "jit",
)  # fmt: skip
SAMPLED = 20  # games whose positions all checks look at
SECONDS = 60.0  # default time
PROBLEMS, MORE = 3, 5.0  # most problems that a check reports; seconds to find others after the first
LONGEST = 250  # maximum number of characters of a problem
Done = Callable[[float], None]


@dataclass
class Checked:
    """The problems of a game, one line each; notes on what was not tried; counts of what was compared."""

    problems: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)


def check_game(
    game: str | GameSpec, *, rules: object = None, games: int | None = None, seed: int = 0,
    seconds: float = SECONDS, jit: bool = True,
) -> list[str]:  # fmt: skip
    """Check a game; return one line per problem. Arguments as for `examine`."""
    return examine(game, rules=rules, games=games, seed=seed, seconds=seconds, jit=jit).problems


def examine(
    game: str | GameSpec, *, rules: object = None, games: int | None = None, seed: int = 0,
    seconds: float = SECONDS, jit: bool = True, done: Done = lambda seconds: None,
) -> Checked:  # fmt: skip
    """Check a game, and say how much was compared.

    Args:
        game: name of the game, or its `GameSpec`.
        rules: a preset or options; None: the rules of the printed game. Check each preset that matters.
        games: random games per number of players, to check what each seat can know; None: until enough was
            compared.
        seed: seed of the first game.
        seconds: time limit for these games; games not played by then are left out. `jit` may take the
            same time again.
        jit: also compare with a second process without the JIT (or with it, if this process has none).
        done: is called with the seconds since its last call.

    Raises:
        SetupError: no such game is installed, or the object is not a game.
    """
    spec, checked = find_game(game), Checked()
    installed = spec.name in game_names() and find_game(spec.name) is spec
    if not installed:
        checked.notes.append(f"records, jit: the game is not installed (entry point of {GROUP})")

    def look(name: str, check: Callable[..., Iterator[str]], *arguments: object) -> None:
        found: dict[str, str] = {}  # one problem of each kind
        first = 0.0
        try:
            for problem in check(*arguments):
                found.setdefault(re.sub(r"\d+", "", problem), _line(f"{name}: {problem}"))
                first = first or monotonic()
                if len(found) == PROBLEMS or monotonic() - first > MORE:
                    break
        except Exception as error:  # the game may raise anything
            found["failed"] = _line(f"{name}: failed with {failure(error)}")
        checked.problems += found.values()

    look("names", check_names, spec)
    numbers = range(spec.min_players, spec.max_players + 1)
    for players in numbers:
        try:
            positions = sample(spec, players, rules, min(games or SAMPLED, SAMPLED), seed)
        except Exception as error:
            checked.problems.append(f"play: {players} players: failed with {failure(error)}")
            return checked
        for name, check, more in _of_positions(seed):
            if installed or name != "records":
                look(name, check, positions, *more)
        knowledge = Knowledge(positions.template, seed, checked.counts)
        look("knowledge", knowledge.run, games, seconds / len(numbers), done)
        if knowledge.short:
            checked.notes.append(f"knowledge, {players} players: {knowledge.short}")
        if checked.problems and players < spec.max_players:
            checked.notes.append(f"more than {players} players: mend these problems first")
            break
    look("pettingzoo", _pettingzoo, spec, rules)
    if not jit:
        checked.notes.append("jit: switched off")
    elif checked.problems and installed:
        checked.notes.append("jit: the second process would find the same problems")
    elif installed:
        look("jit", check_parity, spec, rules, seed, seconds, checked.notes, done)
    return checked


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
