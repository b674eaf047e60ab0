"""The leak test's comparison of two views names each place that differs, and no other."""

from typing import Any

import numpy as np
import pytest

from spacemission_env.leaktest.report import differences


class Thing:
    def __init__(self, a: list[float]) -> None:
        self.a = a


NAN = float("nan")
ITSELF: list[Any] = [1]
ITSELF.append(ITSELF)
OTHER: list[Any] = [1]
OTHER.append(OTHER)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (NAN, np.float64("nan").item()),
        ({"a": [1, (2, None)], "b": NAN}, {"b": NAN, "a": [1, (2, None)]}),
        (np.array([1.0, NAN]), np.array([0.0, 1.0, NAN])[1:]),
        (np.arange(6).reshape(2, 3).T, np.arange(6).reshape(2, 3).T.copy()),
        (Thing([NAN]), Thing([NAN])),
        (ITSELF, OTHER),
        ({1, 2}, {2, 1}),
        ([np.random.default_rng(1), NAN], [np.random.default_rng(1), float("nan")]),
    ],
)
def test_equal_views_have_no_differences(left: object, right: object) -> None:
    assert differences(left, right, "view") == []


@pytest.mark.parametrize(
    ("left", "right", "found"),
    [
        (1, 2, [("view", "1", "2")]),
        (1, True, [("view", "1", "True")]),
        (1, np.int64(1), [("view", "1", "np.int64(1)")]),
        (0.0, NAN, [("view", "0.0", "nan")]),
        ({"a": 1, "b": [1, 2]}, {"a": 1, "b": [1, 3]}, [("view['b'][1]", "2", "3")]),
        ([1], [1, 2], [("view[1]", "nothing", "2")]),
        ({"a": 1}, {}, [("view['a']", "1", "nothing")]),
        (np.array([[1, 2]]), np.array([[1, 5]]), [("view[0][1]", "2", "5")]),
        (
            np.zeros(1, "i1"),
            np.zeros(1, "i2"),
            [("view.dtype", "int8", "int16"), ("view[0]", "np.int8(0)", "np.int16(0)")],
        ),
        (np.array(1), np.array(2), [("view", "1", "2")]),
        (Thing([1]), Thing([2]), [("view.a[0]", "1", "2")]),
        (ITSELF, [1, [1, 2]], [("view[1][1]", "[1, [...]]", "2")]),
    ],
)
def test_each_difference_is_named(left: object, right: object, found: list[tuple[str, str, str]]) -> None:
    named = differences(left, right, "view")
    assert named == found
