"""Has OpenSpiel write a playthrough of each of our games."""

from open_spiel.python.algorithms import generate_playthrough

import spacemission_env.openspiel  # noqa: F401  (registers the games)
from spacemission_env.core.game_spec import game_names

for name in game_names():
    text = generate_playthrough.playthrough(f"spacemission_{name}", None, seed=1)
    assert "Returns()" in text, name
