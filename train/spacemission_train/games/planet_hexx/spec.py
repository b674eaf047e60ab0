"""Declares how Planet Hexx is trained."""

from __future__ import annotations

from spacemission_env.core.reading import Json
from spacemission_train.game_training import SCRATCH, GameTraining

# Both presets: the policy starts as strong as `heuristic` and mostly plays against it. The reward is the win,
# with potential-based shaping by the lead in filled points. A game has about a hundred moves and one bad move
# costs much, so the entropy bonus is small.
COMMON: Json = dict(
    reward="win", shaping=1.0, final_lead=False, input="rated", planets=0, gamma=0.999, gae_lambda=0.95,
    entropy=0.001, last_entropy=0.0, opponents="heuristic=0.6,latest=0.25,past=0.15", hidden=(64, 32),
)  # fmt: skip

PRESETS: dict[str, Json] = {
    "quick": dict(
        COMMON, steps=600_000, envs=128, n_steps=64, batch_size=2048, checkpoint_steps=200_000,
    ),
    "strong": dict(
        COMMON, steps=12_000_000, envs=256, n_steps=128, batch_size=4096, epochs=3,
        learning_rate=1e-3, last_learning_rate=3e-5, pfsp=1.0, critic_warmup=4,
        checkpoint_steps=400_000, evaluation_games=1000,
    ),
    # Uses no other agent and no rating: facts about the position after each move are its input. Weak play
    # ends few games, so targets are discounted towards filled points and useful Data. Steps are small:
    # the moves of a decision differ little.
    "scratch": dict(
        SCRATCH, players=(2, 2, 3, 4), planets=32, hidden=(64, 64), gamma=0.85, gae_lambda=0.95,
        batch_size=512, epochs=2, learning_rate=5e-4, last_learning_rate=1e-5,
        minutes=180.0, checkpoint_steps=2_000_000, evaluation_games=300,
    ),
}  # fmt: skip

TRAINING = GameTraining(
    "planet_hexx",
    presets=PRESETS,
    yardsticks=("greedy", "heuristic"),
    view="spacemission_train.games.planet_hexx.views:make_view",
    networks="spacemission_train.games.planet_hexx.networks:make_networks",
)
