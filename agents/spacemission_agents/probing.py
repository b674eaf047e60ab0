"""Reads probes (positions with known right moves), asks agents for moves, and scores the answers.

A probe file is TOML, such as data/probes_*.toml in a game's folder. It holds probes of one theme. The table
`common` has fields that all positions share:

    format = 1
    theme = "sets"
    [common]                     # fields of a position; the game defines them
    [[probe]]
    id = "third-alien"
    why = "One sentence: why the move is right."
    right = [{ kind = "take", tile = "alien_brown" }]
    position = { hand = "J1S2", phase = "discover" }

A right move has the form of a move in game records (docs/records.md); a missing field matches every value.
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
from spacemission_env.core.game import Game
from spacemission_env.core.reading import PROBES_BYTES, Json, parse_toml, read_bytes
from spacemission_env.core.rng import hash63

FORMAT = 1  # version of the file format
REPEAT = 8


class ProbeError(SpaceMissionError):
    """A probe is invalid; the message names the probe and the field."""


@dataclass(frozen=True)
class Probe:
    """One position and its right moves."""

    number: int  # index among all loaded probes; decision keys are derived from it
    id: str
    theme: str
    why: str  # why the right moves are right, in a sentence
    right: tuple[int, ...]  # action indices, ascending
    game: Game  # the position; play in a copy


@dataclass(frozen=True)
class Answers:
    """The actions of an agent in one probe, one for each repetition."""

    probe: Probe
    actions: tuple[int, ...]

    @property
    def score(self) -> float:
        """Share of right answers."""
        return sum(action in self.probe.right for action in self.actions) / len(self.actions)


def themes_of(probes: Sequence[Probe]) -> list[str]:
    return list(dict.fromkeys(probe.theme for probe in probes))


def of_theme(probes: Sequence[Probe], theme: str | None) -> list[Probe]:
    """The probes of one theme (None: all); ProbeError if there is no such theme."""
    if theme is not None and theme not in themes_of(probes):
        raise ProbeError(f"theme {theme!r}: unknown; known: {', '.join(themes_of(probes))}")
    return [probe for probe in probes if theme in (None, probe.theme)]


def ask(agent: Agent, name: str, probe: Probe, keys: Sequence[int]) -> list[int]:
    """The actions of an agent in this probe, one for each key.

    AgentError: the agent failed or played an illegal move.
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
    """A different decision key for each repetition."""
    return [int(hash63(hash63(seed, probe.number, 0), i, 0)) for i in range(repeat)]


def ask_all(
    spec: str | Agent, probes: Sequence[Probe], seed: int = 0, repeat: int = REPEAT, called: str | None = None
) -> list[Answers]:
    """Ask an agent for a move in each probe, `repeat` times; `called`: name of the agent in messages.

    AgentError: the agent cannot be made, does not fit the game, fails or plays an illegal move.
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
    """`score` and number of `probes`, overall and by theme."""
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

Table = Mapping[str, Any]  # a TOML table


@dataclass(frozen=True)
class ProbeFiles:
    """Reads the probe files of a game."""

    package: str  # the package in whose folder `data` the game's own files are
    build: Callable[[Table], Game]  # makes a game from a position's fields, or raises ProbeError
    move_fields: Mapping[str, set[str]]  # by kind of a right move: its other fields
    merged: Callable[[Table, Table], Table]  # joins the fields of `common` and of a probe

    def load(self, paths: Sequence[str | Path] | None = None) -> list[Probe]:
        """The probes of these files; None: of the game's own. ProbeError if one is invalid."""
        probes: list[Probe] = []
        for name, text in self._texts(paths):
            probes += self._parse(text, name, len(probes))
        seen: set[str] = set()
        for probe in probes:
            if probe.id in seen:
                raise ProbeError(f"probe {probe.id!r}: id: is used twice")
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

    def _probe(self, entry: Json, common: Table, theme: str, number: int, where: str) -> Probe:
        _only(entry, {"id": str, "why": str, "right": list, "position": dict}, {}, where)
        try:
            game = self.build(self.merged(common, entry["position"]))
            right = self._right_actions(game, entry["right"])
        except ProbeError as error:
            raise ProbeError(f"{where}: {error}") from None
        except OverflowError as error:  # a number too large for its field
            raise ProbeError(f"{where}: position: {error}") from None
        return Probe(number, entry["id"], theme, entry["why"], right, game)

    def _right_actions(self, game: Game, right: Sequence[object]) -> tuple[int, ...]:
        legal = game.legal_actions()
        found: set[int] = set()
        for i, wanted in enumerate(right):
            kind = wanted.get("kind") if isinstance(wanted, dict) else None
            known = self.move_fields.get(kind) if type(kind) is str else None
            if not isinstance(wanted, dict) or known is None or set(wanted) - {"kind"} - known:
                raise ProbeError(f"right[{i}]: not a move: {wanted!r}")
            named = [action for action in legal if _is(game.move(action), wanted)]
            if not named:
                raise ProbeError(f"right[{i}]: no legal move is {wanted!r}")
            found.update(named)
        if len(found) == len(legal):
            raise ProbeError("right: every legal move would be right")
        return tuple(sorted(found))


def _called(entry: object, i: int) -> str:
    return repr(entry["id"]) if isinstance(entry, dict) and "id" in entry else f"[{i}]"


def _only(entry: object, needed: Mapping[str, type], optional: Mapping[str, type], where: str) -> None:
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
    def plain(value: object) -> object:
        return sorted(value) if isinstance(value, list) else value

    return all(key in move and plain(move[key]) == plain(value) for key, value in wanted.items())
