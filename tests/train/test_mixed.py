"""The preset for mixed strategies comes near the equilibrium of small games.

`python -m tests.train.test_mixed GAME PLAYERS SEED…` trains the whole preset with each of these seeds, and
fails if a model is further from an equilibrium than a tenth of uniform play (`make check-long`).
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

from spacemission_agents import exploitability as exact
from spacemission_agents.models.policy import PolicyAgent
from spacemission_env.core.game import make_game
from spacemission_train.presets import make_settings
from spacemission_train.run import start

VALUE = -1 / 18  # of Kuhn poker for the first of two seats (Kuhn 1950)
NEAR = 0.1  # most NashConv, as a share of that of uniform play


def trained(game: str, players: int, folder: Path, **changes: object) -> tuple[exact.Tree, list[np.ndarray]]:
    """Train the preset; return the tree of the game, and the exact policies of its model and its best."""
    start(make_settings("mixed", game=game, players=players, threads=1, **changes), folder)
    tree = exact.grow(make_game(game, players))
    agents = [PolicyAgent(str(folder / name), game) for name in ("model", "best")]
    return tree, [exact.policy_of(agent, tree) for agent in agents]


def share_of_uniform(tree: exact.Tree, policy: np.ndarray) -> float:
    return exact.nash_conv(tree, policy) / exact.nash_conv(tree, exact.uniform(tree))


@pytest.mark.slow
def test_a_part_of_the_preset_comes_near_the_equilibrium_of_kuhn_poker(tmp_path: Path) -> None:
    tree, (model, best) = trained("kuhn_poker", 2, tmp_path / "run", steps=400_000, evaluation_games=4)
    assert share_of_uniform(tree, model) < 2 * NEAR
    assert exact.nash_conv(tree, best) <= exact.nash_conv(tree, model)
    assert exact.values(tree, model)[0] == pytest.approx(VALUE, abs=0.03)


@pytest.mark.slow
def test_what_is_judged_is_how_the_model_plays(tmp_path: Path) -> None:
    """`policy:FOLDER` draws its moves from the probabilities that are judged."""
    tree, (policy, _) = trained("kuhn_poker", 2, tmp_path / "run", steps=20_000, evaluation_games=4)
    sets, many = len(tree.states), 4000
    agent = PolicyAgent(str(tmp_path / "run" / "model"), "kuhn_poker")
    keys = np.random.default_rng(0).integers(0, 2**63 - 1, many * sets)
    asked = tree.ask(np.repeat(np.arange(sets), many), keys).part(agent, np.arange(many * sets))
    bets = agent.act(asked).reshape(-1, many).mean(1)
    assert np.abs(bets - policy[1::2]).max() < 5 * 0.5 / np.sqrt(many)
    assert np.ptp(policy[1::2]) > 0.02


def main() -> int:
    """Train the preset with each given seed."""
    game, players, *seeds = sys.argv[1:]
    failed = 0
    for seed in map(int, seeds):
        with tempfile.TemporaryDirectory() as folder:
            tree, (model, best) = trained(game, int(players), Path(folder) / "run", seed=seed)
        shares = [share_of_uniform(tree, policy) for policy in (model, best)]
        good = max(shares) <= NEAR and shares[1] <= shares[0]
        failed += not good
        verdict = "near the equilibrium" if good else "TOO FAR FROM THE EQUILIBRIUM"
        print(f"seed {seed}: model {shares[0]:.4f}, best {shares[1]:.4f} of uniform: {verdict}", flush=True)
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
