"""Asks an agent probes, and scores its answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from spacemission_env.core.agents import Agent, agent_name, make_agent, prepare_agents
from spacemission_env.core.answers import answered
from spacemission_env.core.errors import AgentError, SpaceMissionError
from spacemission_env.core.rng import hash63

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
