"""Space Mission as the rest of the house sees it."""

from __future__ import annotations

from spacemission_env.core.game_spec import GameSpec
from spacemission_env.games.space_mission.components.box import compact_units, make_box
from spacemission_env.games.space_mission.components import load_components
from spacemission_env.games.space_mission.engine import batch
from spacemission_env.games.space_mission.engine.constants import (
    ACTION_COUNT,
    MAX_PLAYERS,
    MIN_PLAYERS,
    REWARD_NAMES,
    SCORE_NAMES,
)
from spacemission_env.games.space_mission.engine.knowledge import KEY_SIZE
from spacemission_env.games.space_mission.engine.layout import LAYOUT, LAYOUT_VERSION, OBSERVATION_SIZE
from spacemission_env.games.space_mission.engine.state import STATE
from spacemission_env.games.space_mission.history import state_problem
from spacemission_env.games.space_mission.options import make_rules
from spacemission_env.games.space_mission.ranking import ANCHORS, rank_scores
from spacemission_env.games.space_mission.recorded import recorded_components, recorded_rules

SPEC = GameSpec(
    name="space_mission",
    env="space_mission_v0",
    title="Space Mission",
    min_players=MIN_PLAYERS,
    max_players=MAX_PLAYERS,
    action_count=ACTION_COUNT,
    observation_size=OBSERVATION_SIZE,
    layout_version=LAYOUT_VERSION,
    layout=LAYOUT,
    state=STATE,
    key_size=KEY_SIZE,
    score_names=SCORE_NAMES,
    reward_names=REWARD_NAMES,
    batch=batch,
    make_rules=make_rules,
    load_components=load_components,
    make_box=make_box,
    compact_units=compact_units,
    recorded_rules=recorded_rules,
    recorded_components=recorded_components,
    state_problem=state_problem,
    game_class="spacemission_env.games.space_mission.game:Game",
    text_module="spacemission_env.games.space_mission.text",
    picture_module="spacemission_env.games.space_mission.picture",
    contents_module="spacemission_env.games.space_mission.contents",
    anchors=ANCHORS,
    rank_scores=rank_scores,
    default_players=3,
)
