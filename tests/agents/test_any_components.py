"""Agents play with any valid components and options, and read the components that they play with."""

from collections.abc import Iterator

import gymnasium
import numpy as np
import pytest

import spacemission_env  # noqa: F401 (registers SpaceMission-v0)
from spacemission_agents.arena.play import TournamentPlayer, play_games
from spacemission_agents.arena.schedule import Limits
from spacemission_agents.arena.tournament import define
from spacemission_agents.probing import ask_all, load_probes
from spacemission_env.core.agents import Agent, Decisions, GameInfo, act_alone, make_agent
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.errors import AgentError
from spacemission_env.core.reading import Json
from spacemission_env.games.space_mission.components import Components, load_components
from spacemission_env.games.space_mission.engine import constants as c
from spacemission_env.games.space_mission.facts import probe_points
from spacemission_env.games.space_mission.game import Game
from spacemission_env.games.space_mission.spec import SPEC
from studies.any_components import win_share
from tests.support.agent_games import facts_of
from tests.support.random_components import random_box

pytestmark = pytest.mark.slow

BOTS = ("random", "greedy", "heuristic", "ismcts:4")
OPTIONS = (
    "printed",
    "yucata",
    "space_tile_penalty=on",
    "chips_per_player=1",
    "chips_per_player=3,gate_points_without_probe=on",
    "chips_per_player=100",
    "hand_size=1",
    "hand_size=3,space_tile_penalty=on",
    "actions_per_turn=1",
    "actions_per_turn=4,hand_size=2",
    "space_tiles_to_end=1",
    "space_tiles_to_end=16",
    "start_player=1",
    "empty_top_up=off",
    "empty_top_up=off,hand_size=2",
    "scan_face_up=on,space_tile_penalty=on",
)


# ---------------------------------------------------------------- playing


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("rules", OPTIONS)
def test_every_bot_plays_any_box_with_any_option(rules: str, players: int) -> None:
    """`play_games` raises an error for an illegal move or a failing agent."""
    limit = rules + ",max_rounds=25"
    lineups = (np.arange(len(BOTS))[:, None] + np.arange(players)) % len(BOTS)  # each agent is first once
    for i in range(2):
        box = random_box(1000 + 8 * OPTIONS.index(rules) + 2 * (players - 2) + i)
        results = play_games(BOTS, lineups, np.arange(len(BOTS)) + i, limit, box, workers=1)
        assert (results.decisions.sum(1) > 2 * players).all()


def test_bots_tell_boxes_apart_in_one_batch_after_the_other() -> None:
    """One agent plays with two boxes in turn as two agents would."""
    tables = [BatchedGames(6, 3, "printed", box) for box in (None, random_box(1), random_box(2))]
    for table in tables:
        for i in range(table.count):
            table.deal(i, i)
    for name in ("greedy", "heuristic", "ismcts:4"):
        one, several = make_agent(name), [make_agent(name) for _ in tables]
        for _ in range(4):
            for agent, table in zip(several, tables, strict=True):
                asked = table.ask(table.everyone)
                actions = act_alone(one, asked)
                assert (actions == act_alone(agent, asked)).all()
                table.step(table.everyone, actions)


def test_heuristic_beats_greedy_in_boxes_that_nobody_tuned_it_for() -> None:
    """At least 65 %; `python -m studies.any_components` measures 82 % in more games."""
    assert np.mean([win_share(random_box(seed), ("heuristic", "greedy"), 8) for seed in range(50)]) >= 0.65


# ---------------------------------------------------------------- reading


def positions(box: Components, rules: str, players: int, seed: int, each: int = 5) -> Iterator[Game]:
    """Positions of a game of `greedy` with some random moves."""
    bot = make_agent("greedy")
    game, rng = Game(players, rules + ",max_rounds=40", box), np.random.default_rng(seed)
    game.reset(seed)
    step = 0
    while not game.over:
        if step % each == 0:
            yield game
        stray = rng.random() < 0.3
        game.step(int(rng.choice(game.legal_actions()) if stray else act_alone(bot, game.ask())[0]))
        step += 1


def held_by(game: Game, seat: int) -> np.ndarray:
    """The tiles of a seat from the state, with those reserved on undeveloped planets."""
    s = game.states[0]
    held = s.tiles[seat].astype(int)
    for p in range(c.RING):
        for i in range(s.taken[p]):
            if s.station[p] == c.NOWHERE and s.taken_by[p, i] == seat:
                held[s.taken_kind[p, i]] += 1
    return held


def worth(game: Game, seat: int, tiles: np.ndarray) -> int:
    """The total score of a seat with these tiles."""
    other = game.clone()
    other.states[0].tiles[seat] = tiles
    return int(other.scores()[seat, c.TOTAL])


def scored_gains(game: Game, seat: int) -> list[int]:
    """The points that one more tile of each kind adds, with all reserved tiles received."""
    held = held_by(game, seat)
    one = np.eye(c.KINDS, dtype=int)
    base = worth(game, seat, held)
    return [worth(game, seat, held + one[k]) - base for k in range(c.POINT_KINDS)]


def test_facts_of_tiles_and_their_worth_are_as_they_are_in_any_box() -> None:
    others = 0
    usual = np.array(load_components().tiles)
    for seed in range(24):
        box, rules = random_box(seed), OPTIONS[seed % len(OPTIONS)]
        for game in positions(box, rules, 2 + seed % 4, seed):
            s, seat = game.states[0], int(game.states[0].player)
            facts = facts_of(game)
            assert (facts.tiles == s.tiles[seat]).all()
            assert (facts.held == held_by(game, seat)).all()
            assert facts.gains.tolist() == scored_gains(game, seat)
            n, ring = game.num_players, range(c.RING)
            assert (facts.ship[:n] == np.roll(s.ship[:n], -seat)).all() and facts.here == s.ship[seat]
            assert (facts.owner == np.where(s.station < 0, c.NOWHERE, (s.station - seat) % n)).all()
            assert [facts.developed >> p & 1 for p in ring] == (s.station >= 0).tolist()
            assert [facts.scanned >> p & 1 for p in ring] == s.scanned[seat].tolist()
            assert facts.hand_size == s.hand_size[seat]
            jumped = game.clone()
            jumped.states[0].gate[seat] += 1
            more = probe_points(facts.gate, n, 0, game.t.gate_points_without_probe)
            assert more == worth(jumped, seat, s.tiles[seat]) - worth(game, seat, s.tiles[seat])
            gate = [game.scores()[(seat + k) % n, c.GATE] for k in range(n)]
            assert facts.gate_points[:n].tolist() == gate
            others += (s.tiles[seat][usual != box.tiles] > 0).any()
    assert others > 100, "a bot that took the box for the default one would have read the same"


# ---------------------------------------------------------------- being told


class Listener(Agent):
    """Plays the first legal move; must be prepared first."""

    def __init__(self, parameter: str | None = None) -> None:
        self.told: list[GameInfo] = []
        self.parameters: list[np.ndarray] = []

    def prepare(self, info: GameInfo) -> None:
        self.told.append(info)

    def act(self, decisions: Decisions) -> np.ndarray:
        assert self.told, "asked before it was told the game"
        assert decisions.parameters is not None
        assert (decisions.parameters == self.told[-1].parameters).all()
        self.parameters.append(decisions.parameters)
        return decisions.masks.argmax(1)


class Refusing(Agent):
    """Refuses every game."""

    def prepare(self, info: GameInfo) -> None:
        raise AgentError(f"not with {info.num_players} in {info.components.name}, {info.observation}")


def check_told(listener: Listener, players: int, box: Components | None, rules: str) -> None:
    """Check that `prepare` and the decisions had the parameters of the game."""
    info, expected = listener.told[0], Game(players, rules, box)
    assert (info.num_players, info.rules) == (players, expected.rules)
    assert info.components == expected.components
    assert info.parameters.tobytes() == expected.parameters.tobytes()
    assert listener.parameters
    for boxes in (info.parameters, *listener.parameters):
        assert not boxes.flags.writeable


RULES = "hand_size=4,max_rounds=6"


@pytest.mark.parametrize("observation", ["perfect_recall", "table"])
def test_single_and_vector_environments_tell_the_opponents(observation: str) -> None:
    for make in (gymnasium.make, gymnasium.make_vec):
        bot = Listener()
        given: Json = {"components": random_box(1), "rules": RULES, "observation": observation}
        env = make("SpaceMission-v0", num_players=3, opponents=[bot, bot], **given)
        env.reset(seed=1)
        env.close()
        check_told(bot, 3, random_box(1), RULES)
        assert bot.told[0].observation == observation
        assert len(bot.told) == 1, "one agent in two seats is told once"


def test_arena_probes_tournament_and_training_tell_their_agents(monkeypatch: pytest.MonkeyPatch) -> None:
    box, bot = random_box(1), Listener()
    play_games([bot, "random"], [[0, 1, 1]], [1], RULES, box)
    check_told(bot, 3, box, RULES)
    bot = Listener()
    probe = load_probes()[0]
    try:
        ask_all(bot, [probe], repeat=1)
    finally:
        assert bot.told[0].parameters is probe.game.parameters
    made: list[Listener] = []
    monkeypatch.setattr(Listener, "__init__", lambda self, parameter=None: _made(self, made))
    for module in ("tournament", "play"):  # so that the agent runs in this process
        monkeypatch.setattr(f"spacemission_agents.arena.{module}.is_bot", lambda *agent: False)
    spec = f"{__name__}:Listener"
    tournament = define([spec, "random"], 2, Limits(2), rules=RULES, components=box)
    TournamentPlayer(tournament).play(np.arange(2), lambda games: None)
    check_told(made[-1], 2, box, RULES)


def _made(listener: Listener, made: list[Listener]) -> None:
    listener.told, listener.parameters = [], []
    made.append(listener)


def test_a_refusal_is_one_line_before_play() -> None:
    box = random_box(1)
    for make in (gymnasium.make, gymnasium.make_vec):
        with pytest.raises(AgentError, match="not with 2 in box 1, table"):
            make("SpaceMission-v0", num_players=2, opponents=Refusing(), components=box, observation="table")
    with pytest.raises(AgentError, match="not with 4 in default, perfect_recall"):
        play_games([Refusing()], [[0] * 4], [1])


def test_the_box_of_a_decision_cannot_be_written_into() -> None:
    game, table = Game(2), BatchedGames(2, 2)
    game.reset(1)
    for i in range(2):
        table.deal(i, i)
    before = SPEC.default_parameters().tobytes()
    for asked in (game.ask(), table.ask(table.everyone)):
        for agent in (make_agent("random"), make_agent("ismcts:1")):
            boxes = asked.part(agent, np.arange(1)).parameters
            assert boxes is not None
            with pytest.raises(ValueError, match="read-only"):
                boxes["tile_count"][0, 3] = 9
            with pytest.raises(ValueError, match="read-only"):
                boxes[0].max_rounds = 9
            with pytest.raises(ValueError, match="WRITEABLE"):
                boxes.setflags(write=True)
    assert SPEC.default_parameters().tobytes() == before


def test_decisions_made_by_hand_are_of_the_default_box() -> None:
    game = Game(3)
    game.reset(4)
    by_hand = Decisions(game.observe()[None], game.mask()[None], np.array([game.decision_key()]))
    assert by_hand.parameters is SPEC.default_parameters()
    for name in ("greedy", "heuristic"):
        assert make_agent(name).act(by_hand) == act_alone(make_agent(name), game.ask())
