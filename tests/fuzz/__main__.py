"""`python -m tests.fuzz COUNT [--seed N] [--kinds saved,record] [--case K]`: see `tests.fuzz.runner`."""

import argparse
import sys

from tests.fuzz.runner import ALL, fuzz, run

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kinds", default=",".join(ALL))
    parser.add_argument("--case", type=int, help="only this one, with its traceback")
    parser.add_argument("--first", type=int, help=argparse.SUPPRESS)  # of the process that `fuzz` starts
    given = parser.parse_args()
    kinds = given.kinds.split(",")
    if given.case is not None or given.first is not None:
        cases = range(given.first, given.count) if given.case is None else [given.case]
        run(cases, given.seed, kinds, given.case is not None)
        sys.exit()
    found = fuzz(given.count, given.seed, kinds)
    print(found.report())
    sys.exit(bool(found.failures or found.growth_mb > 200))
