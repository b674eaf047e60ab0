"""What an agent of the arena is made from: `label=spec`, or a spec, which is its own name.

A label tells two agents of one spec apart and makes tables readable.
"""

from __future__ import annotations

from collections.abc import Iterable

from spacemission_env.core.agents_api import Agent
from spacemission_env.core.answers import agent_name, label_and_spec
from spacemission_env.core.errors import AgentError, shown

LONGEST = 60  # characters of a label


def agent_spec(agent: str | Agent) -> str | Agent:
    """What `make_agent` takes: without the label."""
    return spec_text(agent) if isinstance(agent, str) else agent


def spec_text(agent: str) -> str:
    """The same of an agent given as text."""
    return label_and_spec(agent)[1]


def check_labels(agents: Iterable[str | Agent]) -> None:
    """Refuse labels that cannot be, and one name for two different agents.

    Raises:
        AgentError: one line that names the label.
    """
    called: dict[str, str] = {}
    for agent in agents:
        if not isinstance(agent, str):
            continue
        label, spec = label_and_spec(agent)
        if label is not None and (not label or len(label) > LONGEST or not label.isprintable()):
            raise AgentError(
                f"agents: {shown(agent)}: expected 1 to {LONGEST} printable characters before the ="
            )
        name = agent_name(agent)
        if called.setdefault(name, spec) != spec:
            raise AgentError(f"agents: {name!r} is the name of two agents, {called[name]!r} and {spec!r}")
