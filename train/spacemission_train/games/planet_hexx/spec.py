"""Declares how Planet Hexx is trained."""

from __future__ import annotations

from spacemission_env.core.reading import Json
from spacemission_train.game_training import PPO_SCRATCH, QUICK, SCRATCH, GameTraining

# Reads the ratings of the moves by `heuristic` and starts as strong as it. `heuristic` plays most of the
# other seats. With the first factor of the value at 1 the policy changes slowly while the value is learnt.
VS_HEURISTIC: Json = dict(
    PPO_SCRATCH, players=(2, 2, 3, 4), opponents="heuristic=0.75,latest=0.25", envs=256, n_steps=40,
    input="afterstate_policy_rated", planets=32, hidden=(64, 64), batch_size=256, temperature=1.0,
    learning_rate=1e-3, last_learning_rate=1e-5,
)  # fmt: skip

PRESETS: dict[str, Json] = {
    "quick": QUICK,
    "demo": dict(VS_HEURISTIC, players=(2,), minutes=3.0, checkpoint_steps=50_000, final_games=400),
    "ppo_vs_heuristic": dict(VS_HEURISTIC, minutes=84.0, checkpoint_steps=2_000_000, evaluation_games=300),
    # Ships as `policy:default`: an ensemble of two runs of `ppo_vs_heuristic`.
    "ppo_ensemble": dict(
        VS_HEURISTIC, start="preset:ppo_vs_heuristic*2", steps=1, minutes=None, learning_rate=0.0,
        last_learning_rate=0.0, hidden=(2 * 64, 2 * 64), planets=2 * 32, evaluation_games=50,
    ),
    # Uses no other agent and no rating: facts about the position after each move are its input. Weak play
    # ends few games, so targets are discounted towards filled points and useful Data. The moves of a decision
    # differ little: small steps, the mean of the weights and a small lambda keep the value's noise smaller.
    "scratch": dict(
        SCRATCH, players=(2, 2, 3, 4), planets=32, hidden=(64, 64), gamma=0.85, gae_lambda=0.7,
        average=0.1, batch_size=512, epochs=2, learning_rate=5e-4, last_learning_rate=1e-5,
        minutes=180.0, checkpoint_steps=2_000_000, evaluation_games=300,
    ),
    "exploit": dict(
        VS_HEURISTIC, players=(2,), steps=2_000_000, minutes=None, checkpoint_steps=500_000, final_games=4000,
    ),
}  # fmt: skip

TRAINING = GameTraining("planet_hexx", presets=PRESETS, yardsticks=("greedy", "heuristic"))
