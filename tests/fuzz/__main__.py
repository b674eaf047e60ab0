"""`python -m tests.fuzz COUNT [--seed N] [--kinds saved,record] [--case K]`: see `tests.fuzz.runner`."""

from __future__ import annotations

import argparse
import sys

from tests.fuzz.runner import ALL, fuzz

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kinds", default=",".join(ALL))
    parser.add_argument("--case", type=int, help="only this one, with its traceback")
    given = parser.parse_args()
    found = fuzz(given.count, given.seed, given.kinds.split(","), given.case)
    print(found.report())
    sys.exit(bool(found.failures or found.growth_mb > 200))
