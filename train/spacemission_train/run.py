"""Starts and resumes training runs, with their updates, evaluations and checkpoints."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic, perf_counter
from typing import NamedTuple

import numpy as np
import torch
from torch.utils.tensorboard import SummaryWriter

from spacemission_agents.models.card import weights_digest
from spacemission_agents.models.folder import load_model, save_model
from spacemission_agents.models.policy import NetworkAgent
from spacemission_env.core.agents import Agent, make_agent, prepare_agents
from spacemission_env.core.cores import cores
from spacemission_env.core.errors import SetupError, SpaceMissionError
from spacemission_env.core.reading import Json
from spacemission_env.version import __version__
from spacemission_train.curves import Row, draw
from spacemission_train.evaluation import Exploitability, Until, WinShare, score, win_share
from spacemission_train.folder import (
    BEST_FOLDER,
    EXPLOIT_FILE,
    FINISHED,
    MODEL_FOLDER,
    STATE_FILE,
    checkpoint_folder,
    columns,
    held,
    is_finished,
    new_folder,
    sweep,
    working_in,
    write_atomically,
    write_progress,
    write_settings,
)
from spacemission_train.learner import Learner
from spacemission_train.presets import find_game_training
from spacemission_train.self_play import LONGEST
from spacemission_train.settings import Settings
from spacemission_train.start import followed, load_start
from spacemission_train.state import FORMAT, Learnt, ResumeError, Saved, Tensors, read_state, state_bytes

CHANGEABLE = ("steps", "minutes", "threads", "opponents")  # settings that a resumed run may change
FINAL = 5  # the last evaluation has this many times as many games as the others
TRAINED = 0.75  # share of an exploiter's minutes for training; the rest is for the last evaluation
EVALUATED = 0.1  # largest share of a run's minutes for an evaluation before the last one
BEST = "best"  # name of the best checkpoint so far, as an opponent in evaluations
BOUND_MEANING = "a lower bound: a stronger exploiter may win more"


class DivergedError(SpaceMissionError):
    """Some weights are not finite, so the run cannot continue."""


def quiet(_: object) -> None:
    """Do nothing."""


class Listeners(NamedTuple):
    """Callbacks of a run."""

    report: Callable[[Row], None] = quiet  # called with the row of each evaluation
    advance: Callable[[Run], None] = quiet  # called after each update, part of an evaluation and new `phase`
    warn: Callable[[str], None] = quiet  # called with each warning, one line


class Run:
    """A run and its progress.

    Attributes:
        out: folder of the run.
        command: the command line that started the run, for the model card.
        yardsticks: opponents in evaluations, the strongest last.
        target: the frozen agent that an exploiter plays against; else None.
        exact: measures the network on the whole tree of the game, for a mixed strategy of a small game.
        rows: rows of progress.csv, one for each evaluation.
        results: win shares of the last evaluation.
        best: `steps` and `score` of the best checkpoint, and the lower end of the score's interval, `low`;
            None before any checkpoint.
        phase: what the run does now.
        exploit: contents of exploit.json after an exploiter has finished; else None.
        seconds: wall-clock seconds so far, including evaluations.
        training: wall-clock seconds so far, excluding evaluations.
    """

    def __init__(
        self, settings: Settings, out: Path, command: str, target: Agent | None = None, begun: int = 0
    ) -> None:
        """Make the games and the network; `begun`: learner steps before the run was resumed."""
        self.settings, self.out, self.command, self.target = settings, out, command, target
        self.learner = Learner(settings, begun)
        self.games_before = 0  # games that had finished before the run was resumed
        self.rows: list[Row] = []
        self.results: list[WinShare] = []
        self.best: Json | None = None
        self.warned = False  # whether the user knows that games were dropped
        self.phase = "training"
        self.seconds = self.training = 0.0
        self.components = settings.spec.load_components(settings.components)
        self.exploit: Json | None = None
        self.exact: Exploitability | None = None
        self.yardsticks = find_game_training(settings.game).yardsticks
        self._rival: Agent | None = None
        self.listeners = Listeners()

    # ------------------------------------------------------------ progress

    @property
    def steps(self) -> int:
        """Decisions of all learning seats so far."""
        return self.learner.steps

    @property
    def games(self) -> int:
        """Finished games."""
        return self.games_before + self.learner.games.games

    @property
    def steps_per_second(self) -> int:
        """Learner steps per second, excluding evaluations."""
        return round(self.steps / self.training) if self.training else 0

    @property
    def training_seconds(self) -> float | None:
        """The limit of training in seconds; an exploiter's minutes include the last evaluation."""
        minutes = self.settings.minutes
        share = 1.0 if self.target is None else TRAINED
        return None if minutes is None else 60 * minutes * share

    @property
    def fraction(self) -> float:
        """The part of the run that is done, 0 to 1, by steps or by time, whichever is larger."""
        steps, seconds = self.settings.steps, self.training_seconds
        by_steps = self.steps / steps if steps else 0.0
        by_time = self.seconds / seconds if seconds else 0.0
        return min(1.0, max(by_steps, by_time))

    @property
    def last_checkpoint(self) -> int:
        """Learner steps at the last checkpoint; 0 before the first."""
        return self.rows[-1]["steps"] if self.rows else 0

    # ------------------------------------------------------------ training

    def load_start(self) -> None:
        """Load the weights of `settings.start`, if it is set."""
        load_start(self.settings, self.learner.network)
        self.learner.outcome.load_state_dict(self.learner.network.state_dict())

    def go_on(self, listeners: Listeners) -> None:
        """Train up to the limit, then write the last evaluation and the model folder.

        If the run stops earlier, the model folder gets the present networks, unless they have not learnt
        anything yet or have diverged.
        """
        self.listeners = listeners
        last_games = FINAL * self.settings.evaluation_games
        try:
            self._choose_judge()
            self._train()
            if not self.rows or self.last_checkpoint < self.steps:
                self._checkpoint(last_games, last=True)
            elif self.results and self.results[0].games < last_games:  # resumed at its last step
                self.results = self._measure(last_games, last=True)[0]
            if self.target is not None:
                self.exploit = self._write_exploit()
            self.save_model(self.out / MODEL_FOLDER, finished=True)
        except DivergedError:
            raise
        except BaseException:
            if self.learner.updates:
                with suppress(SpaceMissionError):  # perhaps the disk is full, or weights are not finite
                    self.save_model(self.out / MODEL_FOLDER)
            raise
        finally:
            self.learner.close()

    def _choose_judge(self) -> None:
        # Prepare what checkpoints are scored by (`_judge`). Wins against `random` say little, so where it is
        # the only yardstick, checkpoints play against the best one so far.
        if self.settings.mixed and self.target is None:
            with suppress(SetupError):  # the game's tree is too large
                self.exact = Exploitability(self.settings)
        if self._judge == BEST and self._rival is None:
            self._rival = self._player()

    @property
    def _judge(self) -> str:
        if self.target is not None:
            return str(self.settings.exploit)
        strongest = self.yardsticks[-1]
        return "nash_conv" if self.exact else BEST if strongest == "random" else strongest

    def _train(self) -> None:
        self._enter("training")
        counts = self.target is not None  # else the first update, which may compile, does not count
        while self.fraction < 1.0:
            began, limit = perf_counter(), self.training_seconds
            if self.target is not None and limit is not None:  # the target may be slow
                self.learner.games.deadline = monotonic() + limit - self.seconds
            self.learner.advance(self.fraction)
            spent = perf_counter() - began
            self.training += spent
            self.seconds += spent * counts
            counts = True
            if self.fraction < 1.0 and self.steps >= self.last_checkpoint + self.settings.checkpoint_steps:
                self._checkpoint(self.settings.evaluation_games)
                self.learner.begin_anew()
            self.listeners.advance(self)

    def _enter(self, phase: str) -> None:
        self.phase = phase
        self.listeners.advance(self)

    def _player(self) -> Agent:
        arrays = self.arrays()
        if not all(np.isfinite(array).all() for array in arrays.values()):
            raise DivergedError(
                f"{self.out}: weights not finite after {self.steps} steps; the last checkpoint is kept."
                " A smaller learning_rate may help"
            )
        return NetworkAgent(arrays, self.settings.network, self.settings.spec)

    # ------------------------------------------------------------ evaluation

    def _measure(self, games: int, last: bool = False) -> tuple[list[WinShare], Row]:
        # The results at each number of players, and the score with the columns that belong to it.
        of, player, judge = self.settings, self._player(), self._judge
        opponents: dict[str, str | Agent] = {name: name for name in self.yardsticks}
        if self.target is not None:  # the loaded agent, because its folder may have changed
            opponents = {judge: self.target}
        elif judge == BEST and self._rival is not None:
            opponents[BEST] = self._rival
        seconds = self._evaluation_seconds(last)
        ends = monotonic() + seconds
        if self.target is not None:  # an untrained exploiter may take very long to end a game
            player = Until(player, ends)

        def told(done: int) -> None:
            self._enter(f"evaluating, {done:,} of {games:,} games against {name}")

        pairings = [(number, name) for number in of.player_counts for name in opponents]
        results = []
        for i, (number, name) in enumerate(pairings):
            # Each pairing gets an equal part of the time that is left.
            part = max(0.0, ends - monotonic()) / (len(pairings) - i)
            given = player, opponents[name], number, games, of.seed, of.rules, self.components, name, of.game
            results.append(win_share(*given, monotonic() + part, told))
        if self.exact:
            distance = self.exact.nash_conv(player)
            near = 1 - distance / self.exact.of_uniform
            return results, {"score": round(near, 4), "nash_conv": round(distance, 5)}
        found: Row = {"score": round(score(results, judge), 4)}
        if self.target is not None:
            found["win_target"] = round(results[0].share, 4)
        if judge == BEST:
            found["win_best"] = round(next(one.share for one in results if one.opponent == BEST), 4)
        return results, found

    def _evaluation_seconds(self, last: bool) -> float:
        # Early in a run games are long, because nobody ends them, so evaluations are limited to leave time
        # for learning. An exploiter's minutes include its last evaluation; those of other runs do not.
        minutes = self.settings.minutes
        if minutes is None or (last and self.target is None):
            return float("inf")
        left = 60 * minutes - self.seconds if self.target is not None else float("inf")
        return left if last else min(left, 60 * minutes * EVALUATED)

    def _checkpoint(self, games: int, last: bool = False) -> None:
        # The state is written last: a run that is killed earlier resumes from the previous checkpoint and
        # writes all files of this one again.
        self._enter("evaluating")
        began = perf_counter()
        self.results, found = self._measure(games, last)
        self.seconds += perf_counter() - began
        self.rows.append(self._row(found))
        self.save_model(checkpoint_folder(self.out, self.steps))
        low = reached = self.rows[-1]["score"]
        if not self.exact and self._judge != BEST:  # few games, if the time was short, prove little
            low = round(score(self.results, self._judge, "low"), 4)
        if self.best is None or low >= (1.0 if self._judge == BEST else self.best["low"]):
            self.best = {"steps": self.steps, "score": reached, "low": low}
            self.save_model(self.out / BEST_FOLDER)
            if self._judge == BEST:
                self._rival = self._player()
        with SummaryWriter(str(self.out / "tensorboard")) as board:
            for column, value in self.rows[-1].items():
                if value is not None:
                    board.add_scalar(f"run/{column}", value, self.steps)
        write_progress(self.out, self.rows)
        draw(self.out, self.rows, self.settings.player_counts)
        self.save_state()
        self.listeners.report(self.rows[-1])
        dropped = self.learner.games.dropped
        if dropped and not self.warned:
            self.warned = True
            self.listeners.warn(
                f"{dropped} games took over {LONGEST} decisions: the run did not learn from them"
            )
        self._enter("training")

    def _row(self, found: Row) -> Row:
        return {
            "steps": self.steps,
            "seconds": round(self.seconds, 1),
            "steps_per_second": self.steps_per_second,
            "games": self.games,
            **self.learner.figures(),
            "score": found.pop("score"),
            **columns(self.results, self.yardsticks),
            **found,
        }

    def _write_exploit(self) -> Json:
        # Write exploit.json from the last evaluation. If the target plays all n seats, each seat wins the
        # share 1 / n. If an exploiter in one seat wins more, the target is exploitable by at least the
        # difference. Training finds some response, not the best one, so the difference is a lower bound
        # (Timbers et al., "Approximate Exploitability", IJCAI 2022).
        settings, measured = self.settings, self.results[0].to_json()
        fair = 1 / settings.players[0]
        bound, low, high = (round(measured[name] - fair, 4) for name in ("share", "low", "high"))
        found = {
            "target": measured.pop("opponent"),
            "target_sha256": weights_digest(self.target),
            "players": settings.players[0],
            "rules": settings.rules,
            **measured,
            "fair_share": fair,
            "exploitability_lower_bound": bound,
            "exploitability_lower_bound_interval": [low, high],
            "meaning": BOUND_MEANING,
            "steps": self.steps,
            "seed": settings.seed,
            "start": settings.start,
            "command": self.command,
        }
        write_atomically(self.out / EXPLOIT_FILE, (json.dumps(found, indent=2) + "\n").encode())
        return found

    # ------------------------------------------------------------ model folders and the checkpoint file

    def arrays(self) -> dict[str, np.ndarray]:
        """The weights for a model folder."""
        return self.learner.outcome.arrays()

    def save_model(self, folder: Path, finished: bool = False) -> None:
        """Write the weights as a model folder."""
        of = self.settings
        training = {
            "command": self.command,
            "preset": of.preset,
            "seed": of.seed,
            "steps": self.steps,
            "players": list(of.player_counts),
            "seconds": round(self.seconds, 1),
            FINISHED: finished,
            "settings": of.to_json(),
        }
        # Results of an earlier checkpoint belong to older weights.
        results = self.results if self.last_checkpoint in (0, self.steps) else []
        card = {
            "rules": of.spec.make_rules(of.rules).to_json(),
            "components_sha256": self.components.sha256,
            "network": of.network,
            "training": training,
            "results": {result.name: result.to_json() for result in results},
        }
        save_model(folder, self.arrays(), card, of.spec)

    @property
    def _learnt(self) -> Learnt:
        return Learnt(self.learner.network, self.learner.optimizer, self.learner.mean)

    def save_state(self) -> None:
        """Write the checkpoint file."""
        text = {
            "format": FORMAT,
            "version": __version__,
            "layout": self.settings.spec.layout_version,
            "settings": self.settings.to_json(),
            "components_sha256": self.components.sha256,
            "target_sha256": weights_digest(self.target),
            "command": self.command,
            "steps": self.steps,
            "updates": self.learner.updates,
            "games": self.games,
            "seconds": self.seconds,
            "training": self.training,
            "loss": self.learner.loss,
            "entropy": self.learner.entropy,
            "rows": self.rows,
            "results": [result.to_json() for result in self.results],
            "best": self.best,
        }
        tensors = {
            name: tensor.detach().clone().contiguous() for name, tensor in self._learnt.tensors().items()
        }
        write_atomically(self.out / STATE_FILE, state_bytes(text, tensors))

    def restore(self, path: Path, saved: Saved, tensors: Tensors) -> None:
        """Restore a state from `read_state` into a new run with the same settings.

        Raises:
            ResumeError: one line naming the file and what does not fit.
        """
        if saved["components_sha256"] != self.components.sha256:
            raise ResumeError(f"{path}: components: the run began with another table of components")
        if saved.get("target_sha256") != weights_digest(self.target):
            raise ResumeError(f"{path}: exploit: the model {self.settings.exploit!r} has changed")
        try:
            self._learnt.restore(tensors)
        except RuntimeError as error:
            reason = " ".join(str(error).split())
            raise ResumeError(f"{path}: does not fit these settings: {reason}") from None
        self.seconds, self.training = float(saved["seconds"]), float(saved["training"])
        self.rows, self.results = saved["rows"], [WinShare(**result) for result in saved["results"]]
        self.best, self.games_before = saved["best"], saved["games"]
        learner = self.learner
        learner.updates = saved["updates"]
        learner.loss, learner.entropy = saved["loss"], saved["entropy"]

    def mend(self) -> None:
        """Write OUT/best again from the best checkpoint, because a killed process may have changed it."""
        folder = checkpoint_folder(self.out, self.best["steps"] if self.best else 0)
        if folder.is_dir():
            card, arrays = load_model(folder)
            save_model(self.out / BEST_FOLDER, arrays, card, self.settings.spec)
            self._rival = NetworkAgent(arrays, self.settings.network, self.settings.spec)


# ------------------------------------------------------------ starting and resuming


def start(
    settings: Settings,
    out: str | Path,
    command: str = "",
    report: Callable[[Row], None] = quiet,
    advance: Callable[[Run], None] = quiet,
    warn: Callable[[str], None] = quiet,
) -> Run:
    """Train a new run in a new or empty folder; return the finished run.

    Writes OUT/model, OUT/best and OUT/checkpoints/step_N (model folders), experiment.toml, progress.csv,
    curves.png, tensorboard/, and state.safetensors for `resume`. `command` is written on the model card;
    `report`, `advance` and `warn` are called as in `Listeners`.

    Raises:
        SpaceMissionError: one line that names the refused folder, components or opponent.
    """
    target = _target(settings)
    settings = followed(settings.changed(threads=settings.threads or idle_threads()), target)
    with torch_settings(settings):
        run = Run(settings, Path(out), command, target)
        run.load_start()
        new_folder(run.out, ", or resume with --resume")
        return _train_in_folder(run, Listeners(report, advance, warn))


def _train_in_folder(run: Run, listeners: Listeners) -> Run:
    with held(run.out), working_in(run.out):
        sweep(run.out)
        sweep(checkpoint_folder(run.out, 0).parent)
        run.mend()
        run.save_state()  # so that a run that is stopped soon can be resumed
        write_settings(run.out, run.settings, run.command)
        run.go_on(listeners)
    return run


def _target(settings: Settings) -> Agent | None:
    if settings.exploit is None:
        return None
    target = make_agent(settings.exploit, settings.game)
    prepare_agents([target], settings.info)
    return target


def resume(
    out: str | Path,
    changes: Json | None = None,
    report: Callable[[Row], None] = quiet,
    advance: Callable[[Run], None] = quiet,
    warn: Callable[[str], None] = quiet,
) -> Run:
    """Resume the run in a folder from its last checkpoint; return the finished run.

    `changes` may hold `steps` and `minutes` (limits counted from the beginning of the run), `threads` and
    `opponents`. Every run begins new games after each checkpoint, so a resumed run goes on like one that was
    not stopped.

    Raises:
        SpaceMissionError: one line naming the file or the setting.
    """
    out = Path(out)
    changes = {name: value for name, value in (changes or {}).items() if value is not None}
    for name in changes:
        if name not in CHANGEABLE:
            raise ResumeError(f"--resume: {name}: cannot be changed; {', '.join(CHANGEABLE)} can")
    for one, other in (("minutes", "steps"), ("steps", "minutes")):
        if one in changes:
            changes.setdefault(other, None)
    given = ", ".join(f"{name} {value}" for name, value in changes.items() if value is not None)
    path = out / STATE_FILE
    saved, tensors = read_state(path)
    try:
        settings = Settings(**saved["settings"])
        if settings.exploit is not None and "opponents" in changes:
            raise ResumeError("opponents: an exploiter plays only its target; omit them")
        settings = settings.changed(**changes)
    except SpaceMissionError as error:
        raise ResumeError(f"{path}: {error}") from None
    with torch_settings(settings):
        command = saved["command"] + (f" (resumed with {given})" if given else "")
        run = Run(settings, out, command, _target(settings), saved["steps"])
        run.restore(path, saved, tensors)
        if run.fraction >= 1.0 and is_finished(out):
            raise ResumeError(
                f"{out}: the run is finished after {run.steps} steps; give a larger --steps or --minutes"
            )
        return _train_in_folder(run, Listeners(report, advance, warn))


@contextmanager
def torch_settings(settings: Settings) -> Iterator[None]:
    """Set torch's number of threads, to 1 if games are played during learning; at the end restore it and all
    random states.
    """
    before = torch.get_num_threads(), random.getstate(), np.random.get_state(), torch.get_rng_state()
    torch.set_num_threads(1 if settings.is_policy else settings.threads or 1)
    try:
        yield
    finally:
        torch.set_num_threads(before[0])
        random.setstate(before[1])
        np.random.set_state(before[2])
        torch.set_rng_state(before[3])


def idle_threads() -> int:
    """2 if two cores are idle, else 1, because two threads on one core mostly wait for each other."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    return 2 if cores() - load > 1.5 else 1
