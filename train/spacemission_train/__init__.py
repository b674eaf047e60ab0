"""Training of agents by self-play."""

from spacemission_env.core.moved import accept_old_names

accept_old_names()
