"""Keeps every answer of language models on disk before its move is played: one SQLite file.

An answer belongs to a place (seed of the game, seat, number of the decision) and to a digest of all that was
asked there. So a run that goes on, or is started again, asks nothing twice. Line-ups that play the same deal
and come to the same question share its answer, as other agents play the same there too.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from spacemission_agents.llm.chat import Reply
from spacemission_env.core.errors import AgentError
from spacemission_env.core.reading import Json

FILE = "answers.sqlite"
BUSY_SECONDS = 60.0  # to wait for another process that writes
Messages = Sequence[dict[str, str]]  # the first is the rules

_TABLES = """
create table if not exists rules (digest text primary key, text text not null);
create table if not exists answers (
    seed integer not null, seat integer not null, decision integer not null, digest text not null,
    agent text not null, rules text not null, messages text not null, answer text not null,
    outcome text not null, prompt_tokens integer not null, answer_tokens integer not null, cost real not null,
    tries integer not null, seconds real not null, at text not null default current_timestamp,
    primary key (seed, seat, decision, digest)
) without rowid;
"""


@dataclass(frozen=True)
class Place:
    """Where a question is asked."""

    seed: int
    seat: int
    decision: int


def digest_of(asked: object) -> str:
    """A digest of a question: of everything that goes to the server."""
    return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()[:32]


class Store:
    """The answers in a folder, or without one in memory; threads and processes may use it at once."""

    def __init__(self, folder: str | Path | None) -> None:
        """Open the file, or make it; AgentError if that fails."""
        self._lock = threading.Lock()
        try:
            if folder is not None:
                Path(folder).mkdir(parents=True, exist_ok=True)
            path = ":memory:" if folder is None else str(Path(folder) / FILE)
            self._file = sqlite3.connect(path, BUSY_SECONDS, check_same_thread=False, isolation_level=None)
            self._file.execute("pragma journal_mode=wal")
            self._file.execute("pragma synchronous=normal")
            self._file.executescript(_TABLES)
        except (OSError, sqlite3.Error) as error:
            raise AgentError(f"transcripts {str(folder)!r}: cannot be written: {error}") from None

    def get(self, place: Place, digest: str) -> str | None:
        """The answer that is on disk, or None."""
        with self._lock:
            row = self._file.execute(
                "select answer from answers where (seed, seat, decision, digest) = (?, ?, ?, ?)",
                (place.seed, place.seat, place.decision, digest),
            ).fetchone()
        return None if row is None else cast(str, row[0])

    def put(
        self,
        place: Place,
        digest: str,
        agent: str,
        messages: Messages,
        reply: Reply,
        outcome: str,
        cost: float,
    ) -> str:
        """Write an answer; return the one on disk, that of another process if it was first."""
        rules = messages[0]["content"]
        name = digest_of(rules)
        row = (
            place.seed, place.seat, place.decision, digest, agent, name,
            json.dumps(messages[1:], ensure_ascii=False), reply.text, outcome,
            reply.prompt_tokens, reply.answer_tokens, cost, reply.tries, reply.seconds,
        )  # fmt: skip
        with self._lock:
            self._file.execute("begin immediate")
            self._file.execute("insert or ignore into rules values (?, ?)", (name, rules))
            self._file.execute(
                "insert or ignore into answers (seed, seat, decision, digest, agent, rules, messages, answer, "
                "outcome, prompt_tokens, answer_tokens, cost, tries, seconds) "
                f"values ({', '.join('?' * len(row))})",
                row,
            )
            self._file.execute("commit")
        return self.get(place, digest) or ""

    def spent(self) -> tuple[int, float]:
        """Tokens and dollars of all answers."""
        with self._lock:
            tokens, cost = self._file.execute(
                "select total(prompt_tokens + answer_tokens), total(cost) from answers"
            ).fetchone()
        return int(tokens), float(cost)

    def summary(self) -> list[Json]:
        """What each agent has asked: a row an agent, in the order of names."""
        names = (
            "agent", "answers", "illegal", "unreadable", "prompt_tokens", "answer_tokens", "cost", "tries",
            "mean_seconds",
        )  # fmt: skip
        with self._lock:
            rows = self._file.execute(
                "select agent, count(*), sum(outcome like 'illegal%'), sum(outcome like 'unreadable%'), "
                "sum(prompt_tokens), sum(answer_tokens), sum(cost), sum(tries), avg(seconds) "
                "from answers group by agent order by agent"
            ).fetchall()
        return [dict(zip(names, row, strict=True)) for row in rows]

    def close(self) -> None:
        self._file.close()
