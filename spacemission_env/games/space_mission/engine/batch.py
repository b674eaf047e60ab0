"""Binds the batch functions to the rules of Space Mission."""

from __future__ import annotations

from spacemission_env.core.batch_template import bind_batch
from spacemission_env.core.constants import NO_ORDER
from spacemission_env.games.space_mission.engine import constants as c
from spacemission_env.games.space_mission.engine import observe, rules, scoring
from spacemission_env.games.space_mission.engine.compiled import njit
from spacemission_env.games.space_mission.engine.determinize import determinize
from spacemission_env.games.space_mission.engine.knowledge import decision_key, write_key
from spacemission_env.games.space_mission.engine.layout import COMPACT, OBSERVATION
from spacemission_env.games.space_mission.engine.legal import is_legal, write_mask

apply_recorded = rules.apply


@njit
def apply(s, t, action):
    """Carry out a legal move; shuffles use the game's own random numbers."""
    apply_recorded(s, t, action, NO_ORDER)


BATCH = bind_batch(
    __name__,
    njit,
    observation=OBSERVATION,
    compact=COMPACT,
    action_count=c.ACTION_COUNT,
    max_players=c.MAX_PLAYERS,
    score_names=c.SCORE_NAMES,
    reward_names=c.REWARD_NAMES,
    once=("worlds_batch",),
    deal=rules.deal,
    is_legal=is_legal,
    apply=apply,
    apply_recorded=apply_recorded,
    write_mask=write_mask,
    observe=observe.observe,
    observe_floats=observe.observe_floats,
    observe_compact=observe.observe_compact,
    write_key=write_key,
    decision_key=decision_key,
    determinize=determinize,
    score=scoring.score,
    rank_number=scoring.rank_number,
    margin=scoring.margin,
)
