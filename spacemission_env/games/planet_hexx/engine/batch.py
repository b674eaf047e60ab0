"""Binds the batch functions to the rules of Planet Hexx."""

import numpy as np

from spacemission_env.core.batch_template import bind_batch
from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.engine import missions, observe
from spacemission_env.games.planet_hexx.engine.compiled import njit
from spacemission_env.games.planet_hexx.engine.determinize import determinize
from spacemission_env.games.planet_hexx.engine.keys import decision_key, write_key
from spacemission_env.games.planet_hexx.engine.layout import COMPACT, OBSERVATION
from spacemission_env.games.planet_hexx.engine.legal import is_legal, write_mask
from spacemission_env.games.planet_hexx.engine.play import apply, deal_game

BATCH = bind_batch(
    __name__,
    njit,
    observation=OBSERVATION,
    compact=COMPACT,
    scratch=np.dtype(np.int8),  # not used
    action_count=c.ACTION_COUNT,
    max_players=c.MAX_PLAYERS,
    score_names=c.SCORE_NAMES,
    reward_names=c.REWARD_NAMES,
    only_finished_wins=True,
    deal=deal_game,
    is_legal=is_legal,
    apply=apply,
    write_mask=write_mask,
    observe=observe.observe,
    observe_floats=observe.observe_floats,
    observe_compact=observe.observe_compact,
    write_key=write_key,
    decision_key=decision_key,
    determinize=determinize,
    score=missions.score,
    margin=missions.margin,
    other_rewards=missions.other_rewards,
)
