"""How often the sequential test errs, in simulated matches: its promise is at most alpha and beta.

`python -m tests.agents.sequential_errors [MATCHES]` plays so many matches (default 2000) of each kind at both
claims, 0 and 10 Elo as the command has them, and takes minutes; test_sequential.py plays shorter ones, of
claims further apart.
"""

from __future__ import annotations

import sys
from math import sqrt

from spacemission_agents.arena.sequential import Sequential
from tests.support.simulated_matches import KINDS, matches


def main() -> None:
    """Print the error rates of each kind, with the bound that they have to keep."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    test, kept = Sequential(0, 10), True
    for n, (name, kind) in enumerate(KINDS.items()):
        for elo, bound in ((test.elo0, test.alpha), (test.elo1, test.beta)):
            found, blocks = matches(test, kind, elo, count, seed=100 + n)
            wrong = float((found != (elo == test.elo1)).mean())
            noise = sqrt(wrong * (1 - wrong) / count)
            kept = kept and wrong <= bound
            print(
                f"{name}: at {elo:+g} Elo {wrong:.2%} of {count} matches wrong (± {1.96 * noise:.2%}), "
                f"bound {bound:.0%}; {blocks.mean():.0f} blocks on average",
                flush=True,
            )
    sys.exit(not kept)


if __name__ == "__main__":
    main()
