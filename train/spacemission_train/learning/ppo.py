"""MaskablePPO of sb3-contrib with what self-play adds: KL to a past policy, and less overhead.

Only the update is written anew; rollouts, buffers, advantages and logging are SB3's. The update is that
of SB3 (clipped surrogate, squared value error, entropy bonus, clipped gradient norm) on tensors made once
an update. Besides, `kl` times KL(past || present) holds the policy near what it was at the last checkpoint,
which damps the cycles of self-play (magnetic mirror descent, Sokolov et al., ICLR 2023, has the same term).
With `average` a running mean of the weights is kept beside the networks that play and learn: what is left of
the cycles, and the noise of the updates, cancel in it (Shamir and Zhang, ICML 2013, have the same mean).
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.buffers import RolloutBuffer
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.utils import explained_variance
from stable_baselines3.common.vec_env import VecEnv
from torch.nn import functional

from spacemission_train.learning.networks import log_odds
from spacemission_train.learning.overlap import Ahead


class LeaguePPO(MaskablePPO):
    """MaskablePPO with KL to a past policy, and a running mean of its weights.

    Attributes:
        kl: weight of that term; 0: none.
        past: the networks it refers to, or None; set by `remember`.
        average: the share of the updates so far that the mean looks back on; 0: no mean is kept.
        mean: networks with the mean weights, or None.
        entropy: mean entropy of the policy in the last update, in nats.
        ahead: collects the next rollout during an update (overlap.py), or None.
        pause: set before an update that no rollout is to overlap, as a checkpoint follows.
        on_rollout: called before each rollout, when no other is under way.
    """

    def __init__(
        self,
        *args: Any,
        kl: float = 0.0,
        average: float = 0.0,
        precision: str = "float32",
        ahead: bool = False,
        **kwargs: Any,
    ) -> None:
        """`kl`, `average`: see the class; `precision`, `ahead`: see `Settings`; the rest as MaskablePPO."""
        self.kl, self.average = kl, average
        self.past: Any = None
        self.entropy = float("nan")
        super().__init__(*args, **kwargs)
        policy: Any = self.policy
        policy.fast = precision == "bfloat16"
        self.mean: Any = deepcopy(policy).requires_grad_(False) if average else None
        self.ahead = Ahead(self) if ahead else None
        self.pause = False
        self.on_rollout: Callable[[], None] = lambda: None

    @property
    def outcome(self) -> Any:
        """The networks that a run leaves behind: the mean ones where they are kept."""
        return self.policy if self.mean is None else self.mean

    def remember(self) -> None:
        """Let the present policy be the past one from now on."""
        if self.kl:
            self.past = deepcopy(self.policy).requires_grad_(False)

    def collect_rollouts(
        self,
        env: VecEnv,
        callback: BaseCallback,
        rollout_buffer: RolloutBuffer,
        n_rollout_steps: int,
        use_masking: bool = True,
    ) -> bool:
        """As MaskablePPO; with `ahead` the rollout was begun before, and the next one begins now."""
        collect = super().collect_rollouts
        if self.ahead is None:
            self.on_rollout()
            return collect(env, callback, rollout_buffer, n_rollout_steps, use_masking)
        if not self.ahead.finish():
            self.on_rollout()
            collect(env, callback, rollout_buffer, n_rollout_steps, use_masking)
        if not self.pause:
            self.on_rollout()
            self.ahead.begin(MaskablePPO.collect_rollouts, env, callback, n_rollout_steps, use_masking)
        return True

    def settle(self) -> None:
        """Wait for a rollout under way, where the run ends before its update; its samples are left unused."""
        if self.ahead is not None:
            self.ahead.drop()

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
        self._join_mean()
        means = {name: float(torch.stack(figures).mean()) for name, figures in sums.items()}
        self.entropy = means["entropy"]
        for name, mean in means.items():
            self.logger.record(f"train/{name}", mean)
        explained = explained_variance(data["values"].cpu().numpy(), data["returns"].cpu().numpy())
        self.logger.record("train/explained_variance", float(explained))
        self.logger.record("train/learning_rate", optimizer.param_groups[0]["lr"])

    def _join_mean(self) -> None:
        # The step is 1 / (average * updates): so the mean always looks back on the same share of them all.
        if self.mean is None:
            return
        updates = self.num_timesteps / (self.n_steps * self.n_envs)
        step = min(1.0, 1.0 / (self.average * updates))
        for mean, now in zip(self.mean.parameters(), self.policy.parameters(), strict=True):
            mean.lerp_(now.detach(), step)

    def _rollout(self) -> dict[str, torch.Tensor]:
        # One row a step; the buffer's arrays are (steps, games, …).
        buffer: Any = self.rollout_buffer
        names = {
            "observations": buffer.observations,
            "actions": buffer.actions,
            "masks": buffer.action_masks,
            "values": buffer.values,
            "log_probs": buffer.log_probs,
            "advantages": buffer.advantages,
            "returns": buffer.returns,
        }
        count = buffer.buffer_size * buffer.n_envs
        data = {
            name: torch.from_numpy(array).reshape(count, -1).to(self.device) for name, array in names.items()
        }
        data["actions"], data["masks"] = data["actions"].long(), data["masks"] < 0.5
        for name in ("values", "log_probs", "advantages", "returns"):
            data[name] = data[name][:, 0]
        if self.past is not None and self.kl:
            with torch.no_grad():
                past = [self._log_odds(self.past, part) for part in _parts(data, 4096)]
            data["past"] = torch.cat(past)
        return data

    def _log_odds(self, policy: Any, batch: dict[str, torch.Tensor]) -> torch.Tensor:
        return log_odds(policy.logits(batch["observations"]), batch["masks"])

    def _loss(
        self, batch: dict[str, torch.Tensor], clip: float
    ) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        policy: Any = self.policy
        logits, values = policy.both(batch["observations"])
        odds, values = log_odds(logits, batch["masks"]), values[:, 0]
        log_ratio = odds.gather(1, batch["actions"])[:, 0] - batch["log_probs"]
        ratio = log_ratio.exp()
        advantages = batch["advantages"]
        advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        surrogate = torch.min(advantages * ratio, advantages * ratio.clamp(1 - clip, 1 + clip)).mean()
        value_loss = functional.mse_loss(values, batch["returns"])
        entropy = -(odds.exp() * odds).sum(1).mean()
        loss = -surrogate - self.ent_coef * entropy + self.vf_coef * value_loss
        figures = {
            "policy_gradient_loss": -surrogate,
            "value_loss": value_loss,
            "entropy": entropy,
            "approx_kl": (ratio - 1 - log_ratio).mean(),
            "clip_fraction": ((ratio - 1).abs() > clip).float().mean(),
        }
        if "past" in batch:
            kl = (batch["past"].exp() * (batch["past"] - odds)).sum(1).mean()
            loss = loss + self.kl * kl
            figures["kl_to_past"] = kl
        return loss, {name: figure.detach() for name, figure in figures.items()}


def _parts(data: dict[str, torch.Tensor], size: int) -> list[dict[str, torch.Tensor]]:
    count = len(data["actions"])
    return [{k: v[start : start + size] for k, v in data.items()} for start in range(0, count, size)]
