"""Compares three trainers: `python -m studies.compare --steps 300000 --out DIR`.

`sb3` is `spacemission train`, `rllib` is the same on Ray RLlib, `plain` is the script plain_sb3.py. They
train one after the other, each in its own process, with the same network, input and budget. Then all models
are measured on the same set-ups. Other differences: studies/notes/comparison.md.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import typer

from spacemission_env.cli import STOPPED, complain, in_words
from spacemission_env.commands.shared import Players, Seed
from spacemission_env.core.errors import SpaceMissionError
from spacemission_env.core.game_spec import find_game
from spacemission_train.game_training import find_game_training
from spacemission_train.run.evaluation import win_share
from spacemission_train.run.folder import new_folder, write_atomically
from spacemission_train.run.torch_settings import idle_threads
from spacemission_train.settings.experiment import made_with
from spacemission_train.settings.presets import make_settings

ENGINES = ("sb3", "rllib", "plain")
REPORT = "compare.json"
RULES = "printed"
# The network that all three have. Evaluations during a run are kept small: they take time from --minutes,
# and what counts is measured afterwards.
SETTINGS = (
    "input=observation",
    "planets=0",
    "hidden=[256, 256]",
    f"rules={RULES}",
    "evaluation_games=20",
    "final_games=20",
)
TRAINED, MISSING, FAILED = "trained", "not installed", "failed"
Result = dict[str, Any]

YARDSTICKS = find_game_training().yardsticks


@dataclass(frozen=True)
class Comparison:
    """What is compared.

    Attributes:
        out: folder of the runs and of compare.json.
        steps, minutes: the budget of each; exactly one is given.
        games: of each model against each of random, greedy and heuristic.
        players, seed: as for `Settings`.
        threads: of torch, in each.
        workers: processes that play, on RLlib.
    """

    out: Path
    steps: int | None
    minutes: float | None
    games: int
    players: int
    seed: int
    threads: int
    workers: int

    def command(self, engine: str) -> list[str]:
        """Arguments of Python that train on one of `ENGINES`, into OUT/ENGINE."""
        limit = ["--steps", self.steps] if self.steps else ["--minutes", self.minutes]
        common = [*limit, "--players", self.players, "--seed", self.seed, "--threads", self.threads]
        folder = self.out / engine
        if engine == "plain":
            return list(map(str, ["-m", "studies.plain_sb3", *common, "--out", folder / "model"]))
        sets = [part for setting in SETTINGS for part in ("--set", setting)]
        of = ["--engine", "rllib", "--workers", self.workers] if engine == "rllib" else []
        train = ["-m", "spacemission_env", "train", "--preset", "quick", *sets, *common, *of]
        return list(map(str, [*train, "--out", folder, "--json"]))


def compare(what: Comparison, engines: list[str], said: Any = print) -> dict[str, Any]:
    """Train and measure, one engine after the other; return the content of compare.json.

    compare.json is written after each engine, so a stopped comparison keeps its results.

    Args:
        what: to compare.
        engines: of `ENGINES`, in the order in which they run.
        said: gets a line as each begins.

    Raises:
        SpaceMissionError: an engine that does not exist, or a folder that exists and is not empty.
    """
    unknown = [engine for engine in engines if engine not in ENGINES]
    if unknown or not engines or len(set(engines)) < len(engines):
        known = ", ".join(ENGINES)
        raise SpaceMissionError(f"--engines: expected different ones of {known}, not {','.join(engines)!r}")
    new_folder(what.out)
    report: dict[str, Any] = {
        "type": "comparison",
        **{name: value for name, value in vars(what).items() if name != "out"},
        "made_with": made_with(make_settings(threads=what.threads)),
        "engines": {},
    }
    for engine in engines:
        said(f"training {engine}, log in {what.out / engine}.log")
        report["engines"][engine] = result = _train(what, engine)
        if result["state"] == TRAINED:
            said(f"measuring {engine}, {what.games} games against each of {', '.join(YARDSTICKS)}")
            result["results"] = _measure(what, result["model"])
        write_atomically(what.out / REPORT, (json.dumps(report, indent=2) + "\n").encode())
    return report


def _train(what: Comparison, engine: str) -> Result:
    # What a run says of itself is the last line of its output; Ray's processes may write before it.
    command = [sys.executable, *what.command(engine)]
    log = what.out / f"{engine}.log"
    began = perf_counter()
    with open(log, "wb") as errors:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=errors, check=False)
    whole = perf_counter() - began
    result: Result = {"state": TRAINED, "command": shlex.join(["python", *command[1:]])}
    if done.returncode:
        lines = log.read_text("utf-8", "replace").split("\n")
        reason = next((line for line in reversed(lines) if line.strip()), f"exit status {done.returncode}")
        missing = "is needed: pip install" in reason
        return result | {"state": MISSING if missing else FAILED, "reason": reason.strip()}
    told = json.loads(done.stdout.decode().strip().splitlines()[-1])
    seconds = told["training_seconds"]
    return result | {
        "model": told["model"],
        "steps": told["steps"],
        "seconds": round(seconds, 1),
        "steps_per_second": round(told["steps"] / seconds),
        "process_seconds": round(whole, 1),
    }


def _measure(what: Comparison, model: str) -> dict[str, Any]:
    from spacemission_env.core.agents import make_agent

    agent, spec = make_agent(f"policy:{model}"), find_game()
    rules, components = spec.make_rules(RULES), spec.load_components(None)
    return {
        name: win_share(agent, name, what.players, what.games, what.seed, rules, components).to_json()
        for name in YARDSTICKS
    }


def table(report: dict[str, Any]) -> str:
    """The report as a table in Markdown; shares in per cent with their 95 % interval."""
    head = ["trainer", "steps", "seconds", "steps/s", *(f"wins against {name}" for name in YARDSTICKS)]
    rows = [head, ["---"] * len(head)]
    for engine, of in report["engines"].items():
        if of["state"] != TRAINED:
            rows.append([engine, f"{of['state']}: {of['reason']}", *[""] * (len(head) - 2)])
            continue
        shares = [of["results"][name] for name in YARDSTICKS]
        figures = [str(of["steps"]), f"{of['seconds']:.0f}", str(of["steps_per_second"])]
        rows.append([engine, *figures, *map(_share, shares)])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _share(result: dict[str, Any]) -> str:
    return f"{result['share']:.1%} ({100 * result['low']:.1f} to {100 * result['high']:.1f})"


def main(
    out: Annotated[Path, typer.Option("--out", help="Folder of the runs, new or empty.")],
    steps: Annotated[int | None, typer.Option("--steps", min=1, help="Learner steps of each.")] = None,
    minutes: Annotated[
        float | None, typer.Option("--minutes", min=0.001, help="Minutes of each, in place of --steps.")
    ] = None,
    engines: Annotated[str, typer.Option("--engines", help="Which, by comma.")] = ",".join(ENGINES),
    games: Annotated[int, typer.Option("--games", min=2, help="Games of each measurement.")] = 4000,
    players: Players = 2,
    threads: Annotated[
        int | None, typer.Option("--threads", min=1, help="Of torch; default: 2 where two cores are idle.")
    ] = None,
    workers: Annotated[int, typer.Option("--workers", min=1, help="Of rllib: processes that play.")] = 2,
    seed: Seed = 1,
) -> None:
    """Train with each engine on one budget, measure the models, print a table, write OUT/compare.json."""
    if (steps is None) == (minutes is None):
        raise typer.BadParameter("give one of --steps and --minutes: the budget of each")
    threads = threads or idle_threads()
    what = Comparison(out, steps, minutes, games, players, seed, threads, workers)
    names = [name.strip() for name in engines.split(",") if name.strip()]
    try:
        report = compare(what, names, lambda line: print(line, file=sys.stderr, flush=True))
    except KeyboardInterrupt:
        complain(f"stopped; {out / REPORT} has the engines that were finished, if any")
        raise typer.Exit(STOPPED) from None
    print(table(report))
    if any(of["state"] == FAILED for of in report["engines"].values()):
        raise SpaceMissionError(f"not all engines could be trained; their logs are in {out}")


if __name__ == "__main__":
    try:
        typer.run(main)
    except SpaceMissionError as refused:
        complain(in_words(refused))
        sys.exit(1)
