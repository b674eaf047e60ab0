"""Tests of self-play against other agents: seats, the others' moves, and the targets."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

from spacemission_agents.games.space_mission.value.afterstates import MARGIN_UNIT, POINTS_UNIT
from spacemission_env.core.agents import Agent, Decisions, act_alone, make_agent, prepare_agents
from spacemission_env.core.errors import AgentError, SpaceMissionError
from spacemission_env.core.rng import seed_rng
from spacemission_env.games.space_mission.engine.constants import ACTION_COUNT, MAX_PLAYERS, SCORES, TOTAL
from spacemission_env.games.space_mission.engine.constants import STATIONS as STATION_POINTS
from spacemission_env.games.space_mission.engine.state import STATE
from spacemission_env.games.space_mission.game import Game
from spacemission_train.self_play import LEARNER, Part, SelfPlay, seat_opponents
from tests.oracle.space_mission_oracle import winning_seats
from tests.support.afterstates import judged, random_arrays, random_network
from tests.support.small_runs import tiny
from tests.support.value_games import forward_view, games_of

pytestmark = pytest.mark.slow

SHORT = "printed,max_rounds=3"
MIXED = "heuristic=0.3,random=0.3,latest=0.4"


# ------------------------------------------------------------ who has which seat


def seated(players: int, edges: list[float], games: int) -> np.ndarray:
    """Who has each seat in new games, 0 for the learner, then the others: int (games, players)."""
    dice, who = np.zeros(1, STATE), np.full((games, MAX_PLAYERS), 9, np.int8)
    seed_rng(dice[0], 10 * players + len(edges))
    for row in who:
        seat_opponents(dice, np.array(edges), players, row)
    assert (who[:, players:] == LEARNER).all()
    return who[:, :players] + 1


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_seats_are_drawn_by_the_shares_and_one_is_the_learners(players: int) -> None:
    games, shares = 6000, np.array([0.5, 0.3, 0.2])  # the learner's, and of two others
    who = seated(players, [0.3, 0.5], games)
    own = (who == 0).sum(1)
    assert own.min() == 1 and own.max() == players
    one_for_sure = np.eye(3)[0]  # the others by the shares
    probabilities = (one_for_sure + (players - 1) * shares) / players
    for j in range(players):
        found = np.bincount(who[:, j], minlength=3) / games
        assert found == pytest.approx(probabilities, abs=0.03), f"seat {j}"
    expected = [0.5 ** (players - 1) * n for n in (1, 1 if players == 2 else players - 1)]
    assert (own == players).mean() == pytest.approx(expected[0], abs=0.03)
    assert (own == players - 1).mean() == pytest.approx(expected[1], abs=0.03), "not each by itself"
    alone = seated(players, [1.0], 4000)  # without a share of its own the learner has one seat, any
    assert ((alone == 0).sum(1) == 1).all() and set(alone.ravel()) == {0, 1}
    assert (alone == 0).mean(0) == pytest.approx(np.full(players, 1 / players), abs=0.03)


def test_shares_are_those_of_the_mixture_and_without_others_nothing_is_drawn() -> None:
    of = Part(tiny("scratch", opponents="greedy=1,latest=2,random=1"), 1)
    assert of.names == ["greedy", "random"] and of.edges == pytest.approx(np.array([0.25, 0.5]))
    target = Part(tiny("scratch", exploit="heuristic", players=2), 1)
    assert target.names == ["heuristic"] and target.edges.tolist() == [1.0]
    assert not len(Part(tiny("scratch"), 1).edges)
    dice, who = np.zeros(1, STATE), np.ones(MAX_PLAYERS, np.int8)
    before = dice.tobytes()
    seat_opponents(dice, np.zeros(0), 4, who)
    assert (who == LEARNER).all() and dice.tobytes() == before


def test_every_new_game_has_seats_drawn_anew() -> None:
    of, play = games_of(4, SHORT, games=40, opponents=MIXED)
    met: Counter[int] = Counter()
    before = None
    for _ in range(60):
        play(1)
        assert ((of.memory.who == LEARNER)[:, :4].any(1)).all() and (of.memory.who[:, 4:] == LEARNER).all()
        now = of.states["seed"].copy(), of.memory.who.copy()
        if before is not None:
            same = before[0] == now[0]
            assert (before[1][same] == now[1][same]).all(), "a seat changed hands within a game"
            assert same.all() or (before[1] != now[1]).any()
            met.update(now[1][~same][:, :4].ravel().tolist())
        before = now
    assert met[0] > 30 and met[1] > 30 and met[LEARNER] > met[0] + met[1] * 0.5


# ------------------------------------------------------------ what is played


class Watch:
    """Follows one game of a table move by move, with the public rules and its own agents."""

    def __init__(self, players: int, rules: str, **more: Any) -> None:
        given = {"opponents": MIXED, "most": ACTION_COUNT, "lam": 0.8, "gamma": 0.9, "temperature": 0.1}
        self.table, self.play = games_of(players, rules, **given, **more)
        self.network = random_network(2)
        self.agents = [make_agent(name) for name in self.table.names]
        self.game = Game(players, rules)
        prepare_agents(self.agents, self.game.info)
        self.game.reset(0)  # not one of the table's
        self.begun = False
        self.met: Counter[str] = Counter()
        self.begin()

    def begin(self) -> None:
        """Check that the memory has no entry of the game yet."""
        self.seats: list[int] = []
        self.features: list[np.ndarray] = []
        self.values: list[float] = []
        self.cuts: list[bool] = []
        self.rounds: list[int] = []

    def let_others_play(self) -> None:
        """Play the agents' moves in this one game up to the turn of an own seat."""
        who, game = self.table.memory.who[0], self.game
        while not game.over and who[game.states[0].player] != LEARNER:
            number = int(who[game.states[0].player])
            game.step(int(act_alone(self.agents[number], game.ask())[0]))
            self.met[self.table.names[number]] += 1

    def follow(self) -> None:
        """Check one own decision of the table, and the others' moves before it."""
        own_ended = self.game.over
        if self.begun:
            self.let_others_play()
        before, new = self.game, self.play(1)
        if self.begun and not before.over:
            assert new == 0
        else:
            if self.begun:
                self.look_at_targets(before, new)
                self.met["own end" if own_ended else "others' end"] += 1
            self.begun, self.game = True, before.clone()
            self.game.reset(int(self.table.states[0].seed))
            self.begin()
            self.let_others_play()
        self.own_move()

    def own_move(self) -> None:
        """Check that the state is the one after a legal own move, and that the memory has it."""
        of, game, n = self.table, self.game, len(self.seats)
        actions, features, logits = judged(game, self.network)
        after = {action: game.clone() for action in actions}
        for action, clone in after.items():
            clone.step(action)
        played = [a for a in actions if after[a].states[0].tobytes() == of.states[0].tobytes()]
        assert played, "no legal move leads there, or others have moved too"
        assert of.memory.counts[0] == n + 1 and of.memory.seats[0, n] == game.states[0].player
        assert of.memory.who[0, of.memory.seats[0, n]] == LEARNER
        assert (of.memory.features[0, n] == features[actions.index(played[0])]).all()
        assert of.memory.values[0, n] == pytest.approx(1 / (1 + np.exp(-logits.max())), abs=1e-6)
        self.seats.append(int(of.memory.seats[0, n]))
        self.features.append(of.memory.features[0, n].copy())
        self.values.append(float(of.memory.values[0, n]))
        self.cuts.append(bool(of.memory.cuts[0, n]))
        self.rounds.append(int(game.states[0].round_number))
        self.game = after[played[0]]

    def look_at_targets(self, game: Game, new: int) -> None:
        """Check the entries of a finished game in the ring."""
        of, count = self.table, len(self.seats)
        assert new == count, "a position that is not an own seat's, or one is missing"
        scores = game.scores()
        assert scores.shape == (game.num_players, SCORES)
        totals, stations = scores[:, TOTAL].tolist(), scores[:, STATION_POINTS].tolist()
        winners = winning_seats(totals, stations)
        expected = np.zeros((count, 3))
        for j in set(self.seats):
            own = [i for i in range(count) if self.seats[i] == j]
            outcome = (j in winners) / len(winners)
            values, cuts = [self.values[i] for i in own], [self.cuts[i] for i in own]
            even, rounds = [1 / game.num_players] * len(own), [self.rounds[i] for i in own]
            expected[own, 0] = forward_view(values, cuts, outcome, 0.8, 0.9, rounds, even)
            best = max(totals[:j] + totals[j + 1 :])
            expected[own, 1:] = totals[j] / POINTS_UNIT, (totals[j] - best) / MARGIN_UNIT
        places = [(of.at - 1 - i) % len(of.memory.x) for i in range(count)]  # the first position last
        assert (of.memory.x[places] == self.features).all()
        assert of.memory.y[places] == pytest.approx(expected, abs=1e-5)


OPTIONS = "yucata,max_rounds=3,space_tile_penalty=true,hand_size=4,actions_per_turn=3"


@pytest.mark.parametrize(("players", "rules"), [(2, SHORT), (3, SHORT), (4, SHORT), (5, SHORT), (3, OPTIONS)])
def test_games_go_on_by_the_rules_and_others_play_what_they_would_alone(players: int, rules: str) -> None:
    """The memory has only own decisions, with the results of the seat."""
    watch = Watch(players, rules, random=0.1, seed=players)
    for _ in range(260):
        watch.follow()
    met = watch.met
    assert met["heuristic"] > 20 and met["random"] > 20, met
    assert met["own end"] + met["others' end"] > 5 and min(met["own end"], met["others' end"]) > 0, met


def test_every_own_decision_is_counted_and_no_other() -> None:
    of, play = games_of(4, SHORT, games=6, opponents="random=0.9,latest=0.1")
    for _ in range(8):
        play(10)
        assert not of.memory.left.any()
    decisions, games, rounds, dropped = of.memory.totals
    assert decisions == 8 * 10 * 6 and games > 6 and not dropped
    assert of.filled + of.memory.counts.sum() == decisions, "each is kept, or its game goes on"
    assert 1 <= rounds / games <= 3


# ------------------------------------------------------------ many games


def test_all_parts_play_all_numbers_of_players_against_others() -> None:
    games = SelfPlay(tiny("scratch", players=(2, 3, 5), opponents="greedy=0.5,latest=0.5"))
    arrays = random_arrays(1)
    met: Counter[int] = Counter()
    for _ in range(6):
        decisions, _ = games.play(arrays)
        assert decisions == 8 * 16
        for of in games.parts:
            for state, who in zip(of.states, of.memory.who, strict=True):
                assert (who[: state.num_players] == LEARNER).any()
                assert (who[state.num_players :] == LEARNER).all()
                met[int(state.num_players), int(who.max())] += 1
    games.close()
    assert all(met[players, 0] for players in (2, 3, 5)), met
    assert games.filled and games.games
    ids = {id(agent) for of in games.parts for agent in of.turns.agents}
    assert len(ids) == len(games.parts), "threads share an agent"


class Failing(Agent):
    """Fails in its third decision, or as its parameter says."""

    asked = 0

    def __init__(self, way: str | None = None) -> None:
        self.way = way

    def prepare(self, info: Any) -> None:
        if self.way == "picky" and info.num_players == 3:
            raise AgentError("agent Failing: not with three")

    def act(self, decisions: Decisions) -> np.ndarray:
        self.asked += len(decisions)
        if self.way is None and self.asked > 2:
            raise RuntimeError("out of ideas\nand lines")
        answers = {"illegal": 10_000, "half": 0.5}
        return (
            np.full(len(decisions), answers[self.way]) if self.way in answers else decisions.masks.argmax(1)
        )


FAILING = f"{__name__}:Failing"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (FAILING, "agent 'Failing': failed with RuntimeError: out of ideas"),
        (f"{FAILING}:illegal", "10000"),
        (f"{FAILING}:half", "agent 'Failing': act: expected"),
    ],
)
def test_one_that_fails_ends_the_games_in_one_line(name: str, words: str) -> None:
    games = SelfPlay(tiny("scratch", opponents=f"{name}=1"))
    with pytest.raises(SpaceMissionError, match=words) as ended:
        games.play(random_arrays(1))
    assert "\n" not in str(ended.value)
    games.close()


def test_one_that_cannot_play_these_games_is_refused() -> None:
    picky = f"{FAILING}:picky=1"
    assert Part(tiny("scratch", opponents=picky), 1).names == [f"{FAILING}:picky"]
    with pytest.raises(AgentError, match="not with three"):
        Part(tiny("scratch", opponents=picky, players=(2, 3)), 1)
