"""Many mutated inputs: each is refused in one line, or what is accepted serves to its end."""

from __future__ import annotations

import random
import resource
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from spacemission_env.core.errors import SpaceMissionError
from tests.fuzz import agent_kinds, env_kinds, train_kinds
from tests.fuzz.env_kinds import Kind, is_refusal

ALL: dict[str, type[Kind]] = {**env_kinds.KINDS, **agent_kinds.KINDS, **train_kinds.KINDS}


@dataclass
class Found:
    """What came of it: counts by kind, failures as lines, the slowest reading and the growth of memory."""

    refused: Counter[str] = field(default_factory=Counter)
    accepted: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    slowest: dict[str, tuple[float, int]] = field(default_factory=dict)
    growth_mb: float = 0.0

    def report(self) -> str:
        """A line for each kind and one for all."""
        lines = [f"{'kind':12} {'refused':>8} {'accepted':>8} {'slowest ms':>11} (case)"]
        for name in sorted({*self.refused, *self.accepted}):
            seconds, number = self.slowest[name]
            counts = f"{self.refused[name]:8} {self.accepted[name]:8}"
            lines.append(f"{name:12} {counts} {1000 * seconds:11.1f} ({number})")
        total = self.refused.total() + self.accepted.total()
        slowest = max((seconds for seconds, _ in self.slowest.values()), default=0.0)
        lines.append(
            f"{total} inputs, {len(self.failures)} failures; slowest {1000 * slowest:.0f} ms of processor; "
            f"memory grew by {self.growth_mb:.0f} MB"
        )
        return "\n".join([*self.failures[:40], *lines])


def fuzz(count: int, seed: int, names: Sequence[str], only: int | None = None) -> Found:
    """So many mutated inputs of these kinds; the same seed gives the same ones."""
    found = Found()
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory(prefix="fuzz-") as place:
        kinds: dict[str, Kind] = {}
        for name in names:
            folder = Path(place) / name
            folder.mkdir()
            kinds[name] = ALL[name](random.Random(f"{seed}:{name}"), folder)
        shares = [kinds[name].share for name in names]
        before = 0
        for case in range(count) if only is None else [only]:
            rng = random.Random(f"{seed}:{case}")
            name = rng.choices(list(names), shares)[0]
            _try(kinds[name], name, rng, case, found, only is not None)
            if case == 200 or not before:  # what is loaded at the first use is not of the inputs
                before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        found.growth_mb = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    return found


def _try(kind: Kind, name: str, rng: random.Random, case: int, found: Found, loud: bool) -> None:
    value = kind.mutate(rng)
    began = time.process_time()
    try:
        read = kind.read(value)
    except SpaceMissionError as error:
        found.refused[name] += 1
        if not is_refusal(error):
            found.failures.append(f"case {case}, {name}: not one line: {error!r}")
        if loud:
            print(f"{name}: refused: {error}")
        return
    except Exception as error:
        _failed(found, case, name, "reading", error, loud)
        return
    finally:
        seconds = time.process_time() - began
        found.slowest[name] = max(found.slowest.get(name, (0.0, 0)), (seconds, case))
    found.accepted[name] += 1
    try:
        kind.use(rng, read)
    except Exception as error:
        _failed(found, case, name, "use of what was accepted", error, loud)


def _failed(found: Found, case: int, name: str, what: str, error: Exception, loud: bool) -> None:
    if loud:
        traceback.print_exception(error)
    last = traceback.extract_tb(error.__traceback__)[-1]
    text = " ".join(str(error).split())[:150]
    where = f"{Path(last.filename).name}:{last.lineno}"
    found.failures.append(f"case {case}, {name}: {what}: {type(error).__name__}: {text} ({where})")
