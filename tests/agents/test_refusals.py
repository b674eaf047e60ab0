"""Functions and commands of agents and arena refuse bad input in one line, and write nothing."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from spacemission_agents.afterstates.moves import bind_afterstates
from spacemission_agents.afterstates.network import Features, shapes
from spacemission_agents.arena.play import play_games, worker_count
from spacemission_agents.arena.ratings import rate
from spacemission_agents.arena.schedule import Limits, tables
from spacemission_agents.arena.tournament import define
from spacemission_agents.commands.shared import split_agents
from spacemission_agents.exploitability import grow
from spacemission_env.core.agents import make_agent
from spacemission_env.core.errors import AgentError, RulesError, SetupError
from spacemission_env.core.game import make_game
from spacemission_env.core.game_spec import find_game
from tests.support.command_line import run
from tests.support.models import write_model

Call = Callable[[], object]
FILES = {
    "number.toml": "weights = 3\n",
    "broken.toml": "[[",
    "deep.toml": "a = " + "[" * 5000,
    "infinite.toml": "[weights]\nplan = -inf\n",
    "large.toml": "[weights]\nplan = 1e7\n",
    "nan.toml": "[weights]\nplan = nan\n",
    "true.toml": "[weights]\nplan = true\n",
    "text.toml": '[weights]\nplan = "much"\n',
    "unknown.toml": "[weights]\nplam = 1.0\n",
}
SEARCH = (
    "agent 'ismcts': expected ismcts:N, NxT, MODEL:N or MODEL:NxT, N from 1 to 1,000,000 simulations and "
    "T from 1 to 64 trees, then ?rollouts or nothing, not "
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder of each test, with `FILES` and an empty folder."""
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "empty").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("heuristic:none.toml", "agent 'heuristic': weights 'none.toml': No such file"),
        ("heuristic:empty", "agent 'heuristic': weights 'empty': Is a directory"),
        ("heuristic:", "agent 'heuristic': weights '': "),
        ("heuristic:number.toml", "weights 'number.toml': expected a table [weights]"),
        ("heuristic:broken.toml", "weights 'broken.toml': not TOML: "),
        ("heuristic:deep.toml", "weights 'deep.toml': not TOML: "),
        *((f"heuristic:{name}.toml", f"'{name}.toml': weight plan: expected a number from ")
          for name in ("infinite", "nan", "true", "text", "large")),
        ("heuristic:unknown.toml", "weights 'unknown.toml': unknown weight 'plam'"),
        *(
            (f"ismcts:{text}", f"{SEARCH}{text!r}")
            for text in ("0", "x", "-5", "1.5", "1000001", "10x", "10x0", "10x65", "x4", "٣", "", ":10",
                         "MODEL", "MODEL:0", "MODEL:10x0", "10?rollout", "?rollouts", "10?rollouts?rollouts")
        ),
        ("ismcts:MODEL:10", "MODEL: expected a model that reads afterstates, not the observation"),
        ("ismcts:none:10", "model folder 'none': no such folder"),
        ("ismcts:empty:10?rollouts", "model folder 'empty': "),
        *((spec, "expected policy:PATH") for spec in ("policy", "policy:", "policy:?sample")),
        ("policy:MODEL?fast", "expected policy:PATH or policy:PATH?sample, not '?fast'"),
        ("policy:none", "model folder 'none': no such folder"),
        *((spec, "expected llm:MODEL") for spec in ("llm", "llm:")),
        ("llm:m?temprature=1", "option 'temprature': expected one of illegal, names, "),
        ("llm:m?illegal=random", "option illegal: expected retry:, forfeit, not 'random'"),
        ("llm:m?illegal=retry:x", "option illegal: expected"),
        ("llm:m?names=neutral:-1", "option names: expected"),
        ("llm:m?budget=0", "option budget: expected a number from 1 to 10,000,000, not '0'"),
        ("llm:m?budget=1.5", "option budget: expected"),
        ("llm:m?temperature=nan", "option temperature: expected"),
        ("random:5", "takes no parameter, got '5'"),
        ("greedy:", "takes no parameter, got ''"),
    ],
)  # fmt: skip
def test_bad_parameters_of_agents(spec: str, said: str, folder: Path) -> None:
    write_model(folder / "MODEL")
    with pytest.raises(AgentError) as caught:
        make_agent(spec)
    assert said in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def of_lineups(lineups: object, seeds: object) -> Call:
    return lambda: play_games(["random", "random"], lineups, seeds, game="kuhn_poker")  # type: ignore[arg-type]


def of_ratings(counts: object, names: str = "ab", players: int = 2) -> Call:
    return lambda: rate(list(names), counts, players)  # type: ignore[arg-type]


def of_tournament(*agents: str) -> Call:
    return lambda: define(list(agents), 2, Limits(2))


def of_play(*agents: str) -> Call:
    return lambda: play_games(list(agents), [[0, 1]], [1])


def of_afterstates(**options: object) -> Call:
    return lambda: bind_afterstates(find_game("kuhn_poker"), **options)  # type: ignore[arg-type]


def of_network(rows: int, width: int) -> Call:
    of = Features(rows, *np.zeros((2, 8), np.float32))
    return lambda: shapes(of, {"hidden": [4, 5], "input": "afterstate", "planets": width})


def of_world(players: int) -> Call:
    world = make_game("kuhn_poker", players)
    world.reset(1)
    return lambda: make_game("kuhn_poker", 3).from_world(world.states)


def of_tree(*game: object, grown: tuple[object, ...] = (), **options: object) -> Call:
    return lambda: grow(make_game(*game, **options), *grown)  # type: ignore[arg-type]


LABELS = [
    (("=greedy", "random"), "expected 1 to 60 printable characters before the ="),
    (("x" * 61 + "=greedy", "random"), "expected 1 to 60 printable characters before the ="),
    (("a=greedy", "a=random"), "'a' is the name of two agents, 'greedy' and 'random'"),
    (("greedy", "greedy=random"), "'greedy' is the name of two agents, 'greedy' and 'random'"),
    (("a=nobody", "random"), "agent 'nobody': unknown"),
    (("a=", "random"), "expected a name such as"),
]
SHAPE, SEEDS = "lineups: expected whole numbers", "seeds: expected whole numbers"
SMALL = "; try --components tiny --rules tiny\n"
FOLDS = "expected one count from 0 a fold"
CALLS: list[tuple[Call, type[Exception], str]] = [
    (of_lineups([0, 1], [1]), SetupError, f"{SHAPE} from 0 of shape (games, seats), not [0, 1]"),
    *((of_lineups(lineups, seeds), SetupError, SHAPE) for lineups, seeds in (
        ([], []), ([[0, 1], [0]], [1, 2]), ([[0, -1]], [1]), ([[0.0, 1.0]], [1]), (None, None))),
    (of_lineups([[0, 2]], [1]), SetupError, "lineups: expected indices of 2 agents, not 2"),
    (of_lineups([[0, 1]], ["a"]), SetupError, f"{SEEDS} from 0 of shape (games,), not ['a']"),
    (of_lineups([[0, 1]], [-1]), SetupError, SEEDS),
    (of_lineups([[0, 1]], [2**63]), SetupError, "seeds: expected one from 0 to "),
    (of_lineups([[0, 1]] * 2, [1]), SetupError, "for each of 2 games"),
    *((lambda agents=agents: play_games(agents, [[0, 0]], [1], game="kuhn_poker"), AgentError,
       "agents: expected a list") for agents in ("random", 5, None)),
    *((lambda workers=workers: worker_count(workers), AgentError, "workers: expected a whole number from 1")
      for workers in (0, -1, 1.5, True)),
    (lambda: play_games(["random"], [[0]], [1]), RulesError, "num_players: expected 2 to 5"),
    *((of_ratings({}, names), AgentError, "with different names") for names in ("aa", "")),
    (of_ratings({}, players=6), AgentError, "players: expected 2 to 5, got 6"),
    (of_ratings({((0,), (2,)): np.ones(2)}), AgentError, "((0,), (2,)): expected 2 agents from 0 to 1"),
    (of_ratings({((0,), (1,)): np.ones(2)}, players=3), AgentError, "expected 3 agents"),
    *((of_ratings({((0,), (1,)): np.array([1.0, bad])}), AgentError, FOLDS) for bad in (-1.0, np.nan)),
    (of_ratings({((0,), (1,)): np.ones(2), ((1,), (0,)): np.ones(3)}), AgentError, "numbers of folds"),
    *((lambda text=text: split_agents(text), AgentError, said) for text, said in (
        ('a,"b,c', "a quote is not closed"),
        *((text, "expected names separated by commas") for text in ("a,,b", "", "a,b,", 'a,""')))),
    *((of(*agents), AgentError, said) for agents, said in LABELS for of in (of_tournament, of_play)),
    (of_tournament("a=greedy", "a=greedy"), AgentError, "'a' is listed twice"),  # but may have two seats
    (of_tournament("random", "random"), AgentError, "listed twice; give one a name: other=random\n"),
    (lambda: tables(1, 2), AgentError, "at least 2 agents, got 1"),
    (of_tree("space_mission", 2), SetupError, f"a move can turn out in more than 500,000 ways{SMALL}"),
    (of_tree("planet_hexx", 2, "tiny,start_player=random", "tiny"), SetupError,
     f"a move draws more than 1024 times{SMALL}"),
    (of_tree("kuhn_poker", 2, grown=(None, 20)), SetupError, "tree of this game has more than 20 nodes\n"),
    (of_tree("kuhn_poker", 2, grown=("gold",)), SetupError, "expected one of win, rank, chips, not 'gold'"),
    (of_tree("kuhn_poker", 2, observation="table"), SetupError,
     "expected observation='perfect_recall', not 'table'"),
    (of_afterstates(worlds=1, is_settled=print), SetupError, "is_settled: expected more than one world"),
    (of_afterstates(write_feature=print), SetupError, "afterstates: expected no function 'write_feature'"),
    *((of_network(rows, width), AgentError, "expected relu, planets") for rows, width in ((0, 4), (3, 0))),
    (of_world(2), SetupError, "world: expected a game for 3 players, not 2"),
    *((lambda wrong=wrong: make_game("kuhn_poker").from_world(wrong), SetupError, "world: expected")
      for wrong in (None, 3, np.zeros(4))),
]  # fmt: skip


@pytest.mark.parametrize(
    ("call", "error", "said"), CALLS, ids=[f"{n}-{row[2]}" for n, row in enumerate(CALLS)]
)
def test_bad_arguments_of_functions(call: Call, error: type[Exception], said: str) -> None:
    with pytest.raises(error) as caught:
        call()
    assert said in f"{caught.value}\n"
    assert len(str(caught.value).splitlines()) == 1


PLAYED = ("--agents", "greedy,random")


@pytest.mark.parametrize(
    ("command", "said"),
    [
        # Commands show the errors of agents.
        (("play", "--agents", "greedy,heuristic:none.toml"), "weights 'none.toml'"),
        (("arena", "--agents", "greedy,ismcts:0", "--out", "new"), "expected ismcts:N"),
        (("probe", "ismcts:none:5"), "model folder 'none'"),
        (("train", "--out", "new", "--exploit", "ismcts:x"), "expected ismcts:N"),
        (("probe", "nobody"), "agent 'nobody': unknown; known: command, greedy, "),
        (("probe", "greedy", "--theme", "chess"), "theme 'chess': unknown; known: cards, "),
        (("probe", "greedy", "--file", "none.toml"), "none.toml: No such file"),
        (("probe", "greedy", "--file", "empty"), "empty: Is a directory"),
        (("probe", "greedy", "--file", "number.toml"), "number.toml: expected format = 4"),
        (("probe", "greedy", "--file", "broken.toml"), "broken.toml: not TOML"),
        (("new-bot", "my_bot", "--out", "number.toml"), "number.toml: File exists"),
        *((("new-bot", name, "--out", "new"), "expected a Python name")
          for name in ("my-bot", "1st", "_bot", "", "a/b", "bot\n", "böt")),
        (("new-bot", "b" * 61, "--out", "new"), "of at most 60"),
        *((("new-bot", name, "--out", "new"), "keywords of Python") for name in ("class", "None")),
        (("new-bot", "test_bot", "--out", "new"), "names with test_ are not for bots"),
        *((("new-bot", name, "--out", "new"), "a module of this name is installed already")
          for name in ("json", "numpy", "spacemission_agents")),
        (("play", "--agents", "greedy"), "agents: expected 2 to 5, one per seat, got 1"),
        (("play", "--agents", "greedy,,random"), "agents: expected names separated by commas"),
        (("play", "--agents", "greedy,nobody"), "agent 'nobody': unknown"),
        (("arena", "--agents", "greedy"), "at least 2 agents, got 1"),
        (("arena", "--agents", "greedy,random,greedy"), "agents: 'greedy' is listed twice"),
        (("arena", *PLAYED, "--rules", "house"), "rules: unknown preset 'house'"),
        (("arena", *PLAYED, "--records", "2"), "records: needs the folder of the tournament (--out)"),
        (("arena", *PLAYED, "--resume"), "resume: needs the folder of the tournament (--out)"),
        (("arena", *PLAYED, "--ray-address", "auto"), "ray address: needs --engine ray"),
        (("arena", *PLAYED, "--max-games", "20"), "--max-games: needs --test"),
        (("arena", "--test", "greedy"), "arena: expected at least 2 agents, got 1"),
        (("arena", "--test", "greedy,random,heuristic"), "test: expected 2 agents, got 3"),
        (("arena", "--test", "greedy,random", "--elo0", "10"), "elo1: expected at least 0.1 more than elo0"),
        (("arena", "--test", "greedy,random", "--elo1", "nan"), "elo1: expected -1000 to 1000"),
        (("arena", "--test", "greedy,random", "--alpha", "0"), "alpha: expected 0.0001 to 0.4"),
        (("arena", "--test", "greedy,random", "--interval", "2"), "test: the test decides when to stop"),
        (("arena", "--test", "greedy,random", "--games", "20"), "--max-games, not --games"),
        (("arena", "--test", "greedy,random", *PLAYED), "--test: names the agents"),
        (("arena", *PLAYED, "--players", "6"), "num_players: expected 2 to 5, not 6"),
        (("arena", *PLAYED, "--interval", "nan"), "arena: interval: expected 0.01 to 100, not nan"),
        (("arena", *PLAYED, "--interval", "101"), "arena: interval: expected 0.01 to 100, not 101.0"),
        (("arena", *PLAYED, "--minutes", "-1"), "minutes: expected more than 0"),
        (("arena", *PLAYED, "--minutes", "inf"), "minutes: expected more than 0"),
        (("arena", *PLAYED, "--seconds-per-decision", "nan"), "seconds per decision: expected 0.001 to"),
        (("arena", *PLAYED, "--games", "10000000000"), "arena: games: expected 1 to 1000000000"),
        (("arena", *PLAYED, "--engine", "cloud"), "engine: expected local or ray, not 'cloud'"),
        (("arena", *PLAYED, "--picture", "none.png"), "picture 'none.png': No such file"),
        (("arena", *PLAYED, "--picture", "number.toml"), "picture 'number.toml': not a PNG file"),
        (("arena", *PLAYED, "--out", "number.toml"), "report folder 'number.toml': cannot be made"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)  # fmt: skip
def test_bad_values_of_options(command: tuple[str, ...], said: str, folder: Path) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    assert said in run(*command, status=1).stderr
    assert before == {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    assert not (folder / "new").exists()
    assert list((folder / "empty").iterdir()) == []


@pytest.mark.parametrize(
    ("command", "option"),
    [
        (("arena", *PLAYED, "--games", "0"), "--games"),
        (("arena", *PLAYED, "--workers", "0"), "--workers"),
        (("arena", *PLAYED, "--records", "-1"), "--records"),
        (("arena", *PLAYED, "--seed", "-1"), "--seed"),
        (("arena",), "--agents"),
        (("probe",), "agent"),
        (("probe", "greedy", "--repeat", "0"), "--repeat"),
        (("new-bot",), "name"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_options_out_of_range_or_missing(command: tuple[str, ...], option: str, folder: Path) -> None:
    assert option in run(*command, status=2).stderr
    assert sorted(path.name for path in folder.iterdir()) == sorted([*FILES, "empty"])
