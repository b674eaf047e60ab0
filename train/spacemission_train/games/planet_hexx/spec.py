"""Declares how Planet Hexx is trained."""

from __future__ import annotations

from spacemission_env.core.reading import Json
from spacemission_train.game_training import QUICK, SCRATCH, GameTraining

# A seat also reads the ratings of its moves by `heuristic`, which plays 60 % of the other seats.
TD_VS_HEURISTIC: Json = dict(
    SCRATCH, players=(2, 2, 3, 4), opponents="heuristic=0.6,latest=0.4", envs=512, n_steps=20,
    input="afterstate_rated", planets=64, hidden=(128, 128), gamma=0.95, gae_lambda=0.95, epochs=2,
    learning_rate=1e-3, last_learning_rate=1e-5, overlap_rollouts=True,
)  # fmt: skip

PRESETS: dict[str, Json] = {
    "quick": QUICK,
    # Ships as `policy:default`.
    "td_vs_heuristic": dict(
        TD_VS_HEURISTIC, minutes=80.0, checkpoint_steps=2_000_000, evaluation_games=300,
    ),
    # Uses no other agent and no rating: facts about the position after each move are its input. Weak play
    # ends few games, so targets are discounted towards filled points and useful Data. Steps are small:
    # the moves of a decision differ little.
    "scratch": dict(
        SCRATCH, players=(2, 2, 3, 4), planets=32, hidden=(64, 64), gamma=0.85, gae_lambda=0.95,
        batch_size=512, epochs=2, learning_rate=5e-4, last_learning_rate=1e-5,
        minutes=180.0, checkpoint_steps=2_000_000, evaluation_games=300,
    ),
    "exploit": dict(
        TD_VS_HEURISTIC, players=(2,), planets=32, hidden=(64, 64), steps=2_000_000, minutes=None,
        checkpoint_steps=500_000, final_games=4000,
    ),
}  # fmt: skip

TRAINING = GameTraining(
    "planet_hexx",
    presets=PRESETS,
    yardsticks=("greedy", "heuristic"),
)
