"""Stores answers of language models in an SQLite file before their moves are played.

An answer belongs to a place (seed of the game, seat, number of the decision) and to a digest of everything
that was asked there. So a run that is resumed or started again asks no question twice. If line-ups that play
the same deal lead to the same question, they share one answer, as any other agent would make the same move.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from spacemission_agents.llm.chat import Reply
from spacemission_env.core.errors import AgentError, StopError
from spacemission_env.core.reading import Json

FILE = "answers.sqlite"
BUSY_SECONDS = 60.0  # maximum wait while another process writes
Place = tuple[int, int, int]  # seed, seat, number of the decision
Messages = Sequence[dict[str, str]]  # messages of a chat; the first has the rules

_TABLES = """
create table if not exists rules (digest text primary key, text text not null);
create table if not exists answers (
    seed integer, seat integer, decision integer, digest text, agent text, rules text, messages text,
    answer text, outcome text, prompt_tokens integer, answer_tokens integer, cost real, tries integer,
    seconds real, at text, primary key (seed, seat, decision, digest)
);
create index if not exists spent on answers (prompt_tokens, answer_tokens, cost);
"""
_SUMMARY = """
select agent, count(*) as answers, sum(outcome like 'illegal%') as illegal,
    sum(outcome like 'unreadable%') as unreadable, sum(prompt_tokens) as prompt_tokens,
    sum(answer_tokens) as answer_tokens, sum(cost) as cost, sum(tries) as tries, avg(seconds) as seconds
from answers group by agent order by agent
"""


def summary_of(folder: str | None) -> list[Json]:
    """The rows of `Store.summary` for the answers in a folder; none if it has no answers."""
    if not folder or not (Path(folder) / FILE).is_file():
        return []
    store = Store(folder)
    try:
        return store.summary()
    finally:
        store.close()


def digest_of(asked: object) -> str:
    """A digest of everything that is sent to the server."""
    return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()[:32]


class Store:
    """The answers in a folder, or in memory; several threads and processes may use a folder together."""

    def __init__(self, folder: str | Path | None) -> None:
        """Open the file, or make it; AgentError if that fails."""
        self._lock = threading.Lock()
        try:
            if folder is not None:
                Path(folder).mkdir(parents=True, exist_ok=True)
            path = ":memory:" if folder is None else Path(folder) / FILE
            self._file = sqlite3.connect(path, BUSY_SECONDS, check_same_thread=False, isolation_level=None)
            self._file.row_factory = sqlite3.Row
            self._file.execute("pragma journal_mode=wal")
            self._file.execute("pragma synchronous=normal")
            self._file.executescript(_TABLES)
        except (OSError, sqlite3.Error) as error:
            raise AgentError(f"transcripts {str(folder)!r}: cannot be written: {error}") from None

    def _rows(self, query: str, values: Sequence[object] = ()) -> list[Any]:
        try:
            with self._lock:
                return self._file.execute(query, values).fetchall()
        except sqlite3.Error as error:  # such as a full disk: the run stops, and no game is forfeited
            raise StopError(f"transcripts: {error}") from None

    def get(self, place: Place, digest: str) -> str | None:
        """The stored answer to what was asked at a place, or None."""
        query = "select answer from answers where (seed, seat, decision, digest) = (?, ?, ?, ?)"
        return next((str(row["answer"]) for row in self._rows(query, (*place, digest))), None)

    def put(
        self, place: Place, digest: str, agent: str, messages: Messages, reply: Reply, outcome: str
    ) -> None:
        """Store an answer; if another process has stored one before, that one stays."""
        rules = messages[0]["content"]
        self._rows("insert or ignore into rules values (?, ?)", (digest_of(rules), rules))
        said = json.dumps(messages[1:], ensure_ascii=False)
        used = reply.prompt_tokens, reply.answer_tokens, reply.cost or 0.0, reply.tries, reply.seconds
        row = *place, digest, agent, digest_of(rules), said, reply.text, outcome, *used
        marks = ", ".join("?" * len(row))
        self._rows(f"insert or ignore into answers values ({marks}, current_timestamp)", row)

    def spent(self) -> tuple[float, float]:
        """Tokens and dollars that all stored answers cost."""
        used = "total(prompt_tokens + answer_tokens) as tokens, total(cost) as cost"
        (row,) = self._rows(f"select {used} from answers")
        return row["tokens"], row["cost"]

    def summary(self) -> list[Json]:
        """What each agent has asked: one row for each agent, sorted by name."""
        return [dict(row) for row in self._rows(_SUMMARY)]

    def close(self) -> None:
        self._file.close()
