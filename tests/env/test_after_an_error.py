"""After an error in the middle of a call, a front end refuses every call until it is reset."""

import io
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spacemission_env import Agent, BatchedGames, Decisions, make_game
from spacemission_env.core.errors import IllegalActionError, SpaceMissionError
from spacemission_env.core.masks import choose_uniform
from spacemission_env.core.rng import next_seed
from spacemission_env.frontends import aec, rendering, turns, vector_env
from spacemission_env.frontends.gym_env import LearnerEnv
from spacemission_env.records import writer
from spacemission_env.records.reader import replay_file
from tests.support import low_card
from tests.support.every_front_end import FRONT_ENDS, FrontEnd, play
from tests.support.front_ends import assert_same


class PlantedError(RuntimeError):
    """The error of a trap."""


class Trap:
    """Fails once, at its n-th call.

    Attributes:
        at: number of the call that fails, from 1; 0: none.
        error: what it raises.
        sprung: whether it has failed.
    """

    def __init__(self, at: int = 0, error: type[BaseException] = PlantedError) -> None:
        self.at, self.error = at, error
        self.calls, self.sprung = 0, False
        self._lock = threading.Lock()  # parts of an environment call from several threads

    def __call__(self) -> None:
        """Count a call, and fail if it is the chosen one."""
        if self.next():
            raise self.error("planted")

    def next(self) -> bool:
        """Count a call; return whether it is the chosen one."""
        with self._lock:
            self.calls += 1
            self.sprung = self.sprung or self.calls == self.at
            return self.calls == self.at

    def around(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, which fails after the chosen call of it."""

        def trapped(*args: Any, **options: Any) -> Any:
            result = function(*args, **options)
            self()
            return result

        return trapped


class TrappedFile(io.FileIO):
    """A file whose writes spring a trap."""

    def __init__(self, path: str, trap: Trap) -> None:
        super().__init__(path, "ab")
        self.trap = trap

    def write(self, data: memoryview) -> int:  # type: ignore[override]
        """Write half of the data if the trap fails."""
        if self.trap.next():
            super().write(data[: len(data) // 2])
            raise self.trap.error("planted")
        return super().write(data)


class TrappedAgent(Agent):
    """Plays at random; each `act` springs a trap.

    Attributes:
        wrong: what it returns when the trap fails, in place of raising.
    """

    def __init__(self, trap: Trap, wrong: object = None) -> None:
        super().__init__()
        self.trap, self.wrong = trap, wrong

    def act(self, decisions: Decisions) -> np.ndarray:
        actions = np.zeros(len(decisions), np.int64)
        choose_uniform(decisions.masks, decisions.keys, actions)
        if self.wrong is None:
            self.trap()
        elif self.trap.next():
            return np.full(len(decisions), self.wrong)
        return actions


class TrappedPartsAgent(TrappedAgent):
    """The same for several threads at once."""

    in_parts = True

    def act(self, decisions: Decisions) -> np.ndarray:
        return super().act(decisions)


def assert_each_refuses(calls: Iterable[Callable[[], object]], words: str) -> None:
    """Each of these calls must raise an error of one line with these words."""
    for call in calls:
        with pytest.raises(SpaceMissionError, match=words) as caught:
            call()
        assert "\n" not in str(caught.value)


REFUSED = "since a call failed halfway"
GAMES: list[dict[str, Any]] = [
    {"game": "kuhn_poker", "num_players": 3},
    {"game": "space_mission", "num_players": 3, "rules": {"max_rounds": 2}},
    {"game": "planet_hexx", "num_players": 2, "rules": "tiny"},
]
SEEDS = len(GAMES)
POINTS = 12  # a trap fails at one of so many calls


OPPONENT: dict[str, tuple[type[BaseException], object]] = {  # error, or a wrong answer
    "opponent raises": (ZeroDivisionError, None),
    "opponent is interrupted": (KeyboardInterrupt, None),
    "opponent plays an illegal move": (PlantedError, 10_000),
    "opponent answers with text": (PlantedError, "a"),
}
OTHERS = ["record line", "record file", "picture", "result"]
CASES = [
    (front, fault)
    for front in FRONT_ENDS
    for fault in [*OPPONENT, *OTHERS, "learner"]
    if not (front == "aec" and fault in OPPONENT)
    and not (front == "sb3" and fault in OTHERS)
    and not ("vector" in front and fault == "picture")
]


def made(
    front: str, options: dict[str, Any], fault: str, trap: Trap, patch: pytest.MonkeyPatch, file: Path
) -> FrontEnd:
    """A front end with a trap in it; `file`: for records."""
    if fault in OPPONENT:
        trap.error, wrong = OPPONENT[fault]
        return FRONT_ENDS[front](agent_of(front)(trap, wrong), **options)
    if fault == "record file":
        patch.setattr(writer, "open_alone", lambda path: (TrappedFile(path, trap), True))
        options = {**options, "record": file}
    elif fault == "record line":
        patch.setattr(writer, "action_entry", trap.around(writer.action_entry))
        options = {**options, "record": file}
    elif fault == "picture":
        patch.setattr(rendering, "frame", trap.around(lambda game, seat, **_: game.seat_json(seat)))
        patch.setattr(rendering, "check_screen", lambda: None)
        patch.setattr(rendering.Window, "__init__", lambda *_: None)
        patch.setattr(rendering.Window, "show", lambda *_: None)
        options = {**options, "render_mode": "human"}
    elif fault == "result":  # something of ours, at the very end of a step
        for place, name in (
            (LearnerEnv, "_view"),
            (turns.LearnerTurns, "_end"),
            (aec.GameAEC, "_finish"),
        ):
            patch.setattr(place, name, trap.around(getattr(place, name)))
    return FRONT_ENDS[front](agent_of(front)(Trap()), **options)


def agent_of(front: str) -> type[TrappedAgent]:
    return TrappedPartsAgent if "threads" in front else TrappedAgent


@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.parametrize(("front", "fault"), CASES)
def test_after_an_error_nothing_has_changed_or_all_is_refused_until_reset(
    front: str, fault: str, seed: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(vector_env, "PART_GAMES", 2)
    file = tmp_path / "games.jsonl"
    options = GAMES[seed % len(GAMES)]
    expected = play(FRONT_ENDS[front](agent_of(front)(Trap()), **options), seed)
    with monkeypatch.context() as patch:
        if fault == "learner":
            tried = made(front, options, fault, Trap(), patch, file)
            step = tried.step

            def wrong_first(actions: np.ndarray) -> object:
                for i in np.flatnonzero(tried.masks().any(1))[-1:]:
                    wrong = actions.copy()
                    wrong[i] = 10_000
                    with pytest.raises(IllegalActionError):
                        step(wrong)
                return step(actions)

            patch.setattr(tried, "step", wrong_first)
            assert_same(play(tried, seed), expected)
            return
        trap = Trap(
            1 + np.random.default_rng([seed, len(fault)]).integers(POINTS if fault != "record file" else 3)
        )
        tried = made(front, options, fault, trap, patch, file)
        with pytest.raises((PlantedError, SpaceMissionError, ZeroDivisionError, KeyboardInterrupt)):
            play(tried, seed, 10_000)
        assert trap.sprung
        assert_each_refuses(tried.calls(), REFUSED)
        assert_same(play(tried, seed), expected)
    for game in replay_file(file) if fault == "record file" and file.stat().st_size else ():
        game.finish()
        assert game.cut is None


@pytest.mark.parametrize("front", FRONT_ENDS)
def test_rules_that_fail_leave_no_half_made_move(front: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_env, "PART_GAMES", 2)
    agent = agent_of(front)
    options: dict[str, Any] = {"game": low_card.SPEC, "num_players": 3}
    expected = play(FRONT_ENDS[front](agent(Trap()), **options), 1)
    for at in range(20, 30):
        tried, trap = FRONT_ENDS[front](agent(Trap()), **options), Trap(at)
        with monkeypatch.context() as patch:
            patch.setattr(low_card, "card", trap.around(low_card.card))
            with pytest.raises(PlantedError):
                play(tried, 1, 10_000)
        assert_each_refuses(
            (call for call in tried.calls() if call != getattr(tried.env, "render", None)), REFUSED
        )
        assert_same(play(tried, 1), expected)


@pytest.mark.parametrize("single", [True, False])
def test_games_whose_rules_fail_are_refused_until_they_are_dealt(
    single: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = make_game(low_card.SPEC, 3)
    games = BatchedGames(4, 3, game=low_card.SPEC)
    game.reset(1)
    for i in range(4):
        games.deal(i, i)
    moves = np.full(4, low_card.SWAP)
    with monkeypatch.context() as patch:
        patch.setattr(low_card, "card", Trap(1 if single else 3).around(low_card.card))
        with pytest.raises(PlantedError):
            game.step(low_card.SWAP) if single else games.step(games.everyone, moves)
    calls: list[Callable[[], object]] = [
        lambda: games.step(games.everyone, moves),
        lambda: games.view(games.everyone),
        lambda: games.outcome(games.everyone),
        lambda: games.deal_next(games.everyone),
    ]
    if single:
        calls = [lambda: game.step(0), game.legal_actions, game.scores, lambda: game.words(0), game.seat_json]
    assert_each_refuses(calls, REFUSED)
    game.reset()
    assert game.seed == next_seed(1) or not single
    game.step(low_card.SWAP)
    for i in range(4):
        games.deal(i, i)
    games.step(games.everyone, moves)
