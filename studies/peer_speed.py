"""Prints the speed of environments of this package and of others, played in the same two loops.

`python -m studies.peer_speed`, on a quiet machine; needs `pettingzoo[classic]` and `open_spiel`. Each figure
is the fastest of five rounds of random legal moves in one process. It takes a minute.
"""

from __future__ import annotations

import importlib
import random
from collections.abc import Iterator

import open_spiel.python.games  # noqa: F401  (registers games written in Python)
import pyspiel

import spacemission_env.openspiel  # noqa: F401  (registers our games)
from spacemission_env.frontends.aec import env
from spacemission_train.commands.bench import best_rate, play_aec

DECISIONS = 10_000
PETTINGZOO = "connect_four_v3", "tictactoe_v3", "leduc_holdem_v4", "texas_holdem_v4", "hanabi_v5"
OWN = "space_mission", "planet_hexx", "kuhn_poker"
OPENSPIEL = "connect_four", "kuhn_poker", "leduc_poker", "gin_rummy", "python_kuhn_poker"


def play_openspiel(name: str) -> Iterator[int]:
    """Play a game of OpenSpiel, with the observation tensor of each decision."""
    game, rng = pyspiel.load_game(name), random.Random(0)
    while True:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(rng.choice(state.legal_actions()))
                continue
            state.observation_tensor(state.current_player())
            state.apply_action(rng.choice(state.legal_actions()))
            yield 1


def main() -> None:
    """Print a table of each loop."""
    print("AEC: last, masked choice, step")
    for name in OWN:
        print(f"  {name}: {best_rate(play_aec(env(name), 0), DECISIONS):,.0f} decisions/s")
    for name in PETTINGZOO:
        module = importlib.import_module(f"pettingzoo.classic.{name}")
        print(f"  pettingzoo {name}: {best_rate(play_aec(module.env(), 0), DECISIONS):,.0f} decisions/s")
    print("OpenSpiel: legal_actions, observation_tensor, apply_action")
    for name in [*(f"spacemission_{own}" for own in OWN), *OPENSPIEL]:
        print(f"  {name}: {best_rate(play_openspiel(name), DECISIONS):,.0f} decisions/s")


if __name__ == "__main__":
    main()
