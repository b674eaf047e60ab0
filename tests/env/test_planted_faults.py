"""`check_game` finds planted faults by default, and nothing in clean games.

`python -m tests.env.test_planted_faults [PART [SEED …]]` tries all faults whose name has PART (default: all),
with seeds 0, 1 and 2 or those given, and prints what was found.
"""

import sys
from contextlib import redirect_stdout
from io import StringIO

import pytest

from spacemission_env.testing.check_game import Checked, examine
from tests.support import leduc
from tests.support.planted_faults import FAULTS, HEXX, KUHN, SPACE, Planted
from tests.support.planted_games import planted

# Tried in each run, of Kuhn poker: a key, a world and an observation. Larger games compile for minutes.
QUICK = ("without the own card", "always one world", "the next seat's card after a bet")


def check(one: Planted, seed: int = 0, **options: float) -> Checked:
    with planted(one.spec, one.function, one.fault), redirect_stdout(StringIO()):
        return examine(one.spec, seed=seed, jit=False, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "one",
    [
        one
        if one.game == KUHN and any(one.name.endswith(part) for part in QUICK)
        else pytest.param(one, marks=pytest.mark.slow)
        for one in FAULTS
    ],
    ids=lambda one: one.name,
)
def test_a_planted_fault_is_found_by_default(one: Planted) -> None:
    checked = check(one)
    assert checked.problems, checked


def test_a_clean_game_has_no_problems_and_it_says_how_much_was_compared() -> None:
    checked = examine(leduc.SPEC, seed=1)
    assert checked.problems == []
    assert checked.counts["games"] == 200 and checked.counts["twins"] >= 400
    assert checked.notes == ["records, jit: the game is not installed (entry point of spacemission.games)"]


def test_a_limit_of_time_is_said() -> None:
    checked = examine(leduc.SPEC, seconds=0.5, games=1000, jit=False)
    assert any(
        "0.5 seconds were over after" in note and "enough: 1000 games" in note for note in checked.notes
    )


@pytest.mark.slow
@pytest.mark.parametrize("game", [SPACE, HEXX])
def test_without_the_jit_a_limit_of_time_ends_the_comparison(game: str) -> None:
    checked = examine(game, seconds=8, games=1)
    assert checked.problems == []
    assert any("without the JIT" in note and "8 seconds were over" in note for note in checked.notes)


def main(part: str = "", *seeds: str) -> None:
    """Print what is found of each fault; the last line says how many were found with most seeds."""
    found = tried = 0
    for one in FAULTS:
        if part not in one.name:
            continue
        all_checked = [check(one, int(seed)) for seed in seeds or "012"]
        times = sum(bool(checked.problems) for checked in all_checked)
        tried, found = tried + 1, found + (3 * times >= 2 * len(all_checked))
        first = next((checked.problems[0] for checked in all_checked if checked.problems), "NOTHING")
        print(f"{one.name}: {times} of {len(all_checked)}: {first}", flush=True)
    print(f"{found} of {tried} faults found with at least two thirds of the seeds")


if __name__ == "__main__":
    main(*sys.argv[1:])
