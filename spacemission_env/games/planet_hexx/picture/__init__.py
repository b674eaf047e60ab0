"""Draws Planet Hexx from the view of a seat (`Game.seat_json`)."""

from spacemission_env.games.planet_hexx.picture.choices import asked as prompt
from spacemission_env.games.planet_hexx.picture.small import draw_small
from spacemission_env.games.planet_hexx.picture.whole import draw, draw_tall, targets

__all__ = ["draw", "draw_small", "draw_tall", "prompt", "targets"]
