"""Reads probe files (hand-made positions with their right moves), asks agents, and scores answers.

Files are TOML, such as data/probes_*.toml in a game's folder. A file holds probes of one theme; its table
`common` gives what the positions share, a probe what differs:

    format = 1
    theme = "sets"
    [common]                     # fields of a position, as the game has them
    [[probe]]
    id = "third-alien"
    why = "One sentence: what a strong player sees."
    right = [{ kind = "take", tile = "alien_brown" }]
    position = { hand = "J1S2", phase = "discover" }

A right move is written as records name moves (docs/records.md); what it leaves out may be anything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from spacemission_env.core.agents import Agent, agent_name, answered, make_agent, prepare_agents
from spacemission_env.core.errors import AgentError, SpaceMissionError
from spacemission_env.core.reading import PROBES_BYTES, Json, parse_toml, read_bytes
from spacemission_env.core.rng import hash63

FORMAT = 1  # of the files
REPEAT = 8


class ProbeError(SpaceMissionError):
    """A probe that does not hold together; the message names it and the field."""


@dataclass(frozen=True)
class Probe:
    """One position and its right moves."""

    number: int  # place among all probes loaded; decision keys are made of it
    id: str
    theme: str
    why: str  # the right moves are right, in a sentence
    right: tuple[int, ...]  # legal action indices that count as right, ascending
    game: Any  # the position; never played on, copies are


@dataclass(frozen=True)
class Answers:
    """What an agent played in one probe, an action index for each repetition."""

    probe: Probe
    actions: tuple[int, ...]

    @property
    def score(self) -> float:
        """Share of right answers."""
        return sum(action in self.probe.right for action in self.actions) / len(self.actions)


def themes_of(probes: Sequence[Probe]) -> list[str]:
    return list(dict.fromkeys(probe.theme for probe in probes))


def of_theme(probes: Sequence[Probe], theme: str | None) -> list[Probe]:
    """The probes of one theme (None: all); ProbeError where there is no such theme."""
    if theme is not None and theme not in themes_of(probes):
        raise ProbeError(f"theme {theme!r}: unknown; known: {', '.join(themes_of(probes))}")
    return [probe for probe in probes if theme in (None, probe.theme)]


def ask(agent: Agent, name: str, probe: Probe, keys: Sequence[int]) -> list[int]:
    """What an agent plays in this probe, once with each key: legal action indices.

    AgentError, one line that names the agent: it failed, or played an illegal move.
    """
    actions = []
    for key in keys:
        decisions = probe.game.ask(key).part(agent, np.zeros(1, np.int64))
        action = int(answered(agent, decisions, name)[0])
        reason = probe.game.why_illegal(action)
        if reason:
            raise AgentError(f"agent {name!r}: probe {probe.id!r}: {reason}")
        actions.append(action)
    return actions


def keys_of(probe: Probe, seed: int, repeat: int) -> list[int]:
    """A fresh decision key for each repetition."""
    return [int(hash63(hash63(seed, probe.number, 0), i, 0)) for i in range(repeat)]


def ask_all(
    spec: str | Agent, probes: Sequence[Probe], seed: int = 0, repeat: int = REPEAT, called: str | None = None
) -> list[Answers]:
    """Ask an agent every probe `repeat` times; `called`: its name in messages.

    AgentError: an agent that cannot be made, does not fit the game, fails or plays an illegal move.
    """
    answers: list[Answers] = []
    if not probes:
        return answers
    agent = make_agent(spec, probes[0].game.spec)
    for probe in probes:
        prepare_agents([agent], probe.game.info)
        actions = ask(agent, called or agent_name(spec), probe, keys_of(probe, seed, repeat))
        answers.append(Answers(probe, tuple(actions)))
    return answers


def summary(answers: Sequence[Answers]) -> Json:
    """Scores as JSON types: `score` and `probes` overall, and the same by theme."""
    by_theme: dict[str, list[float]] = {}
    for one in answers:
        by_theme.setdefault(one.probe.theme, []).append(one.score)
    return {
        "score": float(np.mean([one.score for one in answers])),
        "probes": len(answers),
        "themes": [
            {"theme": theme, "score": float(np.mean(scores)), "probes": len(scores)}
            for theme, scores in by_theme.items()
        ],
    }


# ---------------------------------------------------------------- files

Table = Mapping[str, Any]


@dataclass(frozen=True)
class ProbeFiles:
    """How a game's probe files are read."""

    package: str  # with the folder `data`, where the package's own files are
    build: Callable[[Table], object]  # the game of a position's fields, or ProbeError
    move_fields: Mapping[str, set[str]]  # kinds of moves that can be right, and what else each may name
    merged: Callable[[Table, Table], Table]  # fields of `common` and of a probe as those of one position

    def load(self, paths: Sequence[str | Path] | None = None) -> list[Probe]:
        """The probes of these files, or the package's own, in order.

        ProbeError: one line that names the file, the probe and the field.
        """
        probes: list[Probe] = []
        for name, text in self._texts(paths):
            probes += self._parse(text, name, len(probes))
        seen: set[str] = set()
        for probe in probes:
            if probe.id in seen:
                raise ProbeError(f"probe {probe.id!r}: id: stands twice")
            seen.add(probe.id)
        return probes

    def _texts(self, paths: Sequence[str | Path] | None) -> list[tuple[str, bytes]]:
        if paths is not None:
            return [(str(path), read_bytes(path, PROBES_BYTES, ProbeError, str(path))) for path in paths]
        folder = resources.files(self.package) / "data"
        files = sorted((f for f in folder.iterdir() if f.name.startswith("probes_")), key=lambda f: f.name)
        return [(file.name, file.read_bytes()) for file in files]

    def _parse(self, text: bytes, where: str, first: int) -> list[Probe]:
        data = parse_toml(text, ProbeError, where)
        _only(data, {"format": int, "theme": str, "probe": list}, {"common": dict}, where)
        if data["format"] != FORMAT:
            raise ProbeError(f"{where}: format: {data['format']!r} is not known, this version reads {FORMAT}")
        common = data.get("common", {})
        return [
            self._probe(entry, common, data["theme"], first + i, f"{where}: probe {_called(entry, i)}")
            for i, entry in enumerate(data["probe"])
        ]

    def _probe(self, entry: Any, common: Table, theme: str, number: int, where: str) -> Probe:
        _only(entry, {"id": str, "why": str, "right": list, "position": dict}, {}, where)
        try:
            game = self.build(self.merged(common, entry["position"]))
            right = self._right_actions(game, entry["right"])
        except ProbeError as error:
            raise ProbeError(f"{where}: {error}") from None
        except OverflowError as error:  # a number that no field of a game holds
            raise ProbeError(f"{where}: position: {error}") from None
        return Probe(number, entry["id"], theme, entry["why"], right, game)

    def _right_actions(self, game: Any, right: Sequence[Any]) -> tuple[int, ...]:
        legal = game.legal_actions()
        found: set[int] = set()
        for i, wanted in enumerate(right):
            kind = wanted.get("kind") if isinstance(wanted, dict) else None
            known = self.move_fields.get(kind) if type(kind) is str else None
            if known is None or set(wanted) - {"kind"} - known:
                raise ProbeError(f"right[{i}]: not a move: {wanted!r}")
            named = [action for action in legal if _is(game.move(action), wanted)]
            if not named:
                raise ProbeError(f"right[{i}]: no legal move is {wanted!r}")
            found.update(named)
        if len(found) == len(legal):
            raise ProbeError("right: every legal move would be right")
        return tuple(sorted(found))


def _called(entry: Any, i: int) -> str:
    return repr(entry["id"]) if isinstance(entry, dict) and "id" in entry else f"[{i}]"


def _only(entry: Any, needed: Mapping[str, type], optional: Mapping[str, type], where: str) -> None:
    if not isinstance(entry, dict):
        raise ProbeError(f"{where}: expected a table, not {entry!r}")
    known = {**needed, **optional}
    for key, value in entry.items():
        if key not in known:
            raise ProbeError(f"{where}: {key}: unknown field; known: {', '.join(known)}")
        if type(value) is not known[key]:
            raise ProbeError(f"{where}: {key}: expected {known[key].__name__}, not {value!r}")
    for key in needed:
        if not entry.get(key):
            raise ProbeError(f"{where}: {key}: is missing")


def _is(move: Table, wanted: Table) -> bool:
    def plain(value: Any) -> Any:
        return sorted(value) if isinstance(value, list) else value

    return all(key in move and plain(move[key]) == plain(value) for key, value in wanted.items())
