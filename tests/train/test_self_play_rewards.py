"""Tests that self-play rewards the right seat: in a toy game with known rewards, and in the real game."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

from spacemission_env.core.agents import Decisions, make_agent
from spacemission_env.games.space_mission.engine.constants import REWARD_NAMES
from spacemission_env.games.space_mission.game import Game
from spacemission_train.self_play.league import Pool
from spacemission_train.self_play.table import GameTable
from spacemission_train.self_play.vec_env import SelfPlayVecEnv
from spacemission_train.settings.settings import Form

TURN = 2  # moves of a seat in a row, as in Space Mission
GAME, MADE, TO_ACT, SEEN_BY = range(4)  # what a toy observation holds


class CountingTable:
    """A toy game: players make two moves a turn until a number of moves, which the seed sets, is reached.

    The final reward of seat j in the n-th new game is 100 * n + j + 1, so a reward identifies game and seat.
    """

    observation_size = 4
    action_count = 2
    dtype = "float32"

    def __init__(self, count: int, num_players: int, longest: int) -> None:
        self.count, self.num_players, self.longest = count, num_players, longest
        self.states = {"num_players": np.full(count, num_players)}
        self.number = np.zeros(count, np.int64)
        self.made = np.zeros(count, np.int64)
        self.length = np.ones(count, np.int64)
        self.first = np.zeros(count, np.int64)
        self.dealt = 0
        self.lengths: dict[int, tuple[int, int]] = {}  # by game number: moves, first seat

    def deal(self, i: int, seed: int) -> None:
        self.dealt += 1
        self.number[i], self.made[i] = self.dealt, 0
        self.length[i] = 1 + seed % self.longest
        self.first[i] = seed // self.longest % self.num_players
        self.lengths[self.dealt] = int(self.length[i]), int(self.first[i])

    @property
    def players(self) -> np.ndarray:
        return (self.first + self.made // TURN) % self.num_players

    @property
    def seats(self) -> np.ndarray:
        return np.full(self.count, self.num_players)

    @property
    def over(self) -> np.ndarray:
        return self.made == self.length

    def view(self, index: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        assert not self.over[index].any(), "a view of a game that is over"
        seats = self.players[index]
        observations = np.stack([self.number[index], self.made[index], seats, seats], 1).astype(np.float32)
        return observations, np.ones((len(index), 2), np.int8)

    def ask(self, index: np.ndarray) -> Decisions:
        return Decisions(*self.view(index), self.keys(index))

    def keys(self, index: np.ndarray) -> np.ndarray:
        return self.number[index] * 1000 + self.made[index]

    def step(self, index: np.ndarray, actions: np.ndarray) -> None:
        assert not self.over[index].any(), "a move after the end"
        assert len(np.unique(index)) == len(index)
        self.made[index] += 1

    def final_rewards(self, index: np.ndarray) -> np.ndarray:
        assert self.over[index].all(), "paid before the end"
        return (100 * self.number[index][:, None] + np.arange(self.num_players) + 1).astype(np.float32)

    def truncated(self, index: np.ndarray) -> np.ndarray:
        return self.length[index] == self.longest

    def seen_by(self, seats: np.ndarray, index: np.ndarray) -> np.ndarray:
        rows = [self.number[index], self.made[index], self.players[index], seats]
        return np.stack(rows, 1).astype(np.float32)

    def margins(self, index: np.ndarray, seats: np.ndarray) -> np.ndarray:
        return (1000 * self.number[index] + 10 * self.made[index] + seats).astype(np.float32)


class CountingOpponents:
    """Opponents that check that they only get decisions of their own seats."""

    def __init__(self) -> None:
        self.moves = 0

    def draw(self, rng: np.random.Generator, count: int) -> np.ndarray:
        return np.full(count, 7)

    def act(self, who: np.ndarray, decisions: Decisions) -> np.ndarray:
        assert (who == 7).all()
        assert len(decisions) == len(who) == len(decisions.observations) == len(decisions.masks)
        self.moves += len(who)
        return np.zeros(len(who), np.int64)

    def note(self, players: np.ndarray, results: np.ndarray) -> None:
        assert (players == 7).all()
        assert len(players) == len(results)


class Episode(NamedTuple):
    """The learner's steps of one game."""

    observations: list[np.ndarray]
    rewards: list[float]


def play(env: SelfPlayVecEnv, steps: int) -> list[tuple[Episode, dict[str, Any], int]]:
    """Step and collect the ended episodes, each with its info and the learner's seat."""
    observations = env.reset()
    running = [Episode([], []) for _ in range(env.num_envs)]
    ended = []
    for _ in range(steps):
        seats = env.seating.seat.copy()
        assert (observations[:, TO_ACT] == seats).all(), "asked at another seat's turn"
        assert (observations[:, SEEN_BY] == seats).all()
        for i, episode in enumerate(running):
            episode.observations.append(observations[i])
        observations, rewards, dones, infos = env.step(np.zeros(env.num_envs, np.int64))
        for i, episode in enumerate(running):
            episode.rewards.append(float(rewards[i]))
            assert bool(infos[i]) == dones[i]
            if dones[i]:
                assert infos[i]["seat"] == seats[i]
                ended.append((episode, infos[i], int(seats[i])))
                running[i] = Episode([], [])
    return ended


@pytest.mark.parametrize("num_players", [2, 3, 4])
@pytest.mark.parametrize("longest", [3, 12, 40])
def test_every_seat_gets_its_own_final_reward_once(num_players: int, longest: int) -> None:
    table, opponents = CountingTable(7, num_players, longest), CountingOpponents()
    env = SelfPlayVecEnv(table, opponents, seed=3)
    ended = play(env, 400)
    paid = [int(episode.observations[0][GAME]) for episode, _, _ in ended]
    assert len(paid) > 100
    assert len(set(paid)) == len(paid) == env.games_played
    by_learner = by_others = 0
    for episode, info, seat in ended:
        number = int(episode.observations[0][GAME])
        length, first = table.lengths[number]
        assert all(o[GAME] == number for o in episode.observations), "a transition mixes games"
        assert episode.rewards[:-1] == [0.0] * (len(episode.rewards) - 1)
        assert episode.rewards[-1] == 100 * number + seat + 1
        assert info["rewards"].tolist() == [100 * number + j + 1 for j in range(num_players)]
        assert info["terminal_observation"].tolist()[:2] == [number, length]
        assert info["terminal_observation"][SEEN_BY] == seat
        assert info["truncated"] == (length == longest)
        assert info["TimeLimit.truncated"] is False
        assert info["episode"] == {"r": episode.rewards[-1], "l": len(episode.rewards)}
        made = [int(o[MADE]) for o in episode.observations]
        own = [m for m in range(length) if (first + m // TURN) % num_players == seat]
        assert made == own, "a decision of the learner is missing"
        by_learner += own[-1] == length - 1
        by_others += own[-1] < length - 1
    assert by_learner
    assert by_others
    # Games in which the learner never acted are left out, and only those.
    unfinished = {int(number) for number in table.number}
    for number, (length, first) in table.lengths.items():
        if number not in paid and number not in unfinished:
            acted = {(first + m // TURN) % num_players for m in range(length)}
            assert len(acted) < num_players
    assert opponents.moves > 0


def test_truncation_is_reported_to_sb3_only_where_asked_for() -> None:
    table = CountingTable(5, 2, 6)
    env = SelfPlayVecEnv(table, CountingOpponents(), bootstrap_truncated=True)
    infos = [info for _, info, _ in play(env, 100)]
    assert {info["TimeLimit.truncated"] for info in infos} == {True, False}
    assert all(info["TimeLimit.truncated"] == info["truncated"] for info in infos)


def test_learner_seats_are_used_evenly() -> None:
    ended = play(SelfPlayVecEnv(CountingTable(6, 3, 30), CountingOpponents()), 600)
    counts = np.bincount([seat for _, _, seat in ended])
    assert counts.min() > 0.8 * counts.max()


class LoggingTable(GameTable):
    """The real game; it records the seed and the moves of each game."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.games: dict[int, tuple[int, int, list[int]]] = {}
        self.ended: list[tuple[int, int, list[int]]] = []  # seed, number of players, moves

    def deal(self, i: int, seed: int) -> None:
        if i in self.games:
            self.ended.append(self.games[i])
        super().deal(i, seed)
        self.games[i] = (seed, int(self.seats[i]), [])

    def step(self, index: np.ndarray, actions: np.ndarray) -> None:
        super().step(index, actions)
        for i, action in zip(index, actions, strict=True):
            self.games[int(i)][2].append(int(action))


class Noting(Pool):
    """A league that records all results."""

    def __init__(self, spec: str) -> None:
        super().__init__({spec: 1.0}, Form())
        self.noted: list[float] = []

    def note(self, players: np.ndarray, results: np.ndarray) -> None:
        self.noted += results.tolist()


@pytest.mark.parametrize("num_players", [2, 3, 5, (2, 3, 5), (4, 2)])
@pytest.mark.parametrize("reward", ["win", "rank", "score_margin"])
def test_rewards_are_those_of_game(num_players: int | tuple[int, ...], reward: str) -> None:
    table = LoggingTable(6, num_players, "printed,max_rounds=15", reward=reward)
    opponents = Noting("greedy")
    env = SelfPlayVecEnv(table, opponents, seed=3)
    learner = make_agent("greedy")
    observations = env.reset()
    paid = []
    for _ in range(200):
        masks = env.action_masks().copy()
        actions = learner.act(Decisions(observations, masks, np.arange(6)))
        before = len(table.ended)
        observations, rewards, dones, infos = env.step(actions)
        done = np.flatnonzero(dones)
        assert len(table.ended) - before == len(done)
        paid += [(float(rewards[i]), infos[i]) for i in done]
    assert len(paid) > 12
    games = {tuple(moves): seed for seed, _, moves in table.ended}
    assert len(games) == len(paid)
    finals = []
    mode = REWARD_NAMES.index(reward)
    for seed, number, moves in table.ended:
        game = Game(number, "printed,max_rounds=15")
        game.reset(seed=seed)
        for move in moves:
            game.step(move)
        assert game.over
        finals.append(game)
    # Within one step several games may end in any order; match them by what the learner's seat saw last.
    seen = {game.observe(seat).tobytes(): (game, seat) for game in finals for seat in range(game.num_players)}
    results: list[float] = []
    for value, info in paid:
        game, seat = seen[info["terminal_observation"].tobytes()]
        assert seat == info["seat"]
        assert value == pytest.approx(game.rewards(mode)[seat], abs=1e-6)
        assert info["rewards"] == pytest.approx(game.rewards(mode), abs=1e-6)
        assert info["truncated"] == (game.reason == "truncated")
        others = np.delete(game.rewards(mode), seat)
        results += (0.5 + 0.5 * np.sign(game.rewards(mode)[seat] - others)).tolist()
    assert sorted(opponents.noted) == sorted(results), "a result for each of the learner's opponents"
    numbers = {game.num_players for game in finals}
    assert numbers == ({num_players} if isinstance(num_players, int) else set(num_players))
    seats = {
        (game.num_players, seat)
        for game, seat in (seen[i["terminal_observation"].tobytes()] for _, i in paid)
    }
    assert {0, 1} <= {seat for _, seat in seats} and len(seats) > len(numbers)
