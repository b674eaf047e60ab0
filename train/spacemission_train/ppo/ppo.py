"""Trains by MaskablePPO with mean weights, and rollouts in a second thread.

`train` replaces SB3's update, which converts the rollout to tensors again for each minibatch.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from copy import copy, deepcopy
from time import perf_counter
from typing import cast

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.buffers import RolloutBuffer
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.utils import explained_variance
from stable_baselines3.common.vec_env import VecEnv
from torch import nn
from torch.nn import functional

from spacemission_train.ppo.networks import LeaguePolicy, masked_log_probs
from spacemission_train.run.mean_weights import mean_weights
from spacemission_train.settings.settings import Settings


class RolloutThread:
    """Collects rollouts in a second thread, with a copy of the networks.

    The networks play rollout k + 1 with the weights from the start of update k. So the samples are one update
    old, and PPO's probability ratio corrects for that (IMPALA, Espeholt et al. 2018, has the same lag). The
    number of steps alone decides when a rollout begins, so results do not depend on timing.

    Attributes:
        seconds: wall-clock seconds that rollouts took in that thread.
    """

    def __init__(self, model: LeaguePPO) -> None:
        """Copy the policy and the rollout buffer of `model`."""
        self.model = model
        self.policy = deepcopy(model.policy)
        self.buffer = deepcopy(model.rollout_buffer)
        self.seconds = 0.0
        self._pool = ThreadPoolExecutor(1, "rollout")
        self._pending: tuple[LeaguePPO, Future[None]] | None = None

    def begin(self, env: VecEnv, callback: BaseCallback, steps: int, use_masking: bool) -> None:
        """Begin a rollout with the present weights; arguments as for `MaskablePPO.collect_rollouts`."""
        self.policy.load_state_dict(self.model.policy.state_dict())
        player = copy(self.model)
        player.policy, player.ep_info_buffer = self.policy, copy(self.model.ep_info_buffer)
        threads = torch.get_num_threads()

        def work() -> None:
            torch.set_num_threads(threads)  # a new thread would take all cores
            start = perf_counter()
            MaskablePPO.collect_rollouts(player, env, callback, self.buffer, steps, use_masking)
            self.seconds += perf_counter() - start

        self._pending = player, self._pool.submit(work)

    def wait(self) -> None:
        """Wait for the current rollout, if there is one."""
        if self._pending is not None:
            self._pending[1].result()

    def finish(self) -> bool:
        """Wait for the current rollout and give it to the model; False if there is none."""
        player = self.drop()
        if player is None:
            return False
        model = self.model
        model.rollout_buffer, self.buffer = self.buffer, model.rollout_buffer
        model.num_timesteps, model.ep_info_buffer = player.num_timesteps, player.ep_info_buffer
        return True

    def drop(self) -> LeaguePPO | None:
        """Wait for the current rollout and discard its samples; its games continue.

        Returns:
            The copy of the model that played, or None if there was no rollout.
        """
        if self._pending is None:
            return None
        (player, future), self._pending = self._pending, None
        future.result()
        self.model._last_obs = player._last_obs
        self.model._last_episode_starts = player._last_episode_starts
        return player


class LeaguePPO(MaskablePPO):
    """MaskablePPO with a running mean of its weights.

    Attributes:
        mean: the mean of the weights, or None.
        entropy: mean entropy of the policy in the last update, in nats.
        rollout_thread: collects the next rollout during an update, or None.
        pause: True: no rollout may overlap the next update, because a checkpoint follows.
        on_rollout: called before each rollout begins.
    """

    policy: LeaguePolicy

    def __init__(self, settings: Settings, env: VecEnv) -> None:
        """Make the networks and the optimizer of a run; `settings` have threads and precision resolved."""
        self.entropy = float("nan")
        super().__init__(
            LeaguePolicy,
            env,
            learning_rate=settings.learning_rate,
            n_steps=settings.n_steps,
            batch_size=settings.batch_size,
            n_epochs=settings.epochs,
            gamma=settings.gamma,
            gae_lambda=settings.gae_lambda,
            clip_range=settings.clip_range,
            ent_coef=settings.entropy,
            policy_kwargs={
                "net_arch": list(settings.hidden),
                "activation_fn": nn.ReLU,
                "optimizer_kwargs": {"eps": 1e-5, "fused": True},
            },
            seed=settings.seed % 2**32,  # numpy takes no larger seeds
            device=settings.device,
        )
        self.policy.fast = settings.precision == "bfloat16"
        self.mean = mean_weights(self.policy, settings.average)
        self.rollout_thread = RolloutThread(self) if settings.overlap_rollouts else None
        self.pause = False
        self.on_rollout: Callable[[], None] = lambda: None

    @property
    def outcome(self) -> LeaguePolicy:
        """The networks that a run saves: the mean weights if they are kept, else the present ones."""
        return self.policy if self.mean is None else cast(LeaguePolicy, self.mean.module)

    def collect_rollouts(
        self,
        env: VecEnv,
        callback: BaseCallback,
        rollout_buffer: RolloutBuffer,
        n_rollout_steps: int,
        use_masking: bool = True,
    ) -> bool:
        """Collect a rollout as MaskablePPO does; with `rollout_thread`, finish one and begin the next."""
        collect = super().collect_rollouts
        if self.rollout_thread is None:
            self.on_rollout()
            return collect(env, callback, rollout_buffer, n_rollout_steps, use_masking)
        if not self.rollout_thread.finish():
            self.on_rollout()
            collect(env, callback, rollout_buffer, n_rollout_steps, use_masking)
        if not self.pause:
            self.on_rollout()
            self.rollout_thread.begin(env, callback, n_rollout_steps, use_masking)
        return True

    def settle(self) -> None:
        """Wait for the current rollout at the end of a run, and discard its samples."""
        if self.rollout_thread is not None:
            self.rollout_thread.drop()

    def train(self) -> None:
        """One update from the rollout buffer."""
        policy, optimizer = self.policy, self.policy.optimizer
        policy.set_training_mode(True)
        self._update_learning_rate(optimizer)
        clip = self.clip_range(self._current_progress_remaining)  # type: ignore[operator]
        data = self._rollout()
        sums: dict[str, list[torch.Tensor]] = {}
        count, size = len(data["actions"]), self.batch_size or len(data["actions"])
        for _ in range(self.n_epochs):
            order = torch.from_numpy(np.random.permutation(count)).to(self.device)  # as SB3 shuffles
            for start in range(0, count, size):
                rows = order[start : start + size]
                batch = {name: tensor[rows] for name, tensor in data.items()}
                loss, figures = self._loss(batch, clip)
                optimizer.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(policy.parameters(), self.max_grad_norm)
                optimizer.step()
                for name, figure in figures.items():
                    sums.setdefault(name, []).append(figure)
            self._n_updates += 1
        if self.mean is not None:
            self.mean.update_parameters(policy)
        means = {name: float(torch.stack(figures).mean()) for name, figures in sums.items()}
        self.entropy = means["entropy"]
        for name, mean in means.items():
            self.logger.record(f"train/{name}", mean)
        explained = explained_variance(data["values"].cpu().numpy(), data["returns"].cpu().numpy())
        self.logger.record("train/explained_variance", float(explained))
        self.logger.record("train/learning_rate", optimizer.param_groups[0]["lr"])

    def _rollout(self) -> dict[str, torch.Tensor]:
        # One row per step; the arrays of the buffer are (steps, games, …).
        buffer = self.rollout_buffer
        numbers = ("values", "log_probs", "advantages", "returns")
        arrays = {name: getattr(buffer, name) for name in ("observations", "actions", *numbers)}
        arrays["masks"] = buffer.action_masks
        count = buffer.buffer_size * buffer.n_envs
        data = {name: torch.from_numpy(a).reshape(count, -1).to(self.device) for name, a in arrays.items()}
        data["actions"], data["masks"] = data["actions"].long(), data["masks"] < 0.5
        for name in numbers:
            data[name] = data[name][:, 0]
        return data

    def _loss(
        self, batch: dict[str, torch.Tensor], clip: float
    ) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        logits, values = self.policy.both(batch["observations"])
        log_probs, values = masked_log_probs(logits, batch["masks"]), values[:, 0]
        log_ratio = log_probs.gather(1, batch["actions"])[:, 0] - batch["log_probs"]
        ratio = log_ratio.exp()
        advantages = batch["advantages"]
        advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        surrogate = torch.min(advantages * ratio, advantages * ratio.clamp(1 - clip, 1 + clip)).mean()
        value_loss = functional.mse_loss(values, batch["returns"])
        entropy = -(log_probs.exp() * log_probs).sum(1).mean()
        loss = -surrogate - self.ent_coef * entropy + self.vf_coef * value_loss
        figures = {
            "policy_gradient_loss": -surrogate,
            "value_loss": value_loss,
            "entropy": entropy,
            "approx_kl": (ratio - 1 - log_ratio).mean(),
            "clip_fraction": ((ratio - 1).abs() > clip).float().mean(),
        }
        return loss, {name: figure.detach() for name, figure in figures.items()}
