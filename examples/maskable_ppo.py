"""Trains MaskablePPO of sb3-contrib against named opponents.

`python examples/maskable_ppo.py --out runs/maskable`
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time

import torch
from sb3_contrib import MaskablePPO

from spacemission_env.frontends.vector_env import LearnerVectorEnv
from spacemission_train.export import save_policy
from spacemission_train.sb3_env import MaskedVecEnv

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--out", default="runs/maskable", help="the model folder")
parser.add_argument("--seed", type=int, default=1)
parser.add_argument(
    "--opponents", default="greedy=0.9,random=0.1", help="drawn for each game; or policy:PATH=…"
)
parser.add_argument("--total-timesteps", type=int, default=800_000, help="decisions of the learner")
parser.add_argument("--num-envs", type=int, default=256, help="games side by side")
parser.add_argument("--n-steps", type=int, default=16, help="decisions of each game between updates")
parser.add_argument("--games", type=int, default=4000, help="against greedy, at the end")
args = parser.parse_args()

torch.set_num_threads(1)  # two are very slow where another program is busy
# A step is one decision of the learner and all moves of the others until its next decision. The reward
# covers all of them: it is the change of the score margin. The learner's seat is drawn. MaskablePPO reads the
# masks of all games in one call.
games = LearnerVectorEnv(args.num_envs, 2, args.opponents, reward="score_margin", shaping=1.0)
env = MaskedVecEnv(games)
model = MaskablePPO(
    "MlpPolicy",
    env,
    n_steps=args.n_steps,
    batch_size=512,
    n_epochs=2,
    learning_rate=lambda left: 2e-3 * left,
    gamma=0.999,
    gae_lambda=0.9,
    ent_coef=0.02,
    policy_kwargs={"net_arch": [256, 256], "activation_fn": torch.nn.ReLU},
    seed=args.seed,
    device="cpu",
)
start = time.time()
model.learn(args.total_timesteps)
print(f"{model.num_timesteps} steps, {model.num_timesteps / (time.time() - start):.0f} steps/s")

save_policy(args.out, model, players=2, command=" ".join(sys.argv))
arena = ["arena", "--agents", f"policy:{args.out},greedy", "--players", "2", "--games", str(args.games)]
subprocess.run([sys.executable, "-m", "spacemission_env", *arena], check=True)
