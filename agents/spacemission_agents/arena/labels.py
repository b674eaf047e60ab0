"""What an agent is called, and what it is made from: `label=spec`, or a spec, which is its own name.

A label tells two agents of one spec apart and makes tables readable. In `policy:runs/lr=0.1/model` there is
none: a label stands before the first colon.
"""

from __future__ import annotations

from collections.abc import Iterable

from spacemission_env.core.agents_api import Agent
from spacemission_env.core.errors import AgentError, shown

LONGEST = 60  # characters of a label


def _parts(text: str) -> tuple[str | None, str]:
    label, equals, spec = text.partition("=")
    if not equals or ":" in label:
        return None, text
    return label.strip(), spec.strip()


def agent_name(agent: str | Agent) -> str:
    """What an agent is called in tables, records and messages: its label, else its spec."""
    if not isinstance(agent, str):
        return type(agent).__name__
    label, spec = _parts(agent)
    return spec if label is None else label


def agent_spec(agent: str | Agent) -> str | Agent:
    """What `make_agent` takes: without the label."""
    return _parts(agent)[1] if isinstance(agent, str) else agent


def spec_text(agent: str) -> str:
    """The same of an agent given as text."""
    return _parts(agent)[1]


def check_labels(agents: Iterable[str | Agent]) -> None:
    """Refuse labels that cannot be, and one name for two different agents.

    Raises:
        AgentError: one line that names the label.
    """
    called: dict[str, str] = {}
    for agent in agents:
        if not isinstance(agent, str):
            continue
        label, spec = _parts(agent)
        if label is not None and (not label or len(label) > LONGEST or not label.isprintable()):
            raise AgentError(
                f"agents: {shown(agent)}: expected 1 to {LONGEST} printable characters before the ="
            )
        name = agent_name(agent)
        if called.setdefault(name, spec) != spec:
            raise AgentError(f"agents: {name!r} is the name of two agents, {called[name]!r} and {spec!r}")
