"""Tests of PPO over afterstates: kept decisions, advantages, the policy's network, and runs."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from spacemission_agents.afterstates.network import (
    INPUT,
    POLICY_INPUT,
    RATED_INPUT,
    RATED_POLICY_INPUT,
    share_of_move,
)
from spacemission_agents.games.planet_hexx.value import LOSS, LOSS_FINE
from spacemission_agents.models.policy import NetworkAgent
from spacemission_env.core.agents import make_agent
from spacemission_env.core.errors import AgentError
from spacemission_env.core.game_spec import game_names
from spacemission_env.core.reading import Json
from spacemission_train import self_play
from spacemission_train.learner import Learner
from spacemission_train.networks import Policy, Value
from spacemission_train.presets import make_settings
from spacemission_train.run import start, torch_settings
from spacemission_train.self_play import LEARNT_SHARE, Decided, Rates, SelfPlay, bind_games
from spacemission_train.settings import Settings
from spacemission_train.start import StartError, followed, load_start
from tests.support import take_stones
from tests.support.any_afterstates import RULES, afterstates, positions
from tests.support.small_runs import same

pytestmark = pytest.mark.slow

SMALL: Json = {
    "input": POLICY_INPUT, "envs": 8, "n_steps": 16, "batch_size": 16, "evaluation_games": 4,
    "checkpoint_steps": 4000, "threads": 1, "steps": 1000,
}  # fmt: skip
RATED = [game for game in game_names() if len(afterstates(game).features.rating_scales)]
VALUES = {POLICY_INPUT: INPUT, RATED_POLICY_INPUT: RATED_INPUT}
KINDS = [(game, POLICY_INPUT) for game in game_names()] + [(game, RATED_POLICY_INPUT) for game in RATED]


def small(game: str, **changes: object) -> Settings:
    hidden = (6, 12, 8) if afterstates(game).features.rows else (12, 8)
    of: Json = {**SMALL, "hidden": hidden, "rules": RULES.get(game), **changes}
    return make_settings("scratch", **{"game": game, **of})


def random_policy(settings: Settings) -> Policy:
    torch.manual_seed(1)
    made = Policy(afterstates(settings.game).features, settings.network, 0.5)
    for tensor in made.parameters():
        if tensor.ndim:
            torch.nn.init.normal_(tensor, std=0.2)
    return made


def played(settings: Settings, policy: Policy) -> tuple[SelfPlay, Decided]:
    """Games in which some decisions were kept."""
    games, kept = SelfPlay(settings), None
    while kept is None or len(kept.decisions) < 60:
        games.play(policy.arrays())
        kept = games.take_decisions() or kept
    games.close()
    return games, kept


# ------------------------------------------------------------ decisions


@pytest.mark.parametrize("opponents", ["latest=1", "random=0.5,latest=0.5"])
@pytest.mark.parametrize(("game", "kind"), KINDS)
def test_training_gives_the_moves_the_probabilities_of_play(game: str, kind: str, opponents: str) -> None:
    settings = small(game, input=kind, mixed=True, opponents=opponents)
    policy = random_policy(settings)
    _, kept = played(settings, policy)
    counts, different = kept.decisions["moves"], set()
    assert counts.sum() == len(kept.features) and counts.min() > 1
    outputs = policy(torch.from_numpy(kept.features)).detach()
    for logits, told in zip(
        policy.logits_of(outputs).detach().split(counts.tolist()), kept.decisions, strict=True
    ):
        log_probs = torch.log_softmax(logits, 0)
        assert float(log_probs[told["pick"]]) == pytest.approx(float(told["log_prob"]), abs=1e-3)
        different.add(int(told["pick"]))
    assert len(different) > 1 and np.std(kept.decisions["log_prob"]) > 0.05
    assert kept.features[:, afterstates(game).features.ratings :].any() == (kind == RATED_POLICY_INPUT)


@pytest.mark.parametrize(("game", "kind"), KINDS)
def test_a_policy_of_the_arena_has_the_logits_of_training(game: str, kind: str) -> None:
    settings, of = small(game, input=kind), afterstates(game)
    policy = random_policy(settings)
    net = of.new_network(policy.arrays(), True)
    player = NetworkAgent(policy.arrays(), settings.network, settings.spec)
    scratch, compared = of.new_scratch(), 0
    for position in positions(game, 2, 20):
        mask = np.ascontiguousarray(position.mask())
        count = of.names["evaluate_moves"](position.states[0], position.t, mask, net, scratch)
        if of.worlds > 1:  # features of one world only
            continue
        outputs = policy(torch.from_numpy(net.features[:count].copy())).detach()
        asked = position.ask().part(player, np.zeros(1, np.int64))
        found = player.logits(asked)[0][scratch.actions[:count]]
        assert found == pytest.approx(policy.logits_of(outputs).detach().numpy(), abs=1e-3)
        shares = [share_of_move(net, n) for n in range(count)]
        assert shares == pytest.approx(torch.sigmoid(outputs[:, 1]).numpy(), abs=1e-4)
        compared += count
    assert compared or of.worlds > 1


def test_advantages_are_returns_less_what_was_seen() -> None:
    settings = small("kuhn_poker", players=(3,))
    of = afterstates("kuhn_poker")
    part = SelfPlay(settings).parts[0]
    memory, lam, gamma = part.memory, 0.7, 0.9
    seats, rng = [0, 1, 2, 1, 0, 1], np.random.default_rng(1)
    memory.ends[:, 0] = ends = np.array([0.5, 0.2, 0.3])[: len(memory.ends)]
    values = rng.random(len(seats)).astype(np.float32)
    memory.seats[0, : len(seats)], memory.values[0, : len(seats)] = seats, values
    memory.counts[0] = len(seats)
    memory.rounds[0, : len(seats)] = rounds = [0, 0, 0, 1, 2, 2]
    memory.potentials[0, : len(seats)] = potentials = rng.random(len(seats)).astype(np.float32)
    memory.worlds[0, : len(seats)] = part.games.states[0]
    memory.moves_judged[0, : len(seats)] = [2, 2, 1, 2, 2, 2]
    keep = bind_games(of)["keep_decisions"]
    self_play.write_targets(0, memory, Rates(1.0, 0.0, lam, gamma), 0)
    keep(0, part.games.template.t, memory, 0.0, False)
    wanted = []
    for seat in sorted(set(seats)):
        own = [n for n in range(len(seats)) if seats[n] == seat]
        following = None
        for n in reversed(own):
            gain = ends[seat]
            if following is not None:
                later, weight = following[0], gamma ** (rounds[following[1]] - rounds[n])
                gain = weight * later + (1 - weight) * potentials[n]
            wanted.append((n, gain - values[n]))
            following = (1 - lam) * values[n] + lam * gain, n
    with_choice = [advantage for n, advantage in sorted(wanted, reverse=True) if n != 2]
    count = int(memory.able[0])
    assert memory.decisions["advantage"][:count] == pytest.approx(with_choice, abs=1e-6)
    memory.able[:] = 0
    keep(0, part.games.template.t, memory, 0.2, False)
    large = [advantage for advantage in with_choice if abs(advantage) >= 0.2]
    assert 0 < len(large) < count and memory.able.tolist() == [len(large), count]


@pytest.mark.parametrize(
    ("ratio", "advantage", "gain"),
    [(1.1, 1.0, 1.1), (1.5, 1.0, 1.2), (1.5, -1.0, -1.5), (0.5, 1.0, 0.5), (0.5, -1.0, -0.8)],
)
def test_a_probability_that_has_changed_much_gains_no_more(
    ratio: float, advantage: float, gain: float
) -> None:
    """A move is never paid for a change beyond the clip, but always for what the change has cost."""
    learner = Learner(small("kuhn_poker", entropy=0.0))
    even, first = torch.zeros(2), torch.zeros(1, dtype=torch.int64)  # two moves, equally likely now
    before = torch.tensor([0.5 / ratio]).log()
    found = learner._policy_gain(even, first + 2, first, before, torch.tensor([advantage]))
    learner.close()
    assert float(found) == pytest.approx(gain)


def test_about_the_wanted_share_of_decisions_is_kept() -> None:
    settings = small("space_mission", envs=64)
    games, policy = SelfPlay(settings), random_policy(settings)
    shares = []
    for _ in range(40):
        games.play(policy.arrays())
        count, able = np.sum([part.memory.able for part in games.parts], 0)
        if games.take_decisions() is not None:
            shares.append(count / able)
    games.close()
    assert shares[0] == 1 and np.mean(shares[10:]) == pytest.approx(LEARNT_SHARE, abs=0.1)


@pytest.mark.parametrize("kind", [INPUT, POLICY_INPUT])
@pytest.mark.parametrize("game", ["kuhn_poker", "planet_hexx"])
def test_what_is_learnt_does_not_depend_on_the_number_of_threads(game: str, kind: str) -> None:
    found = []
    with torch_settings(small(game)):
        for threads in (1, 3):
            learner = Learner(small(game, threads=threads, input=kind))
            while learner.updates < 20:
                learner.advance(0.0)
            learner.close()
            found.append((learner.network.arrays(), learner.loss, learner.entropy))
    assert same(found[0][0], found[1][0]) and found[0][1:] == found[1][1:]


# ------------------------------------------------------------ the network


def test_the_policy_follows_the_value_from_the_start_and_changes_it_not() -> None:
    settings = small("space_mission")
    policy = Policy(afterstates("space_mission").features, settings.network, 0.1)
    with torch.no_grad():
        policy.outputs.weight[1].normal_()
    x = torch.randint(0, 3, (9, afterstates("space_mission").features.size), dtype=torch.uint8)
    outputs = policy(x)
    assert policy.logits_of(outputs).detach() == pytest.approx(10 * outputs[:, 1].detach().numpy(), rel=1e-4)
    policy.logits_of(outputs).sum().backward()  # type: ignore[no-untyped-call]
    gradient = policy.outputs.weight.grad
    assert gradient is not None and not gradient[1].any() and gradient[0].any()


@pytest.mark.parametrize("kind", [POLICY_INPUT, RATED_POLICY_INPUT])
def test_a_saved_policy_starts_a_run_that_plays_the_same(kind: str) -> None:
    settings, of = small("space_mission", input=kind), afterstates("space_mission").features
    policy, again = random_policy(settings), Policy(of, settings.network, 0.3)
    again.set_arrays(policy.arrays())
    found, wanted = again.arrays(), policy.arrays()
    assert all(found[name] == pytest.approx(array, abs=1e-4) for name, array in wanted.items())
    x = torch.randint(0, 3, (9, of.size), dtype=torch.uint8)
    logits = again.logits_of(again(x)).detach().numpy()
    assert logits == pytest.approx(policy.logits_of(policy(x)).detach().numpy(), abs=1e-3)
    assert wanted[f"{INPUT}.outputs.bias"].shape == (4,)


def test_an_ensemble_has_the_mean_of_the_logits() -> None:
    settings, of = small("planet_hexx", input=RATED_POLICY_INPUT), afterstates("planet_hexx").features
    policies = [random_policy(settings), random_policy(settings)]
    with torch.no_grad():
        policies[1].outputs.weight *= -0.5
    twice = settings.changed(hidden=tuple(2 * width for width in settings.hidden))
    ensemble = Policy(of, twice.network, 0.3)
    ensemble.set_ensemble([policy.arrays() for policy in policies])
    x = torch.randint(0, 3, (9, of.size), dtype=torch.uint8)
    one, other, mean = (each.logits_of(each(x)).detach().numpy() for each in (*policies, ensemble))
    assert mean == pytest.approx((one + other) / 2, abs=1e-3) and abs(one - other).min() > 0.01


def test_a_new_policy_plays_by_the_ratings() -> None:
    of = afterstates("planet_hexx").features
    for temperature in (0.01, 1.0):
        network = small("planet_hexx", input=RATED_POLICY_INPUT).network
        policy, x = Policy(of, network, temperature), torch.zeros((2, of.size), dtype=torch.uint8)
        x[1, of.ratings + LOSS], x[1, of.ratings + LOSS_FINE] = 16, 128  # an eighth below the best
        best, below = policy.logits_of(policy(x)).detach().tolist()
        assert best - below == pytest.approx(60 * 2 / 8, rel=1e-3)


@pytest.mark.parametrize(("game", "kind"), KINDS)
def test_a_policy_may_start_from_a_value_and_follows_it(game: str, kind: str) -> None:
    settings, of = small(game, input=kind), afterstates(game).features
    value, policy = Value(of, {**settings.network, "input": VALUES[kind]}), random_policy(settings)
    with torch.no_grad():
        for tensor in value.parameters():
            tensor.normal_(std=0.2)
    policy.set_arrays(value.arrays())
    x = torch.randint(0, 3, (9, of.size), dtype=torch.uint8)
    outputs, found = value(x).detach(), policy(x)
    assert found[:, 1:].detach().numpy() == pytest.approx(outputs.numpy(), abs=1e-4)
    logits = policy.logits_of(found).detach().numpy()
    assert logits == pytest.approx(2 * outputs[:, 0].numpy(), abs=1e-4), "the factor is 1 / 0.5"


def test_a_run_has_the_form_of_the_models_that_it_starts_from(tmp_path: Path) -> None:
    """Of one model or of several; a policy may start from values, but not the other way round."""
    value = small("kuhn_poker", input=INPUT, learning_rate=0.0)
    start(value, tmp_path / "value")
    model = f"policy:{tmp_path / 'value' / 'model'}"
    settings = followed(small("kuhn_poker", start=model, hidden=(3, 3)), None)
    assert (settings.hidden, settings.input) == ((12, 8), POLICY_INPUT)
    policy = Policy(afterstates("kuhn_poker").features, settings.network, settings.temperature)
    load_start(settings, policy)
    start(settings, tmp_path / "policy")
    own = f"policy:{tmp_path / 'policy' / 'model'}"
    twice = start(small("kuhn_poker", start=f"{own},{own}", learning_rate=0.0), tmp_path / "twice")
    assert twice.settings.hidden == (24, 16)
    with pytest.raises(StartError, match="its input is 'afterstate_policy', the run has 'afterstate'"):
        start(small("kuhn_poker", input=INPUT, start=own), tmp_path / "back")
    with pytest.raises(StartError, match="expected only policies, or only values"):
        start(small("kuhn_poker", start=f"{model},{own}"), tmp_path / "both")
    assert not (tmp_path / "back").exists() and not (tmp_path / "both").exists()


def test_a_model_that_reads_ratings_is_refused_where_the_game_has_none(tmp_path: Path) -> None:
    start(small("kuhn_poker"), tmp_path / "run")
    path = tmp_path / "run" / "model" / "card.json"
    card = json.loads(path.read_text("utf-8"))
    card["network"]["input"] = RATED_POLICY_INPUT
    path.write_text(json.dumps(card), "utf-8")
    with pytest.raises(AgentError, match=r"input: expected .* or afterstate, not") as refused:
        make_agent(f"policy:{path.parent}", "kuhn_poker")
    assert "\n" not in str(refused.value)


def test_a_game_is_learnt_from_its_file_alone(tmp_path: Path) -> None:
    with take_stones.installed(tmp_path / "site") as spec:
        settings = small(
            spec.name, rules=None, envs=32, steps=30_000, hidden=(6, 32, 16), epochs=2, learning_rate=3e-3,
            temperature=0.1, checkpoint_steps=100_000, evaluation_games=120,
        )  # fmt: skip
        run = start(settings, tmp_path / "run")
        assert run.results[0].share > 0.9
