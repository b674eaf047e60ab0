"""Parses mixtures of opponents: names and their shares."""

from __future__ import annotations

from spacemission_env.core.errors import AgentError


def parse_mixture(text: str) -> dict[str, float]:
    """Shares by name from ``"random=0.2,greedy=0.3,latest=0.2,past=0.3"``; they are scaled to sum to 1.

    A name is an agent's spec (`random`, `greedy`, `policy:PATH`, …); a training run also knows `latest` and
    `past`. The share follows the last "=" of an entry.

    Raises:
        AgentError: one line naming the entry.
    """
    shares: dict[str, float] = {}
    for entry in text.split(","):
        name, equals, number = (part.strip() for part in entry.rpartition("="))
        try:
            share = float(number)
        except ValueError:
            share = -1.0
        if not equals or not name or not 0 <= share < float("inf"):
            raise AgentError(f"opponents: {entry.strip()!r}: expected name=share, such as greedy=0.3")
        if name in shares:
            raise AgentError(f"opponents: {name!r} is named twice")
        shares[name] = share
    total = sum(shares.values())
    if total <= 0:
        raise AgentError("opponents: all shares are 0")
    return {name: share / total for name, share in shares.items() if share > 0}
