"""Declares how Space Mission is trained."""

from __future__ import annotations

from spacemission_env.core.reading import Json
from spacemission_train.presets import DEMO, PPO_SCRATCH, SCRATCH, GameTraining

# Starts from `scratch` and uses `heuristic`, which rates the moves for the network and plays 60 % of the
# other seats.
VS_HEURISTIC: Json = dict(
    players=(2, 2, 2, 2, 3, 3, 4, 5), opponents="heuristic=0.6,latest=0.4", start="policy:scratch", envs=256,
    n_steps=40, batch_size=512, gae_lambda=0.85, hidden=(64, 128, 128),
)  # fmt: skip

PRESETS: dict[str, Json] = {
    # With the first gamma a seat that is ahead prefers to win sooner. Without it, some runs play 500,000
    # decisions in games that only the round limit ends; kept to the end, it would cost points. With the
    # default learning rate of 2e-3, seed 3 played all of its 1.2 million decisions in such games.
    "demo": dict(
        DEMO, steps=1_950_000, minutes=None, gamma=(0.995, 1.0), gae_lambda=0.95, learning_rate=(1e-3, 1e-4),
        checkpoint_steps=500_000,
    ),
    # Uses no other agent: no ratings, no games against others. The input is the observation
    # after each move (docs/training.md, "Learning from nothing").
    "scratch": dict(
        SCRATCH, players=(2, 2, 2, 3, 4, 5), hidden=(64, 128, 128), minutes=60.0, checkpoint_steps=2_000_000,
        evaluation_games=300,
    ),
    # Learns the same by PPO: the policy judges the position after each move.
    "ppo_scratch": dict(
        PPO_SCRATCH, hidden=(32, 64, 64), minutes=60.0, checkpoint_steps=2_000_000, evaluation_games=300
    ),
    "td_vs_heuristic": dict(
        VS_HEURISTIC, input="afterstate_rated", learning_rate=(6e-4, 2e-5), minutes=78.0,
        checkpoint_steps=12_000_000, evaluation_games=200,
    ),
    "ppo_vs_heuristic": dict(
        VS_HEURISTIC, input="afterstate_policy_rated", learning_rate=(6e-4, 1e-5), minutes=30.0,
        checkpoint_steps=500_000, evaluation_games=600,
    ),
}  # fmt: skip

TRAINING = GameTraining("space_mission", presets=PRESETS, yardsticks=("random", "greedy", "heuristic"))
