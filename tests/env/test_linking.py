"""Linked functions return the same results whoever calls them."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numba
import numpy as np
import pytest
from numba import literal_unroll
from numba.core.dispatcher import Dispatcher

from spacemission_env.core.compiling import decorator
from spacemission_env.core.private_folder import CHOSEN
from spacemission_env.games import kuhn_poker
from tests.support.paths import ROOT

pytestmark = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")  # type: ignore[attr-defined]

TABLE = np.arange(5) * 7


def linked(function: Callable[..., object]) -> Dispatcher:
    return decorator._dispatcher(function)


@linked
def leaf(x, n):
    return TABLE[n] + x


@linked
def middle(x, n):
    return leaf(x, n) * 2 + leaf(x, 1)


@linked
def outer(values, n):
    total = 0
    for x in values:
        total += middle(x, n)
    return total


@linked
def fall(n):
    return 1 if n < 2 else n * fall(n - 1)


@linked
def pick(pair, i):
    return pair[i]


@linked
def first_and_last():
    pair = 3, 2.5
    return pick(pair, 0) + pick(pair, 1)


@linked
def refuse(x):
    if x < 0:
        raise ValueError("below zero")
    return x


@linked
def ask(x):
    return refuse(x) + 1


def in_python(values: np.ndarray, n: int) -> int:
    return sum((TABLE[n] + x) * 2 + TABLE[1] + x for x in values)


@pytest.mark.parametrize("kind", [np.int8, np.int16, np.int64])
def test_integers_of_any_width_are_counted_alike(kind: type[np.integer]) -> None:
    values = np.array([100, 120, -3], kind)
    assert outer(values, kind(3)) == in_python(values.tolist(), 3)
    assert len(leaf._parts) == 1, "one part for all widths and for literals"


def test_only_what_python_calls_becomes_machine_code() -> None:
    @linked
    def inside(x):
        return x + 1

    @linked
    def entry(x):
        return inside(x) * 3

    assert entry(2) == 9
    assert len(entry.signatures) == 1
    assert inside.signatures == []
    assert inside(2) == 3
    assert len(inside.signatures) == 1


def test_a_function_may_call_itself() -> None:
    assert fall(10) == 3628800


def test_a_place_in_a_tuple_of_several_types_stays_a_literal() -> None:
    assert first_and_last() == 5.5


def test_an_error_inside_comes_out() -> None:
    assert ask(1) == 2
    with pytest.raises(ValueError, match="below zero"):
        ask(-1)


def test_functions_that_numba_compiles_call_them_too() -> None:
    """A user's bot may do this: two functions that share a linked function."""

    @numba.njit
    def mine(values):
        return outer(values, 2) + middle(1, 1)

    @numba.njit
    def another(values):
        return mine(values) + outer(values, 1)

    values = np.arange(4)
    expected = in_python(values, 2) + in_python([1], 1)
    assert mine(values) == expected
    assert another(values) == expected + in_python(values, 1)


def test_with_another_numba_the_functions_are_compiled_as_it_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decorator, "LinkedDispatcher", None)
    plain = linked(lambda x: x + 1)
    assert type(plain) is type(numba.njit(lambda x: x))
    assert plain(2) == 3


BY_NUMBA_ALONE = """
import sys
from numba.core.registry import CPUDispatcher
from spacemission_env.core.compiling import decorator
decorator.LinkedDispatcher = None
from spacemission_env.games.kuhn_poker import BATCH
from tests.env.test_linking import played
from spacemission_env.core.rng import shuffle
assert type(BATCH.deal_one) is type(shuffle) is CPUDispatcher
sys.stdout.write(played().tobytes().hex())
"""


def played() -> np.ndarray:
    """A game of Kuhn poker after its first move."""
    states, parameters = np.zeros(1, kuhn_poker.STATE), kuhn_poker.SPEC.default_parameters()
    kuhn_poker.BATCH.deal_one(states, 0, parameters, 2, 7)
    assert kuhn_poker.BATCH.step_batch(states, parameters, np.zeros(1, int), np.ones(1, int)) == 0
    return states


@pytest.mark.slow
def test_a_game_is_the_same_compiled_by_numba_alone(tmp_path: Path) -> None:
    """Use a new process, so that no linked functions are mixed with numba's."""
    environment = {**os.environ, CHOSEN: str(tmp_path), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", BY_NUMBA_ALONE], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert bytes.fromhex(done.stdout) == played().tobytes()


def test_closures_unrolled_loops_and_errors_with_variables_are_linked() -> None:
    @linked
    def with_a_closure(x):
        def double(y):
            return 2 * y

        return double(x) + sum([k * k for k in range(x)])

    @linked
    def unrolled(x):
        total = 0.0
        for one in literal_unroll((1, 2.5)):
            total += one * x
        return total

    @linked
    def raised_with_a_variable(x):
        if x < 0:
            raise ValueError("below", x)
        return x

    assert with_a_closure(4) == 8 + 14
    assert unrolled(2) == 7.0
    assert raised_with_a_variable(1) == 1
    with pytest.raises(ValueError, match="-5"):
        raised_with_a_variable(-5)


def test_arithmetic_on_whole_arrays() -> None:
    @linked
    def mixed(a, b):
        return (a * 2 + b) / 4 - a

    a, b = np.arange(5.0), np.arange(5.0)[::-1].copy()
    assert np.allclose(mixed(a, b), (a * 2 + b) / 4 - a)


def test_optimised_in_one_round_or_two_it_answers_alike() -> None:
    def total(values):
        found = 0
        for x in values:
            found += x * x
        return found

    njit = decorator.make_njit()
    assert njit.once(total)(np.arange(9)) == njit(total)(np.arange(9)) == 204
