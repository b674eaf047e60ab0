"""`play_games` from scripts and notebooks, and what is left after an error in the middle."""

import io
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from spacemission_agents.arena.play import Results, play_games
from spacemission_env.core.agents import Agent, Decisions, GameInfo, make_agent
from spacemission_env.core.errors import AgentError, RecordError
from spacemission_env.core.game import make_game
from spacemission_env.records import writer as records
from spacemission_env.records.reader import replay_file
from spacemission_env.records.writer import RecordWriter
from tests.support.paths import ROOT

GAMES = 96  # three batches

# A user's script without `if __name__ == "__main__":`, and what is typed into a notebook.
SCRIPT = f"""
import numpy as np
print("once")
from spacemission_agents.arena import play as games
from spacemission_env.core.agents import Agent

games.WORTH_SECONDS = 0.0

class Bot(Agent):
    def choose(self, observation, mask, rng):
        return int(mask.nonzero()[0][-1])

def last(observation, mask, rng):
    return int(mask.nonzero()[0][-1])

for agent in ("__main__:Bot", Bot(), last, "named=__main__:Bot", "random"):
    games_of = [agent, "random"], [[0, 1]] * {GAMES}, range({GAMES})
    played = games.play_games(*games_of, workers=2, game="kuhn_poker")
    print(len(played.seeds))

from spacemission_agents.arena import schedule, tournament
two = tournament.define(["a=random", "b=random"], 2, schedule.Limits(9), game="kuhn_poker")
print(tournament.run_tournament(two)["games"])
"""


@pytest.mark.slow
@pytest.mark.parametrize("typed", [False, True], ids=["script", "typed"])
def test_scripts_and_notebooks_play_many_games(typed: bool, tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, "-" if typed else "script.py"],
        input=SCRIPT if typed else "", capture_output=True, text=True, cwd=tmp_path,
    )  # fmt: skip
    assert done.stderr == "" and done.stdout.split() == ["once", *[str(GAMES)] * 5, "10"]


def test_a_class_of_main_cannot_play_in_a_tournament() -> None:
    code = f"from spacemission_agents.arena.tournament import define\n{SCRIPT.split('for agent')[0]}\n"
    for agent, why in (
        (
            "'__main__:Bot'",
            "agent '__main__:Bot': a tournament plays in other processes, which cannot import it",
        ),
        ("Bot()", "agents: expected printable text such as module:Class, not <__main__.Bot object"),
    ):
        tried = f"{code}try: define([{agent}, 'random'], game='kuhn_poker')\nexcept ValueError as e: print(e)"
        done = subprocess.run([sys.executable, "-c", tried], capture_output=True, text=True, cwd=ROOT)
        assert why in done.stdout, done.stdout + done.stderr


# ---------------------------------------------------------------- after an error in the middle


class Raising(Agent):
    """Plays the first legal move, but raises at one of its decisions."""

    def __init__(self, at: int) -> None:
        super().__init__()
        self.at, self.asked = at, 0

    def act(self, decisions: Decisions) -> np.ndarray:
        self.asked += len(decisions)
        if 0 <= self.at < self.asked:
            self.at = -1
            raise RuntimeError("out of ideas")
        return decisions.masks.argmax(1).astype(np.int64)


class Full(io.FileIO):
    """A file that is full in the middle of one of its writes."""

    def __init__(self, path: Path, at: int) -> None:
        super().__init__(path, "ab")
        self.left = at

    def write(self, data: memoryview) -> int:  # type: ignore[override]
        self.left -= 1
        if self.left == -1:
            super().write(data[:100])
            raise OSError(28, "No space left on device")
        return super().write(data)


def play(agent: object, record: RecordWriter | None = None) -> Results:
    return play_games([agent, "random"], [[0, 1]] * GAMES, range(GAMES), game="kuhn_poker", record=record)  # type: ignore[list-item]


def same(a: Results, b: Results) -> bool:
    return all((getattr(a, f.name) == getattr(b, f.name)).all() for f in fields(Results))


@pytest.mark.parametrize("at", range(0, 120, 12))
def test_an_agent_that_raises_leaves_whole_games_and_plays_again(at: int, tmp_path: Path) -> None:
    agent, path = Raising(at), tmp_path / "games.jsonl"
    with RecordWriter(path) as writer:
        with pytest.raises(AgentError, match=r"'Raising': failed with RuntimeError: out of ideas \(test_"):
            play(agent, writer)
        whole = writer.games
        assert whole in (0, 32, 64)
        again = play(agent, writer)  # the same objects go on
    assert same(again, play(Raising(-1)))
    if path.exists():
        read = replay_file(path)
        assert sum(1 for one in read if not one.finish()) == whole + GAMES and read.note is None


@pytest.mark.parametrize("at", [0, 1, 31, 32, 33, 95])
def test_a_full_disk_leaves_whole_games_and_more_can_follow(
    at: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "games.jsonl"
    monkeypatch.setattr(records, "open_alone", lambda path: (Full(path, at), True))
    with RecordWriter(path) as writer:
        with pytest.raises(RecordError, match=r"games.jsonl': cannot be written: No space left on device"):
            play(Raising(-1), writer)
        text = path.read_text()
        assert writer.games == at == text.count('"type": "result"') and text[-1:] in ("\n", "")
        play(Raising(-1), writer)
    assert sum(1 for one in replay_file(path) if not one.finish()) == at + GAMES


class Fussy(Agent):
    """Refuses games with three players, after it has thrown away what it knew."""

    def prepare(self, info: GameInfo) -> None:
        self.players = None
        if info.num_players == 3:
            raise AgentError("not with three")
        self.players = info.num_players

    def choose(self, observation: np.ndarray, mask: np.ndarray, rng: np.random.Generator) -> int:
        assert self.players is not None
        return int(mask.argmax())


def test_an_agent_whose_prepare_failed_is_prepared_again() -> None:
    agent, two, three = Fussy(), make_game("kuhn_poker", 2), make_game("kuhn_poker", 3)
    two.reset(1)
    three.reset(1)
    first = agent.play(two)
    with pytest.raises(AgentError, match="not with three"):
        agent.play(three)
    assert agent.play(two) == first


# ---------------------------------------------------------------- one decision from an observation and a mask


def test_choose_needs_an_observation_and_a_mask_alone() -> None:
    game = make_game("space_mission", 3)
    game.reset(4)
    observation, mask = game.observe(), game.mask()
    last = make_agent(lambda observation, mask, rng: int(mask.nonzero()[0][-1]))
    for agent in (make_agent("random"), make_agent("greedy"), make_agent("heuristic"), last, Raising(-1)):
        move = agent.choose(observation, mask)
        assert type(move) is int and mask[move] == 1
        assert agent.choose(observation, mask, 1) == agent.choose(observation, mask, 1)
    assert make_agent("greedy").choose(observation, mask) == make_agent("greedy").play(game)
    assert Fussy.choose is not Agent.choose and last.choose(observation, mask.astype(bool)) == last.play(game)
    kuhn = make_game("kuhn_poker", 2)
    kuhn.reset(1)
    own = make_agent("random", "kuhn_poker")  # it knows its game
    assert {own.choose(kuhn.observe(), kuhn.mask(), seed) for seed in range(20)} == {0, 1}
    with pytest.raises(AgentError, match=r"agent 'RandomAgent': observations: expected shape \(1, 1554\)"):
        make_agent("random").choose(kuhn.observe(), kuhn.mask())
    with pytest.raises(AgentError, match=r"choose: expected observation\['observation'\], not the dict"):
        own.choose({"observation": observation}, mask)  # type: ignore[arg-type]
    with pytest.raises(AgentError, match=r"choose: it looks at the positions after its moves, .*; use agent"):
        make_agent("greedy", "planet_hexx").choose(observation, mask)
