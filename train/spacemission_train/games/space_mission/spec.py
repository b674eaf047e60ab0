"""Declares how Space Mission is trained."""

from __future__ import annotations

from spacemission_env.core.reading import Json
from spacemission_train.game_training import DEMO, PPO_SCRATCH, SCRATCH, GameTraining

MIXED = (2, 2, 2, 2, 3, 3, 4, 5)  # numbers of players
VALUE: Json = dict(SCRATCH, planets=64, minutes=None)  # all presets of method td
TD_VS_HEURISTIC: Json = dict(
    VALUE, players=MIXED, opponents="heuristic=0.6,latest=0.4", envs=256,
    input="afterstate_rated", overlap_rollouts=True,
)  # fmt: skip

# Rewarding the score margin learnt faster than rewarding the win alone. `quick` must be good within minutes,
# so it has small, frequent updates.
PRESETS: dict[str, Json] = {
    "quick": {},
    # Small networks; stronger than `quick` in fewer minutes (docs/training.md).
    "demo": dict(DEMO, steps=1_200_000, minutes=None, planets=32),
    # Uses no other agent: no ratings, no games against others. The input is the observation
    # after each move (docs/training.md, "Learning from nothing").
    "scratch": dict(
        VALUE, players=(2, 2, 2, 3, 4, 5), minutes=60.0,
        checkpoint_steps=2_000_000, evaluation_games=300,
    ),
    # The same by PPO: the policy judges the position after each move.
    "ppo_scratch": dict(
        PPO_SCRATCH, minutes=60.0, hidden=(64, 64), planets=32, overlap_rollouts=True,
        checkpoint_steps=2_000_000, evaluation_games=300,
    ),
    # Starts from `scratch` and uses `heuristic`, whose ratings of the moves are input and which plays 60 % of
    # the other seats.
    "td_vs_heuristic": dict(
        TD_VS_HEURISTIC, start="preset:scratch", minutes=78.0, learning_rate=6e-4, last_learning_rate=2e-5,
        checkpoint_steps=12_000_000, evaluation_games=200,
    ),
    # The same by PPO.
    "ppo_vs_heuristic": dict(
        PPO_SCRATCH, players=MIXED, opponents="heuristic=0.6,latest=0.4", start="preset:scratch", envs=256,
        n_steps=40, batch_size=512, gae_lambda=0.85, input="afterstate_policy_rated", planets=64,
        learning_rate=6e-4, last_learning_rate=1e-5,
        minutes=30.0, checkpoint_steps=500_000, evaluation_games=600,
    ),
    # Ships as `policy:default`: an ensemble of two runs of `td_vs_heuristic`. Its learning rate is 0, because
    # further training made it no stronger (docs/default_agent.md).
    "td_ensemble": dict(
        TD_VS_HEURISTIC, start="preset:td_vs_heuristic*2", steps=1, learning_rate=0.0, last_learning_rate=0.0,
        hidden=(2 * 128, 2 * 128), planets=2 * 64, evaluation_games=50,
    ),
    "exploit": dict(
        steps=10_000_000, envs=128, n_steps=64, batch_size=1024, learning_rate=5e-4,
        checkpoint_steps=500_000, final_games=4000, critic_warmup=5,
    ),
}  # fmt: skip


TRAINING = GameTraining("space_mission", presets=PRESETS, yardsticks=("random", "greedy", "heuristic"))
