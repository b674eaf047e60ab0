"""Measures how many pictures a second are drawn of every game: `python -m studies.picture_speed`."""

from __future__ import annotations

from spacemission_env.commands.speed import FRAMES, frame_rate
from spacemission_env.core.game_spec import game_names
from spacemission_env.pictures.raster import SIZE

if __name__ == "__main__":
    for name in game_names():
        for size, frames in (((256, 256), FRAMES), (SIZE, FRAMES // 10)):
            print(f"{name} {size[0]}x{size[1]}: {frame_rate(name, size, frames=frames):.0f}")
