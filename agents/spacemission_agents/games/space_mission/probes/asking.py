"""Probes: hand-made positions with the moves that are right, and how often an agent finds them.

A probe file (TOML, format 1; the package's own are data/probes_*.toml) holds probes of one theme. Its
table `common` gives what the positions share; a probe names what differs:

    format = 1
    theme = "sets"
    [common]                     # fields of a position (fields.py)
    [[probe]]
    id = "third-alien"
    why = "One sentence: what a strong player sees."
    right = [{ kind = "take", tile = "alien_brown" }]
    position = { hand = "J1S2", phase = "discover" }

A right move is written as records name moves (docs/records.md); what it leaves out may be
anything: `{ kind = "jump", planet = "Hazard" }` is a jump there with any card.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from spacemission_agents.games.space_mission.probes.fields import ProbeError
from spacemission_agents.games.space_mission.probes.positions import build_position
from spacemission_env.core.agents_api import Agent, agent_name, make_agent, prepare_agents
from spacemission_env.core.answers import answered
from spacemission_env.core.errors import AgentError
from spacemission_env.core.reading import PROBES_BYTES, parse_toml, read_bytes
from spacemission_env.core.rng import hash63
from spacemission_env.games.space_mission.game import Game

FORMAT = 1
REPEAT = 8
MOVE_FIELDS = {
    "top_up": {"discard"},
    "jump": {"card", "planet"},
    "fly": {"planet"},
    "scan": {"card"},
    "develop": {"cards"},
    "discover": set(),
    "take": {"tile"},
}


@dataclass(frozen=True)
class Probe:
    """One position and its right moves.

    Attributes:
        number: place among all probes loaded; decision keys are made of it.
        theme: what it is about.
        why: why the right moves are right, in a sentence.
        right: legal action indices that count as right, ascending.
        game: the position; never played on, copies are.
    """

    number: int
    id: str
    theme: str
    why: str
    right: tuple[int, ...]
    game: Game


@dataclass(frozen=True)
class Answers:
    """What an agent played in one probe, an action index for each repetition."""

    probe: Probe
    actions: tuple[int, ...]

    @property
    def score(self) -> float:
        """Share of right answers."""
        return sum(action in self.probe.right for action in self.actions) / len(self.actions)


# ---------------------------------------------------------------- loading


def load_probes(paths: Sequence[str | Path] | None = None) -> list[Probe]:
    """The probes of these files, or the package's own, in order.

    Raises:
        ProbeError: one line that names the file, the probe and the field.
    """
    probes: list[Probe] = []
    for name, text in _texts(paths):
        probes += _parse(text, name, len(probes))
    seen: set[str] = set()
    for probe in probes:
        if probe.id in seen:
            raise ProbeError(f"probe {probe.id!r}: id: stands twice")
        seen.add(probe.id)
    return probes


def themes_of(probes: Sequence[Probe]) -> list[str]:
    """Their themes, in the order in which they first come."""
    return list(dict.fromkeys(probe.theme for probe in probes))


def of_theme(probes: Sequence[Probe], theme: str | None) -> list[Probe]:
    """The probes of one theme (None: all); ProbeError where there is no such theme."""
    if theme is not None and theme not in themes_of(probes):
        raise ProbeError(f"theme {theme!r}: unknown; known: {', '.join(themes_of(probes))}")
    return [probe for probe in probes if theme in (None, probe.theme)]


def _texts(paths: Sequence[str | Path] | None) -> list[tuple[str, bytes]]:
    if paths is not None:
        return [(str(path), read_bytes(path, PROBES_BYTES, ProbeError, str(path))) for path in paths]
    folder = resources.files("spacemission_agents.games.space_mission") / "data"
    files = sorted((f for f in folder.iterdir() if f.name.startswith("probes_")), key=lambda f: f.name)
    return [(file.name, file.read_bytes()) for file in files]


def _parse(text: bytes, where: str, first: int) -> list[Probe]:
    data = parse_toml(text, ProbeError, where)
    _only(data, {"format": int, "theme": str, "probe": list}, {"common": dict}, where)
    if data["format"] != FORMAT:
        raise ProbeError(f"{where}: format: {data['format']!r} is not known, this version reads {FORMAT}")
    common = data.get("common", {})
    return [
        _probe(entry, common, data["theme"], first + i, f"{where}: probe {_called(entry, i)}")
        for i, entry in enumerate(data["probe"])
    ]


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


def _probe(entry: Any, common: Mapping[str, Any], theme: str, number: int, where: str) -> Probe:
    _only(entry, {"id": str, "why": str, "right": list, "position": dict}, {}, where)
    try:
        game = build_position(_merged(common, entry["position"]))
        right = _right_actions(game, entry["right"])
    except ProbeError as error:
        raise ProbeError(f"{where}: {error}") from None
    except OverflowError as error:  # a number that no field of a game holds
        raise ProbeError(f"{where}: position: {error}") from None
    return Probe(number, entry["id"], theme, entry["why"], right, game)


def _merged(common: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Own fields over the common ones; planets one by one."""
    planets = {**common.get("planets", {}), **own.get("planets", {})}
    return {**common, **own, **({"planets": planets} if planets else {})}


def _right_actions(game: Game, right: Sequence[Any]) -> tuple[int, ...]:
    legal = game.legal_actions()
    found: set[int] = set()
    for i, wanted in enumerate(right):
        kind = wanted.get("kind") if isinstance(wanted, dict) else None
        if kind not in MOVE_FIELDS or set(wanted) - {"kind"} - MOVE_FIELDS[kind]:
            raise ProbeError(f"right[{i}]: not a move: {wanted!r}")
        named = [action for action in legal if _is(game.move(action), wanted)]
        if not named:
            raise ProbeError(f"right[{i}]: no legal move is {wanted!r}")
        found.update(named)
    if len(found) == len(legal):
        raise ProbeError("right: every legal move would be right")
    return tuple(sorted(found))


def _is(move: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    def plain(value: Any) -> Any:
        return sorted(value) if isinstance(value, list) else value

    return all(key in move and plain(move[key]) == plain(value) for key, value in wanted.items())


# ---------------------------------------------------------------- asking


def ask(agent: Agent, name: str, probe: Probe, keys: Sequence[int]) -> list[int]:
    """What an agent plays in this probe, asked once with each key: legal action indices.

    Raises:
        AgentError: one line that names the agent: it failed, or played an illegal move.
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
    """A fresh decision key for each repetition: hash63(hash63(seed, number, 0), repetition, 0)."""
    return [int(hash63(hash63(seed, probe.number, 0), i, 0)) for i in range(repeat)]


def ask_all(
    spec: str | Agent, probes: Sequence[Probe], seed: int = 0, repeat: int = REPEAT, called: str | None = None
) -> list[Answers]:
    """Ask an agent every probe `repeat` times; `called`: its name in messages.

    Raises:
        AgentError: an agent that cannot be made, does not fit the game, fails or plays an illegal move.
    """
    agent, answers = make_agent(spec), []
    for probe in probes:
        prepare_agents([agent], probe.game.info)
        actions = ask(agent, called or agent_name(spec), probe, keys_of(probe, seed, repeat))
        answers.append(Answers(probe, tuple(actions)))
    return answers


def summary(answers: Sequence[Answers]) -> dict[str, Any]:
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
