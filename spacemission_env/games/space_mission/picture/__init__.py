"""Draws Space Mission from what a seat knows (`Game.seat_json`)."""

from spacemission_env.games.space_mission.picture.small import draw_small
from spacemission_env.games.space_mission.picture.whole import draw, draw_tall, prompt, targets

__all__ = ["draw", "draw_small", "draw_tall", "prompt", "targets"]
