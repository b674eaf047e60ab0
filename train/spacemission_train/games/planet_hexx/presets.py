"""Declares how Planet Hexx is trained."""

from __future__ import annotations

from spacemission_env.core.reading import Json
from spacemission_train.presets import EXPLOITER, SCRATCH, GameTraining

# The network reads `heuristic`'s ratings of the moves, so it starts as strong as `heuristic`. With
# temperature 1 the value has the factor 1 at first, so the policy changes slowly while the value is learnt.
RATED: Json = dict(
    envs=256, n_steps=40, batch_size=256, input="afterstate_policy_rated", hidden=(32, 64, 64),
    temperature=1.0, learning_rate=(1e-3, 1e-5),
)  # fmt: skip
VS_HEURISTIC: Json = dict(RATED, opponents="heuristic=0.75,latest=0.25")

PRESETS: dict[str, Json] = {
    "demo": dict(VS_HEURISTIC, minutes=3.0, checkpoint_steps=50_000, evaluation_games=100),
    "ppo_vs_heuristic": dict(
        VS_HEURISTIC, players=(2, 2, 3, 4), minutes=84.0, checkpoint_steps=2_000_000, evaluation_games=300
    ),
    # Uses no other agent and no ratings; its input is facts about the position after each move. Weak play
    # ends few games, so targets are discounted towards the potential: filled points of the Mission File, and
    # Data for Uploads. Moves differ little in value; small steps, the mean of the weights and a small lambda
    # keep its noise smaller.
    "scratch": dict(
        SCRATCH, players=(2, 2, 3, 4), hidden=(32, 64, 64), gamma=0.85, gae_lambda=0.7, average=0.1, epochs=2,
        learning_rate=(5e-4, 1e-5), minutes=180.0, checkpoint_steps=2_000_000, evaluation_games=300,
    ),
    "exploit": {**EXPLOITER, **RATED},
}  # fmt: skip

TRAINING = GameTraining("planet_hexx", presets=PRESETS, yardsticks=("greedy", "heuristic"))
