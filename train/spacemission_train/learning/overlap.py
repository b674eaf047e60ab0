"""The next rollout while the networks learn from the last: two cores at work, the same run each time.

Rollout k + 1 is played by the networks as they were when update k began, so its samples are one update old;
PPO weighs each by how much more likely its action has become since (`log_probs` are those of the networks
that played), as with several workers that collect while a learner learns (IMPALA, Espeholt et al. 2018, has
the same lag). When a rollout begins depends on the number of steps alone, so that nothing depends on timing.
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from copy import copy, deepcopy
from time import perf_counter
from typing import Any

import torch


class Ahead:
    """Collects rollouts of an SB3 model in a thread of its own, with its own copy of the networks.

    Attributes:
        seconds: wall-clock seconds that rollouts took in that thread.
    """

    def __init__(self, model: Any) -> None:
        """`model`: with its `rollout_buffer` made."""
        self.model = model
        self.policy = deepcopy(model.policy)
        self.buffer = deepcopy(model.rollout_buffer)
        self.seconds = 0.0
        self._pool = ThreadPoolExecutor(1, "rollout")
        self._pending: tuple[Any, Future[bool]] | None = None

    def begin(self, collect: Any, env: Any, callback: Any, *args: Any) -> None:
        """Begin a rollout by the networks as they are now; `collect` as `MaskablePPO.collect_rollouts`."""
        self.policy.load_state_dict(self.model.policy.state_dict())
        player = copy(self.model)
        player.policy, player.ep_info_buffer = self.policy, copy(self.model.ep_info_buffer)
        threads = torch.get_num_threads()

        def work() -> bool:
            torch.set_num_threads(threads)  # a new thread would take all cores
            start = perf_counter()
            done = bool(collect(player, env, callback, self.buffer, *args))
            self.seconds += perf_counter() - start
            return done

        self._pending = player, self._pool.submit(work)

    def wait(self) -> None:
        """Wait until the rollout under way, if any, has been played."""
        if self._pending is not None:
            self._pending[1].result()

    def finish(self) -> bool:
        """Wait for the rollout under way, if any, and give it to the model; whether there was one."""
        player = self._take()
        if player is None:
            return False
        model = self.model
        model.rollout_buffer, self.buffer = self.buffer, model.rollout_buffer
        model.num_timesteps, model.ep_info_buffer = player.num_timesteps, player.ep_info_buffer
        return True

    def drop(self) -> None:
        """Wait for the rollout under way, if any, and leave its samples unused; its games go on."""
        self._take()

    def _take(self) -> Any:
        if self._pending is None:
            return None
        (player, future), self._pending = self._pending, None
        future.result()
        self.model._last_obs = player._last_obs
        self.model._last_episode_starts = player._last_episode_starts
        return player
