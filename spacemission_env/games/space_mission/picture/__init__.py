"""The picture of Space Mission, from what a seat knows (`Game.seat_json`)."""

from __future__ import annotations

from spacemission_env.games.space_mission.picture.drawing import draw, draw_tall
from spacemission_env.games.space_mission.picture.small import draw_small
from spacemission_env.games.space_mission.picture.targets import targets

__all__ = ["draw", "draw_small", "draw_tall", "targets"]
