"""Declares how Planet Hexx is trained."""

from __future__ import annotations

from spacemission_env.core.reading import Json
from spacemission_train.game_training import QUICK, SCRATCH, GameTraining

# Weak play ends few games, so targets are discounted towards filled points and useful Data. Steps are small:
# the moves of a decision differ little.
VALUE: Json = dict(
    SCRATCH, players=(2, 2, 3, 4), planets=32, hidden=(64, 64), gae_lambda=0.95, batch_size=512, epochs=2,
    last_learning_rate=1e-5,
)  # fmt: skip
# Reads the ratings of the moves by `heuristic`, which plays 60 % of the other seats. Opponents play in
# batches, so many games are faster.
TD_VS_HEURISTIC: Json = dict(
    VALUE, opponents="heuristic=0.6,latest=0.4", envs=512, n_steps=20, input="afterstate_rated", gamma=0.95,
    learning_rate=3e-4,
)  # fmt: skip

PRESETS: dict[str, Json] = {
    "quick": QUICK,
    # Uses no other agent and no rating: facts about the position after each move are its input.
    "scratch": dict(
        VALUE, gamma=0.85, learning_rate=5e-4, minutes=180.0, checkpoint_steps=2_000_000,
        evaluation_games=300,
    ),
    "td_vs_heuristic": dict(
        TD_VS_HEURISTIC, start="preset:scratch", minutes=80.0, checkpoint_steps=2_000_000,
        evaluation_games=300,
    ),
    # Ships as `policy:default`: an ensemble of two runs of `td_vs_heuristic`.
    "td_ensemble": dict(
        TD_VS_HEURISTIC, start="preset:td_vs_heuristic*2", steps=1, minutes=None, learning_rate=0.0,
        last_learning_rate=0.0, hidden=(2 * 64, 2 * 64), planets=2 * 32, evaluation_games=50,
    ),
    "exploit": dict(
        TD_VS_HEURISTIC, players=(2,), steps=2_000_000, minutes=None, checkpoint_steps=500_000,
        final_games=4000,
    ),
}  # fmt: skip

TRAINING = GameTraining("planet_hexx", presets=PRESETS, yardsticks=("greedy", "heuristic"))
