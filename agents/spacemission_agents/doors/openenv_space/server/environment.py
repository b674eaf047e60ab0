"""Defines `SeatEnvironment`: a model has one seat of a game, and named agents have the others."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import uuid
from typing import Any

from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import State

from spacemission_agents.doors.openenv_space.models import SeatAction, SeatObservation
from spacemission_agents.doors.table import MODEL, RETRIES, Table
from spacemission_env.core.errors import SetupError

# The client chooses the seed. Without a secret it could deal the same game and see what is hidden.
SECRET = os.environ.get("SPACEMISSION_SECRET") or secrets.token_hex()


class SeatEnvironment(Environment[SeatAction, SeatObservation, State]):
    """A game. Illegal moves are refused with reasons; too many in a row forfeit. The reward comes last."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(
        self,
        game: str | None = None,
        opponents: str | None = None,
        seat: int | None = None,
        retries: int | None = None,
        legal: bool | None = None,
    ) -> None:
        """Arguments that are None come from SPACEMISSION_GAME, …_OPPONENTS, …_SEAT, …_RETRIES and …_LEGAL.

        Args:
            game: name of the game; default: Space Mission.
            opponents: the agents of the other seats, in order of seats, separated by commas; default: greedy.
            seat: the model's seat; default: a random one for each game.
            retries: illegal answers in a row that the model may correct; one more forfeits the game.
            legal: whether the model is told the legal moves.
        """
        super().__init__()
        given = {key[13:]: value for key, value in os.environ.items() if key.startswith("SPACEMISSION_")}
        self._game = game or given.get("GAME") or "space_mission"
        self._opponents = (opponents or given.get("OPPONENTS") or "greedy").replace(" ", "").split(",")
        self._retries = int(given.get("RETRIES") or RETRIES) if retries is None else retries
        self._legal = given.get("LEGAL") == "1" if legal is None else legal
        self._seat = int(given["SEAT"]) if seat is None and given.get("SEAT") else seat
        if self._seat is not None and not 0 <= self._seat <= len(self._opponents):
            raise SetupError(f"seat: expected 0 to {len(self._opponents)}, not {self._seat}")
        self._tables: dict[int, Table] = {}  # by the model's seat, so that agents are made once
        self._table: Table | None = None
        self._state = State()

    def reset(self, seed: int | None = None, episode_id: str | None = None, **_: Any) -> SeatObservation:
        """Deal a game. The same seed repeats it as long as the server's secret stays the same.

        Agents that ask other programs may play differently.
        """
        digest = hashlib.sha256(f"{SECRET} {uuid.uuid4() if seed is None else seed}".encode()).digest()
        deal, drawn = int.from_bytes(digest[:8]) >> 1, int.from_bytes(digest[8:]) % (len(self._opponents) + 1)
        self._at = drawn if self._seat is None else self._seat
        if self._at not in self._tables:
            seats = [*self._opponents[: self._at], MODEL, *self._opponents[self._at :]]
            self._tables[self._at] = Table(self._game, seats, self._retries)
        self._table = self._tables[self._at]
        self._table.deal(deal)
        self._state = State(episode_id=episode_id or str(uuid.uuid4()), step_count=0)
        return self._seen(self._table, "", self._table.texts[self._at].rules())

    def step(self, action: SeatAction, timeout_s: float | None = None, **_: Any) -> SeatObservation:
        """Make the model's move, then the agents' moves until the model has to move again."""
        if self._table is None or self._table.over:
            raise SetupError("step: no game; reset, in the same session (by /ws: each /step is a new one)")
        self._state.step_count += 1
        return self._seen(self._table, self._table.answer(self._at, json.dumps({"move": action.move})))

    def _seen(self, table: Table, refused: str, rules: str = "") -> SeatObservation:
        return SeatObservation(
            text=refused or table.tell(self._at),
            rules=rules,
            legal_moves=table.texts[self._at].legal_moves() if self._legal and not table.over else [],
            done=table.over,
            reward=table.rewards()[self._at],
        )

    @property
    def state(self) -> State:
        """The episode and the number of steps, without the state of the game."""
        return self._state
