"""`SteadyInfo`: a learner's environment whose infos have the same entries at every step."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from spacemission_env.core.game import Game


class SteadyInfo(gymnasium.Wrapper[np.ndarray, Any, np.ndarray, Any]):
    """Lays the results of a game into every info, so that recorders (Minari) can stack them.

    `LearnerEnv` adds `scores` and `winners` at the end of a game alone, as Gymnasium's own wrappers do with
    what only the end has. Here every info has:

    | entry | what |
    | --- | --- |
    | `action_mask` | int8 (actions,) |
    | `seat` | int64: the learner's |
    | `scores` | int64 (num_players, categories), columns `game_spec.score_names`; zero before the end |
    | `winners` | bool (num_players,), by seat; all False before the end |
    | `illegal` | bool: the learner has lost by an illegal move (`illegal="lose"`) |
    | `margin` | float32: as of the environment, while rewards are shaped |
    """

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """As of the environment."""
        observation, info = self.env.reset(seed=seed, options=options)
        return observation, self._steady(info)

    def step(self, action: Any) -> tuple[np.ndarray, Any, bool, bool, dict[str, Any]]:
        """As of the environment."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        return observation, reward, terminated, truncated, self._steady(info)

    def action_masks(self) -> np.ndarray:
        """Legal moves of the learner: bool (actions,)."""
        masks: np.ndarray = self.env.get_wrapper_attr("action_masks")()
        return masks

    def _steady(self, info: dict[str, Any]) -> dict[str, Any]:
        game: Game = self.env.get_wrapper_attr("game")
        scores = np.zeros((game.num_players, len(game.spec.score_names)), np.int64)
        winners = np.zeros(game.num_players, bool)
        if "winners" in info:
            scores[:] = game.scores()
            winners[info["winners"]] = True
        margin = {"margin": np.float32(info["margin"])} if "margin" in info else {}
        return {
            **margin,
            "action_mask": info["action_mask"],
            "seat": np.int64(info["seat"]),
            "scores": scores,
            "winners": winners,
            "illegal": np.bool_("illegal" in info),
        }
