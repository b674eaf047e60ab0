"""Kuhn poker as the rest of the house sees it."""

from __future__ import annotations

from spacemission_env.core.game_spec import GameSpec
from spacemission_env.games.kuhn_poker.engine import batch
from spacemission_env.games.kuhn_poker.engine.constants import (
    ACTION_COUNT,
    MAX_PLAYERS,
    MIN_PLAYERS,
    REWARD_NAMES,
    SCORE_NAMES,
)
from spacemission_env.games.kuhn_poker.engine.layout import LAYOUT, LAYOUT_VERSION, OBSERVATION_SIZE
from spacemission_env.games.kuhn_poker.engine.observe import KEY_SIZE
from spacemission_env.games.kuhn_poker.engine.state import STATE, compact_units
from spacemission_env.games.kuhn_poker.history import state_problem
from spacemission_env.games.kuhn_poker.options import (
    load_components,
    make_box,
    make_rules,
    recorded_components,
    recorded_rules,
)

SPEC = GameSpec(
    name="kuhn_poker",
    env="kuhn_poker_v0",
    title="Kuhn poker",
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
    game_class="spacemission_env.games.kuhn_poker.game:Game",
    text_module="spacemission_env.games.kuhn_poker.text",
    picture_module="spacemission_env.games.kuhn_poker.picture",
    contents_module="spacemission_env.games.kuhn_poker.contents",
)
