"""Serves `SeatEnvironment`: `uvicorn spacemission_agents.doors.openenv_space.server.app:app`."""

from __future__ import annotations

import os

from openenv.core.env_server.http_server import create_app

from spacemission_agents.doors.openenv_space.models import SeatAction, SeatObservation
from spacemission_agents.doors.openenv_space.server.environment import SeatEnvironment

SESSIONS = int(os.environ.get("SPACEMISSION_SESSIONS") or 64)
app = create_app(
    SeatEnvironment, SeatAction, SeatObservation, env_name="spacemission", max_concurrent_envs=SESSIONS
)
