"""Defines options, spaces and seeds that the front ends share."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces

from spacemission_env.core.arguments import check_seed, described, is_whole
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.errors import NotResetError, SeedError, SetupError
from spacemission_env.core.failed import since
from spacemission_env.core.game_spec import GameSpec, check_choice

IF_ILLEGAL = ("raise", "lose")
AT_ROUND_LIMIT = ("terminate", "truncate")


def truncates(at_round_limit: object) -> bool:
    """Whether to report a game that ends by the round limit as truncated."""
    return check_choice("at_round_limit", at_round_limit, AT_ROUND_LIMIT) == 1


def legal_in(name: str) -> str:
    """The end of a message about an illegal move, in an environment that has the option `illegal`."""
    return f'; legal moves are 1 in {name}["action_mask"]; with illegal="lose" the game ends instead'


class AfterReset:
    """Placeholder for an attribute that an environment has from `reset` until a call fails halfway."""

    def __get__(self, env: Any, owner: type | None = None) -> Any:
        """Raise NotResetError for an environment without the attribute; for a class, return `self`."""
        if env is None:
            return self
        raise NotResetError(f"the environment has not been reset{since(int(env.game.states[0].num_players))}")


def observation_space(spec: GameSpec) -> spaces.Dict:
    """The space of one seat's observation and action mask."""
    return spaces.Dict(
        {
            "observation": observation_box(spec, "float32"),
            "action_mask": spaces.Box(0, 1, (spec.action_count,), np.int8),
        }
    )


def observation_box(spec: GameSpec, dtype: str) -> spaces.Box:
    """The space of one seat's observation, "float32" or compact "uint8"."""
    if dtype == "uint8":
        return spaces.Box(0, 255, (spec.observation_size,), np.uint8)
    return spaces.Box(0.0, 1.0, (spec.observation_size,), np.float32)


def seeds_for(games: BatchedGames, seed: int | Sequence[int] | np.ndarray | None) -> list[int]:
    """Return one seed per game: `seed` + i, those of a list or array (n,), or for None the next seeds."""
    if seed is None and games.states[-1].num_players:
        return [games.next_seed(i) for i in range(games.count)]
    if seed is not None and not is_whole(seed):
        return _listed_seeds(seed, games.count)
    first = secrets.randbits(62) if seed is None else check_seed(seed)
    check_seed(first + games.count - 1)
    return [first + i for i in range(games.count)]


def _listed_seeds(seed: object, count: int) -> list[int]:
    expected = f"an integer from 0 to 2**63 - 1, or {count} of them in a list or an array ({count},)"
    if isinstance(seed, np.ndarray):
        if seed.dtype.kind not in "iu" or seed.ndim != 1:
            raise SeedError(f"seed: expected {expected}, not {described(seed)}")
    elif not isinstance(seed, Sequence) or isinstance(seed, str | bytes):
        raise SeedError(f"seed: expected {expected}, not {described(seed)}")
    if len(seed) != count:
        raise SetupError(f"seed: expected {count} seeds, got {len(seed)}")
    return [check_seed(one) for one in (seed.tolist() if isinstance(seed, np.ndarray) else seed)]


def illegal_rows(index: np.ndarray, actions: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """The games of `index` whose action is illegal; `actions` and `masks` have a row for every game."""
    inside = (actions >= 0) & (actions < masks.shape[1])
    legal = masks[np.arange(len(actions)), np.where(inside, actions, 0)] == 1
    return np.compress(~(inside & legal)[index], index)
