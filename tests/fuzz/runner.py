"""Runs many mutated inputs: each input is refused in one line or can be used without an error."""

import json
import random
import resource
import select
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path

from spacemission_env.core.errors import SpaceMissionError
from tests.fuzz import agent_kinds, env_kinds, train_kinds
from tests.fuzz.env_kinds import Kind, is_refusal
from tests.support.paths import ROOT

ALL: dict[str, Callable[[random.Random, Path], Kind]] = {
    **env_kinds.KINDS,
    **agent_kinds.KINDS,
    **train_kinds.KINDS,
}

SILENT = 900  # seconds of a case, with what is compiled for it


@dataclass
class Found:
    """The results: counts by kind, failures as lines, the slowest read and the growth of memory."""

    refused: Counter[str] = field(default_factory=Counter)
    accepted: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    slowest: dict[str, tuple[float, int]] = field(default_factory=dict)
    growth_mb: float = 0.0

    def add(self, case: int, name: str, what: str, seconds: float, failure: str) -> None:
        """Add the result of a case."""
        self.refused[name] += what == "refused"
        self.accepted[name] += what == "accepted"
        self.slowest[name] = max(self.slowest.get(name, (0.0, 0)), (seconds, case))
        self.failures += [failure] if failure else []

    def report(self) -> str:
        """A line for each kind and one for all."""
        lines = [f"{'kind':20} {'refused':>8} {'accepted':>8} {'slowest ms':>11} (case)"]
        for name in sorted(self.slowest):
            seconds, number = self.slowest[name]
            counts = f"{self.refused[name]:8} {self.accepted[name]:8}"
            lines.append(f"{name:20} {counts} {1000 * seconds:11.1f} ({number})")
        total = self.refused.total() + self.accepted.total()
        slowest = max((seconds for seconds, _ in self.slowest.values()), default=0.0)
        lines.append(
            f"{total} inputs, {len(self.failures)} failures; slowest {1000 * slowest:.0f} ms of processor; "
            f"memory grew by {self.growth_mb:.0f} MB"
        )
        return "\n".join([*self.failures[:40], *lines])


def fuzz(count: int, seed: int, names: Sequence[str]) -> Found:
    """Run mutated inputs of these kinds in a separate process; equal seeds give equal inputs.

    The process reports the result of each case. If the process crashes or is silent for `SILENT` seconds, the
    current case has failed, and another process continues after this case.
    """
    found, first = Found(), 0
    while first < count:
        command = [sys.executable, "-m", "tests.fuzz", str(count), "--seed", str(seed)]
        command += ["--kinds", ",".join(names), "--first", str(first)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, bufsize=0, cwd=ROOT) as process:
            assert process.stdout is not None
            began = first
            while select.select([process.stdout], [], [], SILENT)[0] and (line := process.stdout.readline()):
                if line.startswith(b"["):
                    found.add(*json.loads(line))
                    first += 1
                else:
                    found.growth_mb = max(found.growth_mb, float(line))
            process.kill()
        if first < count:
            found.failures.append(f"case {first}: crash or silence, exit code {process.returncode}")
            if first == began == 0:  # the kinds themselves cannot be made
                break
            first += 1
    return found


def run(cases: Iterable[int], seed: int, names: Sequence[str], loud: bool = False) -> None:
    """Run cases in this process; print a line of JSON for each, and at last the growth of memory."""
    warnings.simplefilter("ignore")
    out = sys.stdout  # what is read prints nothing there
    with redirect_stdout(sys.stderr), tempfile.TemporaryDirectory(prefix="fuzz-") as place:
        kinds: dict[str, Kind] = {}
        for name in names:
            folder = Path(place) / name
            folder.mkdir()
            kinds[name] = ALL[name](random.Random(f"{seed}:{name}"), folder)
        shares = [kinds[name].share for name in names]
        before = 0
        for number, case in enumerate(cases):
            rng = random.Random(f"{seed}:{case}")
            name = rng.choices(list(names), shares)[0]
            print(json.dumps([case, name, *_try(kinds[name], name, rng, case, loud)]), file=out, flush=True)
            if number == 200 or not before:  # what is loaded at the first use is not of the inputs
                before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024, file=out)


def _try(kind: Kind, name: str, rng: random.Random, case: int, loud: bool) -> tuple[str, float, str]:
    """Whether the input was refused, accepted or failed, the seconds of the read, and any failure."""
    value = kind.mutate(rng)
    began = time.process_time()
    try:
        read = kind.read(value)
    except SpaceMissionError as error:
        if loud:
            print(f"{name}: refused: {error}")
        wrong = "" if is_refusal(error) else f"case {case}, {name}: not one line: {error!r}"
        return "refused", time.process_time() - began, wrong
    except Exception as error:
        return "failed", time.process_time() - began, _failed(case, name, "reading", error, loud)
    seconds = time.process_time() - began
    try:
        kind.use(rng, read)
    except Exception as error:
        return "accepted", seconds, _failed(case, name, "use of what was accepted", error, loud)
    return "accepted", seconds, ""


def _failed(case: int, name: str, what: str, error: Exception, loud: bool) -> str:
    if loud:
        traceback.print_exception(error)
    last = traceback.extract_tb(error.__traceback__)[-1]
    text = " ".join(str(error).split())[:150]
    where = f"{Path(last.filename).name}:{last.lineno}"
    return f"case {case}, {name}: {what}: {type(error).__name__}: {text} ({where})"
