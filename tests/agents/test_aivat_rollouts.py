"""The correction by rollouts: it keeps what seats know, and its mean is zero.

`python -m tests.agents.test_aivat_rollouts 400` prints the mean over as many games, with 2 to 5 players.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest

from spacemission_agents.arena import aivat_rollouts
from spacemission_agents.arena.aivat import find_chance_correction
from spacemission_agents.arena.aivat_rollouts import Rollouts, shares_of_wins
from spacemission_agents.arena.tournament import define
from spacemission_agents.games.space_mission.heuristic.weights import NAMES, shipped_weights
from spacemission_env.core.agents import make_agent, prepare_agents
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.reading import Json
from tests.support import tournaments
from tests.support.command_line import run
from tests.support.tournaments import untimed

pytestmark = pytest.mark.slow

LUCK = find_chance_correction("space_mission")
ALL = 10**9  # more moves than any game has
HASTY = 2.7  # the weight of an action with which `heuristic` moves otherwise now and then


def write_hasty(path: Path) -> str:
    """The spec of `heuristic` with the weight `HASTY`."""
    weights = dict(zip(NAMES, shipped_weights(2)[0].tolist(), strict=True)) | {"action_cost": HASTY}
    path.write_text("[weights]\n" + "".join(f"{name} = {value}\n" for name, value in weights.items()))
    return f"hasty=heuristic:{path}"


@pytest.fixture
def hasty(tmp_path: Path) -> str:
    return write_hasty(tmp_path / "hasty.toml")


def held(agents: list[str], players: int = 2, games: int = 12, **options: object) -> Json:
    return tournaments.held(agents, players, games, **{"aivat": True, "aivat_rollouts": 3, **options})


def dealt(games: int, players: int, first: int = 0) -> BatchedGames:
    table = BatchedGames(games, players)
    for i in range(games):
        table.deal(i, first + i)
    return table


def played(
    table: BatchedGames, agent: str, weighed: Rollouts | None = None, moves: int = 10**9
) -> np.ndarray:
    """Play at most so many moves with `agent` in all seats; return the indices of unfinished games."""
    one = make_agent(agent)
    prepare_agents([one], table.info)
    index = table.everyone
    while len(index) and moves:
        asked = table.ask(index)
        actions = one.act(asked.part(one, np.arange(len(index))))
        if weighed is not None:
            weighed.before(index, actions)
        table.step(index, actions)
        index, moves = index[~table.over[index]], moves - 1
    return index


@pytest.mark.parametrize("players", [2, 3, 5])
@pytest.mark.parametrize("moves", [0, 11, 34, 50])
def test_played_on_every_seat_knows_what_it_knew(players: int, moves: int) -> None:
    table, count, changed = dealt(12, players), 5, 0
    index = played(table, "greedy", moves=moves)
    room = BatchedGames(len(index) * count, players)
    LUCK.draw_anew(table, index, count, room.states)
    for n, i in enumerate(index.tolist()):
        true = table.game(i)
        for world in (room.game(n * count + k) for k in range(count)):
            for seat in range(players):
                assert world.information_state_key(seat) == true.information_state_key(seat)
                assert (world.observe(seat) == true.observe(seat)).all()
            assert (world.mask() == true.mask()).all()
            changed += world.states.tobytes() != true.states.tobytes()
        keys = room.ask(np.arange(n * count, (n + 1) * count)).keys
        assert (keys == table.ask(np.array([i])).keys[0]).all()
    assert changed == len(index) * count > 0
    again = room.states.copy()
    LUCK.draw_anew(table, index, count, again)
    assert again.tobytes() == room.states.tobytes()


def test_the_players_own_moves_leave_all_to_luck() -> None:
    table = dealt(6, 3)
    weighed = Rollouts(table, LUCK.draw_anew, "heuristic", 4)
    start = weighed.worth(table.everyone, 4)
    played(table, "heuristic", weighed)
    shares = shares_of_wins(table, table.everyone)
    for i in range(6):
        assert weighed.correction(i) == pytest.approx(shares[i] - start[i])


def test_a_move_is_worth_what_rollouts_behind_it_say() -> None:
    table = dealt(4, 2)
    index = played(table, "heuristic", moves=30)
    weighed = Rollouts(table, LUCK.draw_anew, "heuristic", 20)
    player = make_agent("heuristic")
    best = player.act(table.ask(index))
    other = np.array([np.flatnonzero(table.game(i).mask() * (np.arange(101) != best[i]))[-1] for i in index])
    before = [weighed.correction(i) for i in index]
    weighed.before(index, other)
    for n, i in enumerate(index):
        room = BatchedGames(20, 2)
        LUCK.draw_anew(table, np.array([i]), 20, room.states)
        ends = []
        for move in (other[n], best[n]):
            world = BatchedGames(20, 2)
            world.states[:] = room.states
            world.step(world.everyone, np.full(20, move))
            played(world, "heuristic")
            ends.append(shares_of_wins(world, world.everyone).mean(0))
        # The move's advantage is removed from the correction.
        assert before[n] - weighed.correction(i) == pytest.approx(ends[0] - ends[1])
    assert any(abs(before[n] - weighed.correction(i)).max() > 0.1 for n, i in enumerate(index))


def luck_of_games(agent: str, players: int, games: int, rollouts: int = 2, moves: int = 10**9) -> np.ndarray:
    """Corrections of games with one agent in all seats, (games, seats), after at most so many moves."""
    table = dealt(games, players, 50_000)
    weighed = Rollouts(table, LUCK.draw_anew, "heuristic", rollouts)
    played(table, agent, weighed, moves)
    return np.array([weighed.correction(i) for i in range(games)])


@pytest.mark.parametrize(
    ("players", "games", "moves"), [(2, 200, ALL), (3, 100, ALL), (4, 60, ALL), (5, 50, ALL), (2, 150, 40)]
)
def test_luck_is_nothing_on_average(hasty: str, players: int, games: int, moves: int) -> None:
    """The mean is zero for whole games and for games that stop early."""
    correction = luck_of_games(hasty.partition("=")[2], players, games, moves=moves)
    error = correction.std(0) / np.sqrt(games)
    assert (abs(correction.mean(0)) < 3.5 * error).all() and (error > 0.01).all()
    assert correction.sum(1) == pytest.approx(np.zeros(games), abs=1e-9)


def test_plain_shares_stay_and_corrected_ones_vary_less(hasty: str) -> None:
    agents = ["heuristic", hasty]
    with_it, without = (held(agents, games=100, aivat_rollouts=count) for count in (8, None))
    by_rollouts, by_value = with_it.pop("aivat"), without.pop("aivat")
    assert untimed(with_it) == untimed(without)
    ratio = by_rollouts["rows"][0]["variance_ratio"]
    assert ratio < 0.75 * by_value["rows"][0]["variance_ratio"]


def test_it_comes_out_the_same_resumed_by_several_processes_and_one_by_one(
    hasty: str, tmp_path: Path
) -> None:
    whole = untimed(held(["heuristic", hasty], 3, folder=tmp_path / "one"))
    assert untimed(held(["heuristic", hasty], 3, workers=2)) == whole
    kept = (tmp_path / "one" / "games.bin").read_bytes()
    (tmp_path / "one" / "games.bin").write_bytes(kept[: len(kept) // 12 * 5])
    assert untimed(held(["heuristic", hasty], 3, folder=tmp_path / "one", resume=True)) == whole
    tournament = define(["heuristic", hasty], 3, 12, aivat=True, aivat_rollouts=3)
    batch, alone = (tournaments.played(tournament, np.arange(12), alone=alone) for alone in (False, True))
    assert (batch["luck"] == alone["luck"]).all()


def test_how_many_are_played_at_once_changes_nothing(hasty: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = luck_of_games(hasty.partition("=")[2], 2, 10)
    monkeypatch.setattr(aivat_rollouts, "ROOM", 5)
    assert (luck_of_games(hasty.partition("=")[2], 2, 10) == whole).all()


def test_an_agent_against_itself_is_level(hasty: str) -> None:
    for row in held([f"a={hasty.partition('=')[2]}", hasty], 3)["aivat"]["rows"]:
        assert row["corrected"] == pytest.approx(1 / 3, abs=1e-4)


def test_a_policy_may_play_on() -> None:
    report = held(["greedy", "heuristic"], games=2, aivat_players=["policy:scratch"], aivat_rollouts=2)
    (told,) = report["aivat"]["rollouts"]["players"]
    assert told["player"] == "policy:scratch" and len(told["sha256"]) == 64


def test_the_report_names_the_player_and_the_folder_holds_to_it(hasty: str, tmp_path: Path) -> None:
    agents = ["greedy", "heuristic"]
    told = held(agents, games=2, folder=tmp_path / "t")["aivat"]["rollouts"]
    assert told["count"] == 3 and [one["player"] for one in told["players"]] == ["heuristic"]
    both = ["heuristic", hasty.partition("=")[2]]
    shipped, other = held(agents, games=2, aivat_players=both)["aivat"]["rollouts"]["players"]
    assert shipped == told["players"][0] and len({shipped["sha256"], other["sha256"]}) == 2
    with pytest.raises(Exception, match=r"rollouts.*: it was started with"):
        held(agents, games=2, folder=tmp_path / "t", resume=True, aivat_rollouts=4)


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ("--aivat-rollouts 3", "aivat rollouts: need --aivat"),
        ("--aivat --aivat-rollouts 0", "aivat rollouts: expected a whole number from 1 to 10000, not 0"),
        ("--aivat --aivat-players greedy", "aivat player: needs a number of rollouts"),
        ("--aivat --aivat-rollouts 3 --aivat-players ismcts:9", "aivat player: 'ismcts:9' searches"),
        ("--aivat --aivat-rollouts 3 --aivat-players nobody", "nobody"),
        ("--game kuhn_poker --aivat --aivat-rollouts 3", "aivat rollouts: Kuhn poker has no rollouts"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(options: str, line: str) -> None:
    agents = "a=random,random" if "kuhn_poker" in options else "greedy,random"
    assert line in run("arena", "--agents", agents, "--games", "2", *options.split(), status=1).stderr


def test_the_command_names_the_player() -> None:
    asked = ["arena", "--agents", "greedy,heuristic", "--games", "2", "--aivat", "--aivat-rollouts", "2"]
    assert ", 2 rollouts by each of heuristic " in run(*asked, "--workers", "1").stdout


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        hasty_spec = write_hasty(Path(folder) / "hasty.toml").partition("=")[2]
        for number in (2, 3, 4, 5):
            told_luck = luck_of_games(hasty_spec, number, int(sys.argv[1]))
            reach = 1.96 * told_luck.std(0) / np.sqrt(len(told_luck))
            seats = zip(told_luck.mean(0), reach, strict=True)
            told_seats = ", ".join(f"{100 * mean:+.2f} (± {100 * width:.2f})" for mean, width in seats)
            print(f"{number} players: mean luck by seat, in % of a win: {told_seats}", flush=True)
