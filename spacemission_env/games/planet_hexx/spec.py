"""Declares Planet Hexx as a `GameSpec`."""

from pathlib import Path

from spacemission_env.core.game_spec import GameSpec, Limits, read_texts
from spacemission_env.games.planet_hexx.components.parameters import make_parameters
from spacemission_env.games.planet_hexx.components.parse import load_components
from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.engine.batch import BATCH
from spacemission_env.games.planet_hexx.engine.keys import KEY_SIZE
from spacemission_env.games.planet_hexx.engine.layout import LAYOUT, LAYOUT_VERSION
from spacemission_env.games.planet_hexx.engine.state import STATE
from spacemission_env.games.planet_hexx.options import Rules, make_rules, recorded_components

MOST_IN_A_TURN = 1000  # a bound on the decisions of all seats; cards and Actions allow far fewer


def limits(rules: Rules, num_players: int) -> Limits:
    """A turn has at most `MOST_IN_A_TURN` decisions; the largest random draw is in the shuffle of a deck."""
    decisions = num_players * (1 + rules.max_turns * MOST_IN_A_TURN)
    return Limits(decisions, c.MOST_CARDS, {"uploads": (-1.0, 1.0)}, ("uploads",))


SPEC = GameSpec(
    name="planet_hexx",
    env="planet_hexx_v0",
    title="Mission to Planet Hexx!",
    min_players=c.MIN_PLAYERS,
    max_players=c.MAX_PLAYERS,
    action_count=c.ACTION_COUNT,
    layout_version=LAYOUT_VERSION,
    layout=LAYOUT,
    state=STATE,
    key_size=KEY_SIZE,
    score_names=c.SCORE_NAMES,
    reward_names=c.REWARD_NAMES,
    batch=BATCH,
    make_rules=make_rules,
    load_components=load_components,
    make_parameters=make_parameters,
    recorded_components=recorded_components,
    game_class="spacemission_env.games.planet_hexx.game:Game",
    picture_module="spacemission_env.games.planet_hexx.picture",
    **read_texts(Path(__file__).parent / "data"),
    only_finished_wins=True,
    limits=limits,
)
