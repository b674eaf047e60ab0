"""A training run: self-play with MaskablePPO, evaluations, checkpoints, and going on where it stopped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any

from stable_baselines3.common.logger import configure

from spacemission_agents.arena import check_agents
from spacemission_agents.model_card import weights_digest
from spacemission_agents.model_folder import load_model
from spacemission_env.agents_api import Agent
from spacemission_env.components import load_components
from spacemission_env.options import make_rules
from spacemission_train import exploit
from spacemission_train.evaluation import WinShare, win_share
from spacemission_train.imitate import imitate
from spacemission_train.networks import NetworkPlayer, network_arrays, policy_arrays
from spacemission_train.opponents import Pool
from spacemission_train.parts import idle_threads, make_env, make_model, torch_settings
from spacemission_train.presets import Settings, settings_from_json
from spacemission_train.resume_state import ResumeError, read_state, restore_state, save_state
from spacemission_train.run_folder import (
    STATE_FILE,
    checkpoint_folder,
    columns,
    draw_curve,
    prepare,
    result_name,
    save_network,
    write_progress,
    write_settings,
)

YARDSTICKS = ("random", "greedy", "heuristic")  # what an evaluation plays against
MODEL_FOLDER = "model"
CHANGEABLE = ("steps", "minutes", "threads")  # settings that a resumed run may have otherwise

Row = dict[str, Any]


class Run:
    """A training run and its folder; made by `start` or `resume`.

    Attributes:
        settings: what it runs with; `threads` is a number by now.
        out: its folder.
        command: the command line that it was started with; for the model's card.
        rows: one an evaluation so far (`run_folder.COLUMNS`).
        results: the last evaluation.
        target: the frozen agent that an exploiter is trained and measured against; else None.
        exploit: what exploit.json holds, once an exploiter is finished; else None.
        seconds: wall-clock seconds so far, with evaluations; `training`: without.
    """

    def __init__(self, settings: Settings, out: Path, command: str) -> None:
        """Make model, environment and opponents."""
        self.settings = settings if settings.threads else replace(settings, threads=idle_threads())
        self.out, self.command = out, command
        self.rows: list[Row] = []
        self.results: list[WinShare] = []
        self.seconds = self.training = 0.0
        self.components = load_components(settings.components)
        self.exploit: dict[str, Any] | None = None
        self.pool = Pool(settings.mixture, settings.form, settings.pfsp)
        self.target = None if settings.exploit is None else self.pool.fixed[0]
        check_agents(self.pool.fixed, self.components, make_rules(settings.rules))
        self.env = make_env(settings, self.pool)
        self.model = make_model(settings, self.env)
        self.pool.set_latest(policy_arrays(self.model.policy))
        self.env.seed(settings.seed)

    @property
    def steps(self) -> int:
        """Learner steps so far."""
        return self.model.num_timesteps

    @property
    def fraction(self) -> float:
        """How much of the run is done, 0 to 1: of the limit that is nearer."""
        steps, minutes = self.settings.steps, self.settings.minutes
        by_steps = self.steps / steps if steps else 0.0
        by_time = self.seconds / (60 * minutes) if minutes else 0.0
        return min(1.0, max(by_steps, by_time))

    def go_on(self, report: Callable[[Row], None], advance: Callable[[float], None]) -> None:
        """Train up to the limit; `report` gets each evaluation's row, `advance` the fraction just done."""
        self.model.set_logger(configure(str(self.out / "tensorboard"), ["tensorboard"]))
        if self.steps == 0 and self.settings.imitate is not None:
            self._imitate()
        advance(self.fraction)
        while self.fraction < 1.0:
            before, began = self.fraction, perf_counter()
            self._update()
            self.training += perf_counter() - began
            self.seconds += perf_counter() - began
            if self.fraction < 1.0 and self.steps >= self._next_checkpoint():
                self._checkpoint(self.settings.evaluation_games)
                report(self.rows[-1])
            advance(self.fraction - before)
        if not self.rows or self.rows[-1]["steps"] < self.steps:
            self._checkpoint(self.settings.final_games)
            report(self.rows[-1])
        elif self.results[0].games < self.settings.final_games:  # stopped there, and now to end there
            self.results = self._measure(self.settings.final_games)
        if self.target is not None:
            self.exploit = exploit.write_result(self)
        self._save_network(self.out / MODEL_FOLDER)  # the last: its folder says that the run is finished

    def _imitate(self) -> None:
        began = perf_counter()
        agreement = imitate(self.settings, self.model.policy)
        self.model.logger.record("imitation/agreement", agreement)
        arrays = policy_arrays(self.model.policy)
        self.pool.set_latest(arrays)
        self.seconds += perf_counter() - began

    def _update(self) -> None:
        # One rollout and one update. SB3 would anneal within one call of learn(); here every update is
        # a call of its own, so that all between two updates is plain code.
        settings = self.settings
        last = settings.last_learning_rate
        rate = last + (settings.learning_rate - last) * (1 - self.fraction)
        self.model.lr_schedule = lambda _: rate
        last = settings.last_entropy
        self.model.ent_coef = last + (settings.entropy - last) * (1 - self.fraction)
        exploit.warm_up(self.model.policy, settings, self.steps)
        self.model.learn(settings.envs * settings.n_steps, reset_num_timesteps=self.steps == 0)
        self.pool.set_latest(policy_arrays(self.model.policy))

    def _next_checkpoint(self) -> int:
        done = self.rows[-1]["steps"] if self.rows else 0
        return done + self.settings.checkpoint_steps * 2**self.pool.thinned

    def _measure(self, games: int) -> list[WinShare]:
        of = self.settings
        # As policy:PATH plays: the most probable move.
        player = NetworkPlayer(of.form, policy_arrays(self.model.policy), sample=False)
        yardsticks: dict[str, str | Agent] = {name: name for name in YARDSTICKS}
        if self.target is not None:  # the very object, whatever has become of its folder
            yardsticks[str(of.exploit)] = self.target
        return [
            win_share(player, agent, number, games, of.seed, of.rules, self.components, name)
            for number in of.players
            for name, agent in yardsticks.items()
        ]

    def _checkpoint(self, games: int) -> None:
        began = perf_counter()
        self.results = self._measure(games)
        self.pool.add_snapshot(self.steps, policy_arrays(self.model.policy))
        self.seconds += perf_counter() - began
        self.rows.append(self._row())
        self._save_network(checkpoint_folder(self.out, self.steps))
        self.model.remember()
        for result in self.results:
            self.model.logger.record(f"evaluation/{result_name(result)}", result.share)
        self.model.logger.dump(self.steps)
        write_progress(self.out, self.rows)
        draw_curve(self.out, self.rows, self.settings.players)
        self.save_state()

    def _row(self) -> Row:
        return {
            "steps": self.steps,
            "seconds": round(self.seconds, 1),
            "steps_per_second": round(self.steps / self.training) if self.training else 0,
            "games": self.env.games_played,
            "entropy": round(self.model.entropy, 4),
            "win_past": round(float(self.pool.results.mean()), 4),
            **columns(self.results),
            **exploit.target_column(self.settings, self.results),
        }

    def _save_network(self, folder: Path) -> None:
        training = {
            "command": self.command,
            "preset": self.settings.preset,
            "seed": self.settings.seed,
            "steps": self.steps,
            "players": list(self.settings.players),
            "seconds": round(self.seconds, 1),
        }
        save_network(folder, network_arrays(self.model.policy), self.settings, training, self.results)

    def save_state(self) -> None:
        """Write what `resume` needs."""
        run = {
            "settings": self.settings.to_json(),
            "components_sha256": self.components.sha256,
            "target_sha256": weights_digest(self.target),
            "command": self.command,
            "seconds": self.seconds,
            "training": self.training,
            "rows": self.rows,
            "results": [result.to_json() for result in self.results],
            "snapshots": self.pool.snapshots,
            "pool_results": self.pool.results.tolist(),
            "thinned": self.pool.thinned,
        }
        save_state(self.out / STATE_FILE, self.model, self.env, run)

    def restore(self, path: Path, text: dict[str, Any], tensors: dict[str, Any]) -> None:
        """Put a state that was read (`read_state`) into this run, just made with its settings."""
        run = text["run"]
        if run["components_sha256"] != self.components.sha256:
            raise ResumeError(f"{path}: components: the run began with another table of components")
        if run.get("target_sha256") != weights_digest(self.target):
            raise ResumeError(f"{path}: exploit: {self.settings.exploit!r} is another model by now")
        restore_state(path, text, tensors, self.model, self.env)
        self.seconds, self.training = float(run["seconds"]), float(run["training"])
        self.rows, self.results = run["rows"], [WinShare(**result) for result in run["results"]]
        for steps, result in zip(run["snapshots"], run["pool_results"], strict=True):
            self.pool.add_snapshot(steps, load_model(checkpoint_folder(self.out, steps))[1], result)
        self.pool.thinned = int(run["thinned"])
        self.pool.set_latest(policy_arrays(self.model.policy))


def _quiet(_: Any) -> None:
    pass


def start(
    settings: Settings,
    out: str | Path,
    command: str = "",
    report: Callable[[Row], None] = _quiet,
    advance: Callable[[float], None] = _quiet,
) -> Run:
    """Train anew into a folder that does not exist or is empty; returns the finished run.

    Writes OUT/model and OUT/checkpoints/step_N (model folders), progress.csv, curve.png, settings.json,
    tensorboard/, and state.safetensors, from which `resume` goes on.

    Raises:
        SpaceMissionError: one line on the folder, the components or an opponent that was refused.
    """
    out = Path(out)
    settings = settings if settings.threads else replace(settings, threads=idle_threads())
    with torch_settings(settings.threads or 1):
        run = Run(settings, out, command)
        exploit.load_start(settings, run.components, run.model.policy)
        prepare(out, settings)
        run.go_on(report, advance)
    return run


def resume(
    out: str | Path,
    changes: dict[str, Any] | None = None,
    report: Callable[[Row], None] = _quiet,
    advance: Callable[[float], None] = _quiet,
) -> Run:
    """Go on with the run in a folder from its last checkpoint, with its settings; returns the finished run.

    `changes` may hold `steps`, `minutes` (limits of the whole run, both counted from its beginning) and
    `threads`. Without changes the run makes the very steps that it would have made without the stop.

    Raises:
        SpaceMissionError: one line naming the file or the setting.
    """
    out = Path(out)
    path = out / STATE_FILE
    text, tensors = read_state(path)
    try:
        settings = settings_from_json(text["run"]["settings"], str(path))
        command = str(text["run"]["command"])
    except (KeyError, TypeError) as error:
        raise ResumeError(f"{path}: not the state of a run: {error}") from None
    changes = {name: value for name, value in (changes or {}).items() if value is not None}
    for name in changes:
        if name not in CHANGEABLE:
            raise ResumeError(f"--resume: {name}: cannot be changed in a run; {', '.join(CHANGEABLE)} can")
    if "minutes" in changes and "steps" not in changes:
        changes["steps"] = None
    settings = replace(settings, **changes)
    with torch_settings(settings.threads or idle_threads()):
        run = Run(settings, out, command)
        run.restore(path, text, tensors)
        if run.fraction >= 1.0 and (out / MODEL_FOLDER).exists():
            raise ResumeError(
                f"{out}: the run is finished after {run.steps} steps; give a larger --steps or --minutes"
            )
        if changes:  # what the folder says of itself stays true
            given = ", ".join(f"{name} {value}" for name, value in changes.items())
            run.command += f" (resumed with {given})"
            write_settings(out, run.settings)
        run.go_on(report, advance)
    return run
