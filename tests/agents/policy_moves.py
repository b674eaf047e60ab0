"""Do the moves of `policy:ppo` stay the same from one version of this package to another?

    python policy_moves.py record FILE.npz     with the older version (PYTHONPATH or its checkout)
    python policy_moves.py compare FILE.npz    with the newer one

Both play the same games: with probability EXPLORE a legal move drawn by `numpy`, else the agent's, the most
probable. `record` keeps of each decision the observation, the mask, the logits and the move; `compare`
wants the very same, and of a newer layout the observation's first numbers.
"""

from __future__ import annotations

import sys

import numpy as np

from spacemission_agents.models.policy import PolicyAgent
from spacemission_env.games.space_mission.game import Game

GAMES = {2: 90, 3: 60, 4: 45, 5: 36}  # players: games
EXPLORE = 0.2


def play(agent: PolicyAgent, players: int, seed: int) -> list[tuple[np.ndarray, ...]]:
    """The decisions of a game: observation, mask, logits, the agent's move."""
    game = Game(players)
    game.reset(seed)
    rng = np.random.default_rng([players, seed])
    found: list[tuple[np.ndarray, ...]] = []
    while not game.over:
        decisions = game.ask()
        actions, logits = agent.act(decisions), agent.logits(decisions)
        found.append((decisions.observations[0].copy(), decisions.masks[0].copy(), logits[0], actions[0]))
        legal = np.flatnonzero(decisions.masks[0])
        game.step(int(rng.choice(legal) if rng.random() < EXPLORE else actions[0]))
    return found


def main(mode: str, path: str) -> None:
    """Record or compare; prints how many decisions there were and, of each thing, how many differ."""
    agent = PolicyAgent("default")
    kept = {} if mode == "record" else dict(np.load(path))
    for players, games in GAMES.items():
        parts = [play(agent, players, seed) for seed in range(games)]
        columns = [np.stack(column) for column in zip(*(d for part in parts for d in part), strict=True)]
        for name, column in zip(("observations", "masks", "logits", "moves"), columns, strict=True):
            key = f"{name}_{players}"
            if mode == "record":
                kept[key] = column
                continue
            was = kept[key]
            if len(was) != len(column):
                raise SystemExit(f"{players} players: {len(was)} decisions recorded, {len(column)} now")
            now = column[:, : was.shape[1]] if was.ndim > 1 else column
            differ = int((was != now).reshape(len(was), -1).any(1).sum())
            print(f"{players} players: {len(was)} decisions, {name}: {differ} differ")
    if mode == "record":
        np.savez_compressed(path, **kept)
        print(f"{sum(len(kept[f'moves_{n}']) for n in GAMES)} decisions recorded")


if __name__ == "__main__":
    main(*sys.argv[1:])
