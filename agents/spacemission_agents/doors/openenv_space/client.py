"""Connects to a server of this environment: `with SeatEnv(base_url=…).sync() as env: env.reset(seed=1)`."""

from __future__ import annotations

from typing import Any

from openenv.core import EnvClient
from openenv.core.client_types import StepResult
from openenv.core.env_server.types import State

from spacemission_agents.doors.openenv_space.models import SeatAction, SeatObservation


class SeatEnv(EnvClient[SeatAction, SeatObservation, State]):
    def _step_payload(self, action: SeatAction) -> dict[str, Any]:
        return {"move": action.move}

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[SeatObservation]:
        reward, done = payload.get("reward"), bool(payload.get("done"))
        seen = SeatObservation(**payload["observation"], reward=reward, done=done)
        return StepResult(observation=seen, reward=reward, done=done)

    def _parse_state(self, payload: dict[str, Any]) -> State:
        return State(**payload)
