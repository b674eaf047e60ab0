"""Defines Space Mission's `GameSpec` and its rating anchors."""

from __future__ import annotations

from pathlib import Path

from spacemission_env.core.game_spec import GameSpec, Limits, read_texts
from spacemission_env.games.space_mission.components import load_components
from spacemission_env.games.space_mission.components.parameters import compact_units, make_parameters
from spacemission_env.games.space_mission.engine import constants as c
from spacemission_env.games.space_mission.engine.batch import BATCH
from spacemission_env.games.space_mission.engine.knowledge import KEY_SIZE
from spacemission_env.games.space_mission.engine.layout import LAYOUT, LAYOUT_VERSION
from spacemission_env.games.space_mission.engine.state import STATE
from spacemission_env.games.space_mission.options import Rules, make_rules
from spacemission_env.games.space_mission.setup import recorded_components

# Ratings by number of players, from 40,000 games each (40,002 with 3 players) with printed rules:
#   round_robin(2, players, 40_000 if players == 2 else 20_000, seed=0)
#   play_games(["random", "greedy"], lineups, seeds)
# The arena's `rate` fitted them with only `random` fixed. 95 % intervals: 1298 to 1493, 1236 to 1372, 1262 to
# 1400, 1239 to 1365. The intervals are wide because greedy loses only one game in a thousand.
ANCHORS = {
    2: {"random": 0.0, "greedy": 1395.0},
    3: {"random": 0.0, "greedy": 1304.0},
    4: {"random": 0.0, "greedy": 1331.0},
    5: {"random": 0.0, "greedy": 1302.0},
}


# Bounds of the score margin; not even a seat with all tiles of the box could reach them.
MARGINS = (-60.0, 60.0)


def limits(rules: Rules, num_players: int) -> Limits:
    """The limits of a game: a tile pick may follow each action (SM-31, SM-41, SM-45).

    A draw has at most one outcome for each tile of the full box.
    """
    actions = num_players * rules.actions_per_turn * rules.max_rounds
    return Limits(2 * actions, c.RING * c.PILE, {"score_margin": MARGINS})


SPEC = GameSpec(
    name="space_mission",
    env="space_mission_v0",
    title="Space Mission",
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
    compact_units=compact_units,
    recorded_components=recorded_components,
    game_class="spacemission_env.games.space_mission.game:Game",
    picture_module="spacemission_env.games.space_mission.picture",
    **read_texts(Path(__file__).parent / "data"),
    anchors=ANCHORS,
    default_players=3,
    limits=limits,
)
