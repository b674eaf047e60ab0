"""Tests `random`, `greedy`, networks of models, and the probabilities that agents give."""

from pathlib import Path

import numpy as np
import pytest

from spacemission_agents.models.folder import save_model, tensor_shapes
from spacemission_env.core.agents import (
    Agent,
    Decisions,
    act_alone,
    agent_entries,
    make_agent,
    prepare_agents,
)
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.decisions import check_decisions
from spacemission_env.core.errors import AgentError
from spacemission_env.core.game_spec import game_names
from spacemission_env.games.space_mission.engine import constants as c
from spacemission_env.games.space_mission.engine.layout import OBSERVATION_SIZE
from spacemission_env.games.space_mission.engine.scoring import tile_points
from spacemission_env.games.space_mission.game import Game
from spacemission_env.games.space_mission.options import Rules
from tests.support.agent_games import ask, collect, facts_of
from tests.support.models import write_model


def test_random_is_uniform() -> None:
    mask = np.zeros((1, 101), np.int8)
    legal = [0, 3, 40, 72, 100]
    mask[0, legal] = 1
    keys = np.random.default_rng(0).integers(0, 2**63 - 1, 20_000)
    blank = np.zeros((len(keys), OBSERVATION_SIZE), np.float32)
    actions = make_agent("random").act(Decisions(blank, mask.repeat(len(keys), 0), keys))
    counts = np.bincount(actions, minlength=101)
    assert counts.sum() == counts[legal].sum()
    assert (abs(counts[legal] / len(keys) - 0.2) < 0.015).all()


# ---------------------------------------------------------------- greedy


def test_greedy_picks_the_tile_of_the_highest_exact_gain() -> None:
    game, agent = Game(2), make_agent("greedy")
    picks = 0
    for seed in range(6):
        game.reset(seed=seed)
        while not game.over:
            action = ask(agent, game, np.zeros(1, np.int64))
            if game.states[0].phase != c.ACTION:
                facts = facts_of(game)
                gains = {}
                for a in game.legal_actions():
                    more = facts.held.copy()
                    more[a - c.TAKE] += 1
                    gains[a] = tile_points(more) - tile_points(facts.held)
                assert action == max(gains, key=lambda a: (gains[a], -a))
                picks += 1
            game.step(action)
    assert picks > 50


# ---------------------------------------------------------------- needs


@pytest.mark.parametrize(
    ("needs", "words"),
    [
        ({"world"}, "unknown 'world'; did you mean 'worlds'\\?"),
        ({7}, "unknown 7; known: observations, whole_numbers, worlds, games"),
        ("worlds", "expected a set such as {'worlds'}, not 'worlds'"),
        ({"observations", "whole_numbers"}, "expected observations or whole_numbers, not both"),
    ],
)
def test_a_class_that_needs_what_there_is_not_is_refused(needs: object, words: str) -> None:
    with pytest.raises(AgentError, match=f"^agent Mine: needs: {words}$"):
        type("Mine", (Agent,), {"needs": needs})


class Mixed:
    """Decides, and is no agent."""

    def choose(self, observation: np.ndarray, mask: np.ndarray, rng: np.random.Generator) -> int:
        return int(observation.argmax() % 2)


@pytest.mark.parametrize(
    ("spec", "needs", "override"),
    [
        ("random", set(), {"observations"}),
        ("greedy", {"whole_numbers"}, {"observations"}),
        ("ismcts", {"worlds"}, {"worlds", "observations"}),
        ("llm", {"games"}, {"games", "observations"}),
    ],
)
def test_a_subclass_that_decides_itself_gets_observations(
    spec: str, needs: set[str], override: set[str]
) -> None:
    cls = agent_entries()[spec].load()
    assert cls.needs == needs
    assert type("Inherits", (cls,), {}).needs == needs
    for method in ("act", "choose", "choose_with_world", "probabilities", "action_probabilities"):
        overrides = type("Overrides", (cls,), {method: getattr(Agent, method)})
        assert overrides.needs == type("Inherits", (overrides,), {}).needs == override
        assert type("Says", (overrides,), {"needs": {"games"}}).needs == {"games"}
    assert type("Mixes", (Mixed, cls), {}).needs == override


class OfGame(Agent):
    """Is made for a game."""

    def __init__(self, parameter: str | None = None, game: object = None) -> None:
        self.made_with = parameter, game


@pytest.mark.parametrize(("rest", "parameter"), [("", None), (":deep", "deep")])
def test_a_constructor_with_a_game_gets_it(rest: str, parameter: str | None) -> None:
    agent = make_agent(f"{__name__}:OfGame{rest}", "kuhn_poker")
    assert vars(agent)["made_with"] == (parameter, "kuhn_poker")


# ---------------------------------------------------------------- whole numbers


class Counts(Agent):
    """Keeps what it is given to read."""

    needs = {"whole_numbers"}
    in_parts = True

    def __init__(self) -> None:
        self.seen: list[np.ndarray] = []

    def act(self, decisions: Decisions) -> np.ndarray:
        self.seen.append(decisions.observations)
        return decisions.masks.argmax(1)


class Overrides(Counts):
    """Does not set `needs` itself."""

    def act(self, decisions: Decisions) -> np.ndarray:
        return super().act(decisions)


@pytest.mark.parametrize("name", game_names())
def test_an_agent_that_reads_whole_numbers_gets_the_compact_observation(name: str) -> None:
    games = BatchedGames(5, game=name)
    for i in range(5):
        games.deal(i, i)
    games.step(games.everyone, games.view(games.everyone)[1].argmax(1))
    agent, index = Counts(), np.array([3, 0, 4])
    asked = games.ask(games.everyone, observations="observations" in agent.needs)
    assert asked.observations.shape[1] == 0, "floats that nobody reads"
    agent.act(asked.part(agent, index))
    for i in index:
        act_alone(agent, games.game(i).ask())
    compact = BatchedGames(5, game=name, dtype="uint8")
    compact.states[:] = games.states
    expected = compact.view(index)[0]
    assert [(one.dtype, len(one)) for one in agent.seen] == [(np.dtype(np.uint8), n) for n in (3, 1, 1, 1)]
    for seen in (agent.seen[0], np.concatenate(agent.seen[1:])):
        assert (seen == expected).all()
    floats = games.ask(index)
    assert floats.part(Overrides(), np.arange(3)).observations.dtype == np.float32
    assert (check_decisions(floats, "counts", whole=True).observations == expected).all()
    with pytest.raises(AgentError, match="observations: expected shape"):
        check_decisions(asked, "counts", whole=True)


# ---------------------------------------------------------------- policy


@pytest.mark.parametrize("activation", ["relu", "tanh"])
@pytest.mark.parametrize("hidden", [(5,), (16, 8), (33, 7, 12)])
def test_the_network_is_the_one_in_the_file(tmp_path: Path, activation: str, hidden: tuple[int, ...]) -> None:
    from spacemission_agents.models.folder import load_model

    agent = make_agent(write_model(tmp_path / "m", 3, hidden, activation))
    arrays = load_model(tmp_path / "m")[1]
    asked = collect(make_agent("greedy"), 2, 20)[15]
    x = asked.observations.astype(np.float64)
    for i in range(len(hidden) + 1):
        x = x @ arrays[f"policy.{i}.weight"].T + arrays[f"policy.{i}.bias"]
        if i < len(hidden):
            x = np.tanh(x) if activation == "tanh" else np.maximum(x, 0)
    assert np.allclose(agent.logits(asked), x, atol=1e-4)  # type: ignore[attr-defined]
    assert (agent.act(asked) == np.where(asked.masks == 1, agent.logits(asked), -np.inf).argmax(1)).all()  # type: ignore[attr-defined]


def test_ties_go_to_the_lowest_legal_index(tmp_path: Path) -> None:
    shapes = tensor_shapes({"hidden": [4]})
    card = {
        "rules": Rules().to_json(),
        "components_sha256": "0" * 64,
        "network": {"hidden": [4], "activation": "tanh"},
        "training": {},
    }
    save_model(tmp_path / "m", {name: np.zeros(shape, np.float32) for name, shape in shapes.items()}, card)
    asked = collect(make_agent("random"), 2, 20)[9]
    assert (make_agent(f"policy:{tmp_path / 'm'}").act(asked) == asked.masks.argmax(1)).all()


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["random", "policy:default?sample"])
def test_agents_play_with_the_probabilities_that_they_give(spec: str) -> None:
    games = BatchedGames(16_000, 2)
    for i in range(16_000):
        games.deal(i, i)
    agent = make_agent(spec)
    prepare_agents([agent], games.info)
    asked = games.ask(games.everyone).part(agent, games.everyone)
    probabilities, actions = agent.action_probabilities(asked), agent.act(asked)
    assert probabilities is not None and probabilities.sum(1) == pytest.approx(np.ones(16_000))
    assert not probabilities[asked.masks == 0].any()
    played = np.bincount(actions, minlength=probabilities.shape[1])
    mean, variance = probabilities.sum(0), (probabilities * (1 - probabilities)).sum(0)
    often = variance > 5
    assert (abs(played - mean)[often] < 5 * np.sqrt(variance[often])).all()
    assert make_agent("policy:default").action_probabilities(asked) is None
