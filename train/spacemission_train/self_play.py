"""Plays self-play games for a learner, for any game.

The learner's seats sample their moves: by the values of the afterstates, or from the policy over afterstates.
At the end of a game, each afterstate of such a seat gets its TD(lambda) target (Sutton 1988), computed
backwards from the seat's share of the reward; with a policy, each decision also gets its advantage. Seats
played by opponents give no targets. To save time, a policy learns only from the decisions with the largest
advantages, which give most of its gradient: to learn from a decision among twenty moves takes as long as from
twenty positions. A policy with the setting `mixed` learns from all decisions.

The functions in `TEMPLATE` are a template, as in core/batch_template.py; `bind_games` binds them.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# (numba infers the types of compiled functions)

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

import numpy as np
import torch

from spacemission_agents.afterstates import network
from spacemission_agents.afterstates.moves import WORLD_STREAM, Afterstates, Scratch, find_afterstates
from spacemission_agents.afterstates.network import Network, share_of, share_of_move
from spacemission_env.core import rng
from spacemission_env.core.agents import make_agent, prepare_agents
from spacemission_env.core.batch_template import with_globals
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.compiling import make_njit
from spacemission_env.core.constants import FINISHED, LEARNER, RUNNING
from spacemission_env.core.rng import below, hash63, seed_rng
from spacemission_env.frontends.turns import Turns
from spacemission_train.networks import Arrays
from spacemission_train.settings import LATEST, Settings

LONGEST = 1500  # maximum number of decisions; a longer game is dropped
PARTS = 4  # the games are split into fixed parts, so results do not depend on the number of threads
POSITIONS = 200_000  # number of positions in a value's buffer; a policy's buffer holds two rollouts
MOST_MOVES = 12  # a decision evaluates at most so many legal moves, chosen at random
OFTEN_RATE, SELDOM = 0.002, 0.02  # rate of the running means in `Memory.often`; least weight in `leave_out`
RANDOM_MOVES = 0.01  # share of a value's decisions that are random
LEARNT_SHARE = 0.25  # share of the decisions, those with the largest advantages, that a policy learns from

njit = make_njit(rng.njit, network.njit, Path(__file__))


def _unbound(*_: object) -> Any:
    raise NotImplementedError("of the game")


# Functions of the game and of its afterstates (`Afterstates.names`); `bind_games` replaces these names.
deal = apply = write_mask = begin_move = write_afterstate = determinize = decision_key = _unbound
evaluate_moves = rate_moves = list_moves = evaluate_in = write_outcome = potential = _unbound
WORLDS = 0

DECISION = np.dtype([("moves", "i8"), ("pick", "i8"), ("log_prob", "f4"), ("advantage", "f4")])


class Memory(NamedTuple):
    """The memory of a `Part`: decisions of n games, a ring buffer of positions, and a policy's decisions."""

    who: np.ndarray  # number of the opponent of each seat, or LEARNER, int64 (n, seats)
    features: np.ndarray  # afterstates, uint8 (n, LONGEST, features)
    values: np.ndarray  # share of the best move of each decision; policy: `mean_share`; float32 (n, LONGEST)
    seats: np.ndarray  # seats that decided, int8 (n, LONGEST)
    cuts: np.ndarray  # 1 if the move was random, int8 (n, LONGEST)
    rounds: np.ndarray  # round of each decision, int16 (n, LONGEST)
    potentials: np.ndarray  # potential of the seat after each move, float32 (n, LONGEST)
    counts: np.ndarray  # decisions of each game, int64 (n,)
    left: np.ndarray  # the learner's decisions still to play in each game, int64 (n,)
    targets: np.ndarray  # targets of the positions of the last finished game, float64 (LONGEST,)
    x: np.ndarray  # ring buffer of afterstates, uint8 (size, features)
    y: np.ndarray  # ring buffer of targets, float32 (size, outputs)
    totals: np.ndarray  # decisions, games, rounds, and games dropped since the last reset, (4,)
    dice: np.ndarray  # a state record that serves as random generator, (1,)
    ends: np.ndarray  # targets at the end of a game, float64 (seats, outputs)
    often: np.ndarray  # running mean by move: 1 if it was the best one evaluated, else 0; float64 (actions,)
    keys: np.ndarray  # scratch of `leave_out`, float64 (actions,)
    scratch: Scratch
    # Only a policy uses the rest. L is LONGEST; for a value L and `rollout` are 1.
    worlds: np.ndarray  # the games, or determinizations, in which the moves were judged; (n, L)
    moves: np.ndarray  # the moves that were judged, int16 (n, L, most)
    moves_judged: np.ndarray  # number of these moves, int16 (n, L)
    picks: np.ndarray  # place in `moves` of the move that was played, int16 (n, L)
    log_probs: np.ndarray  # log probability of the move that was played, float32 (n, L)
    able: np.ndarray  # decisions with several moves: number kept to learn from, number of all; float64 (2,)
    decisions: np.ndarray  # decisions to learn from: `DECISION`, (rollout,)
    decision_features: np.ndarray  # features after each of their moves, uint8 (rollout, most, features)


def new_memory(of: Afterstates, games: int, rollout: int, is_policy: bool) -> Memory:
    """Allocate memory for `games` games, which make `rollout` decisions between updates."""
    seats, size, outputs = of.spec.max_players, of.features.size, len(of.features.outputs)
    longest, learnt = (LONGEST, rollout) if is_policy else (1, 1)
    positions = 2 * rollout if is_policy else POSITIONS // PARTS
    most = min(MOST_MOVES, of.spec.action_count)
    return Memory(
        who=np.full((games, seats), LEARNER),
        features=np.zeros((games, LONGEST, size), np.uint8),
        values=np.zeros((games, LONGEST), np.float32),
        seats=np.zeros((games, LONGEST), np.int8),
        cuts=np.zeros((games, LONGEST), np.int8),
        rounds=np.zeros((games, LONGEST), np.int16),
        potentials=np.zeros((games, LONGEST), np.float32),
        counts=np.zeros(games, np.int64),
        left=np.zeros(games, np.int64),
        targets=np.zeros(LONGEST),
        x=np.zeros((positions, size), np.uint8),
        y=np.zeros((positions, outputs), np.float32),
        totals=np.zeros(4),
        dice=of.spec.new_states(1),
        ends=np.zeros((seats, outputs)),
        often=np.ones(of.spec.action_count),
        keys=np.zeros(of.spec.action_count),
        scratch=of.new_scratch(),
        worlds=of.spec.new_states(games * longest).reshape(games, longest),
        moves=np.zeros((games, longest, most), np.int16),
        moves_judged=np.zeros((games, longest), np.int16),
        picks=np.zeros((games, longest), np.int16),
        log_probs=np.zeros((games, longest), np.float32),
        able=np.zeros(2),
        decisions=np.zeros(learnt, DECISION),
        decision_features=np.zeros((learnt, most, of.features.size), np.uint8),
    )


class Rates(NamedTuple):
    """Numbers that `play_on` reads."""

    temperature: float  # temperature with which a value samples moves
    random: float  # share of a value's random moves
    trace: float  # lambda of the TD(lambda) targets
    discount: float  # discount of the targets for each round
    threshold: float = 0.0  # least advantage of a decision that a policy learns from
    most: int = MOST_MOVES  # moves that a decision evaluates


@njit
def uniform(dice):
    """Sample a number in [0, 1)."""
    return below(dice[0], 1 << 24) / (1 << 24)


@njit
def chosen(dice, logits, count, best, temperature):
    """Sample a move from the softmax of the logits; `best`: the highest logit."""
    total = 0.0
    for i in range(count):
        total += np.exp((logits[i] - best) / temperature)
    left = uniform(dice) * total
    for i in range(count):
        left -= np.exp((logits[i] - best) / temperature)
        if left < 0:
            return i
    return count - 1


@njit
def leave_out(dice, most, often, keys, mask):
    """Keep a random choice of `most` legal moves, to save time; prefer moves that are often the best.

    Weighted sampling without replacement (Efraimidis and Spirakis 2006). `often`, `keys`: as in `Memory`.
    """
    surplus = mask.sum() - most
    if surplus <= 0:
        return
    for action in range(len(mask)):
        keys[action] = -np.log(1 - uniform(dice)) / max(often[action], SELDOM) if mask[action] else -1.0
    for _ in range(surplus):
        last = keys.argmax()
        mask[last], keys[last] = 0, -1.0


@njit
def note_best(often, actions, count, best):
    """Update how often each of the evaluated moves is the best."""
    for i in range(count):
        often[actions[i]] += ((i == best) - often[actions[i]]) * OFTEN_RATE


@njit
def write_targets(g, of, rates, at):
    """Write the positions of game g and their targets into the ring buffer, starting at place `at`.

    The target of a seat's last position is the seat's final share. An earlier target is lambda times the
    target of the seat's next position plus (1 - lambda) times the value of its next decision, or only this
    value if the next move was random (Watkins 1989). If rounds lie in between, the result is averaged with
    the seat's potential: its own weight is the discount to the power of the number of these rounds.
    """
    following, rounds = np.full(len(of.ends), -1.0), np.zeros(len(of.ends), np.int64)
    for i in range(of.counts[g] - 1, -1, -1):
        j = of.seats[g, i]
        target = of.ends[j, 0]
        if following[j] >= 0:
            weight = rates.discount ** (rounds[j] - of.rounds[g, i])
            target = weight * following[j] + (1 - weight) * of.potentials[g, i]
        of.targets[i] = target
        of.x[at] = of.features[g, i]
        of.y[at] = of.ends[j]
        of.y[at, 0] = target
        at = (at + 1) % len(of.x)
        seen = of.values[g, i]
        following[j] = seen if of.cuts[g, i] else (1 - rates.trace) * seen + rates.trace * target
        rounds[j] = of.rounds[g, i]


@njit
def seat_opponents(dice, edges, n, who):
    """Sample who plays each of the n seats: the learner plays one random seat, and for each other seat an
    opponent is sampled by the shares.

    The shares may sum to less than 1: then the learner also plays the seats for which none is sampled.
    """
    who[:] = LEARNER
    if len(edges) == 0:
        return
    own = below(dice[0], n)
    for j in range(n):
        if j != own:
            at = uniform(dice)
            for k in range(len(edges) - 1, -1, -1):
                if at < edges[k]:
                    who[j] = k


@njit
def mean_share(net, logits, count):
    """The critic's mean share over moves, weighted by the policy, and the log of the sum of the weights."""
    best, total, value = logits[:count].max(), 0.0, 0.0
    for i in range(count):
        weight = np.exp(logits[i] - best)
        total += weight
        value += weight * share_of_move(net, i)
    return value / total, best + np.log(total)


def begin_game(s, t, g, of, players, edges):
    """Deal a new game with a random number of players; a game that is still running counts as dropped."""
    dice = of.dice
    of.totals[3] += s.over == RUNNING
    seed = below(dice[0], 1 << 31) * (1 << 31) + below(dice[0], 1 << 31)
    deal(s, t, players[below(dice[0], len(players))], seed)
    seat_opponents(dice, edges, s.num_players, of.who[g])
    of.counts[g] = 0


def end_game(s, t, g, of, net, rates, at):
    """Count a finished game; write its positions with their targets, and for a policy its decisions."""
    write_outcome(s, t, net.reward, of.scratch.scores, of.ends)
    write_targets(g, of, rates, at)
    of.totals[1] += 1
    of.totals[2] += s.round_number
    if net.is_policy:
        keep_decisions(g, t, of, rates.threshold, net.reads_ratings)


def keep_decisions(g, t, of, threshold, reads_ratings):
    """Keep the decisions of game g with an absolute advantage of at least `threshold`, while there is room.

    The advantage of a decision is its target minus the policy's mean share over its moves. A decision with
    only one move is not kept.
    """
    for i in range(of.counts[g] - 1, -1, -1):
        j, count, advantage = of.seats[g, i], of.moves_judged[g, i], of.targets[i] - of.values[g, i]
        k = int(of.able[0])
        if count == 1:
            continue
        of.able[1] += 1
        if abs(advantage) < threshold or k == len(of.decisions):
            continue
        of.able[0] += 1
        decision = of.decisions[k]
        decision.moves, decision.pick, decision.advantage = count, of.picks[g, i], advantage
        decision.log_prob = of.log_probs[g, i]
        if reads_ratings:
            rate_moves(of.worlds[g, i], t, of.scratch.ratings)
        for m in range(count):
            of.scratch.tried[0] = of.worlds[g, i]
            w = of.scratch.tried[0]
            action, x = of.moves[g, i, m], of.decision_features[k, m]
            pending = begin_move(w, t, action)
            write_afterstate(w, t, j, pending, action, reads_ratings, of.scratch, x)


def judge_moves(s, t, of, net, moves, world):
    """Evaluate the legal moves that are not left out; write them to `moves` and return their number.

    Write the state in which they were evaluated to `world`: the game itself, or a determinization of it.
    """
    scratch = of.scratch
    count = list_moves(scratch.mask, scratch.actions)
    moves[:count] = scratch.actions[:count]
    if net.reads_ratings:
        rate_moves(s, t, scratch.ratings)
    world[0] = s
    if WORLDS > 1:
        determinize(s, t, s.player, hash63(decision_key(s), 0, WORLD_STREAM), world)
    evaluate_in(world[0], t, count, net, scratch)
    return count


def choose_by_policy(s, t, g, of, net):
    """Sample a move from the policy and note the decision; return the move and the moves' mean share."""
    n, logits = of.counts[g], of.scratch.logits
    count = judge_moves(s, t, of, net, of.moves[g, n], of.worlds[g, n : n + 1])
    top = logits[:count].argmax()
    note_best(of.often, of.scratch.actions, count, top)
    i = chosen(of.dice, logits, count, logits[top], 1.0)
    value, total = mean_share(net, logits, count)
    of.moves_judged[g, n], of.picks[g, n] = count, i
    of.log_probs[g, n] = logits[i] - total
    of.features[g, n], of.cuts[g, n] = net.features[i], 0
    return of.scratch.actions[i], value


def choose_by_value(s, t, g, of, net, rates):
    """Sample a move by the values and note its afterstate; return the move and the share of the best move."""
    n, logits, dice = of.counts[g], of.scratch.logits, of.dice
    count = evaluate_moves(s, t, of.scratch.mask, net, of.scratch)
    top = logits[:count].argmax()
    best = logits[top]
    note_best(of.often, of.scratch.actions, count, top)
    if uniform(dice) < rates.random:
        i = below(dice[0], count)
        of.cuts[g, n] = 1
    else:
        i = chosen(dice, logits, count, best, rates.temperature)
        of.cuts[g, n] = 0
    action = of.scratch.actions[i]
    if WORLDS == 1:
        of.features[g, n] = net.features[i]
    else:  # the afterstate in the game itself
        of.scratch.tried[0] = s
        w = of.scratch.tried[0]
        pending = begin_move(w, t, action)
        x = of.features[g, n]
        write_afterstate(w, t, int(s.player), pending, action, net.reads_ratings, of.scratch, x)
    return action, share_of(best)


def play_on(parameters, states, of, net, players, edges, rates, at):
    """Play each game until its `left` decisions are made or an opponent is to act.

    Args:
        parameters: parameters of the games, (1,).
        states: the games.
        of: `Memory`.
        net: the current `Network`.
        players: numbers of players, of which one is sampled for each new game.
        edges: cumulative shares of the opponents.
        rates: `Rates`.
        at: next place in the ring buffer.

    Returns:
        Number of positions written into the ring buffer.
    """
    t, new = parameters[0], 0
    for g in range(len(states)):
        s = states[g]
        while of.left[g] > 0:
            n = of.counts[g]
            if s.over != RUNNING and n > 0:
                end_game(s, t, g, of, net, rates, (at + new) % len(of.x))
                new += n
            if s.over != RUNNING or n == LONGEST:
                begin_game(s, t, g, of, players, edges)
                n = 0
            if of.who[g, s.player] != LEARNER:
                break
            write_mask(s, t, s.player, of.scratch.mask)
            leave_out(of.dice, rates.most, of.often, of.keys, of.scratch.mask)
            if net.is_policy:
                action, value = choose_by_policy(s, t, g, of, net)
            else:
                action, value = choose_by_value(s, t, g, of, net, rates)
            seat = int(s.player)
            of.values[g, n], of.seats[g, n], of.rounds[g, n] = value, seat, s.round_number
            of.counts[g] += 1
            of.left[g] -= 1
            of.totals[0] += 1
            apply(s, t, action)
            of.potentials[g, n] = potential(s, t, seat)
    return new


TEMPLATE: tuple[Any, ...] = (
    *(keep_decisions, end_game, begin_game, judge_moves),
    *(choose_by_policy, choose_by_value, play_on),
)


@lru_cache(maxsize=64)
def bind_games(of: Afterstates) -> dict[str, Any]:
    """A dict by name: the functions of `TEMPLATE`, compiled for a game, and all names that they use."""
    names = {**globals(), **of.names}
    decorate = make_njit(of.njit, njit, Path(__file__))
    for function in TEMPLATE:
        name = f"{of.name}.{function.__name__}"
        names[function.__name__] = decorate(with_globals(function, function.__module__, names, name))
    return names


class Part:
    """The games of one part and their ring buffer, which has `filled` positions."""

    def __init__(self, settings: Settings, seed: int) -> None:
        """Make the games; they are dealt when they are played.

        AgentError: one line naming an opponent that cannot be made or cannot play these games.
        """
        of = settings
        self.games = BatchedGames(
            max(1, of.envs // PARTS), max(of.players), of.rules, of.components, game=of.game
        )
        # The share of `latest` goes to the learner itself.
        shares = {name: share for name, share in of.mixture.items() if name != LATEST}
        self.names = list(shares)
        opponents = [make_agent(name, of.game) for name in shares]
        prepare_agents(opponents, self.games.info)
        self.edges = np.cumsum(list(shares.values()))
        self.states = self.games.states
        self.of = find_afterstates(of.spec)
        self.memory = new_memory(self.of, self.games.count, self.games.count * of.n_steps, of.is_policy)
        self.turns = Turns(self.games, opponents, self.memory.who)
        self.begin(seed)

    def begin(self, seed: int) -> None:
        """Begin new games and forget all positions."""
        self.states["over"] = FINISHED
        self.at = self.filled = 0
        self.memory.counts[:], self.memory.able[:], self.memory.often[:] = 0, 0, 1
        seed_rng(self.memory.dice[0], seed)

    def play(
        self, net: Network, players: np.ndarray, steps: int, rates: Rates, deadline: float = np.inf
    ) -> int:
        """Play `steps` of the learner's decisions in each game; return how many positions got a target.

        After the deadline (`time.monotonic`) no game waits for slow opponents.
        """
        memory = self.memory
        memory.left[:] = steps
        parameters, play_on = self.games.template.parameters, bind_games(self.of)["play_on"]
        all_new = 0
        while memory.left.any() and monotonic() < deadline:
            new = int(play_on(parameters, self.states, memory, net, players, self.edges, rates, self.at))
            self.at = (self.at + new) % len(memory.x)
            self.filled = min(len(memory.x), self.filled + new)
            all_new += new
            self.turns.play_on(np.flatnonzero(memory.left))
        return all_new


class Decided(NamedTuple):
    """Decisions that the policy learns from, as copies.

    Attributes:
        decisions: `DECISION`, (n,).
        features: features of all moves' afterstates, one decision after another, uint8 (moves, features).
    """

    decisions: np.ndarray
    features: np.ndarray


class SelfPlay:
    """The self-play games of a run.

    Attributes:
        games: number of finished games.
        rounds: mean length of the games that finished in the last `play`.
        dropped: number of games that were longer than `LONGEST` decisions.
        deadline: time (`time.monotonic`) after which no game waits for opponents.
    """

    def __init__(self, settings: Settings, begun: int = 0) -> None:
        """`begun`: learner steps of the run so far; it changes the seeds of the games."""
        of = self.settings = settings
        self.parts = [Part(of, hash63(of.seed, begun, part)) for part in range(PARTS)]
        self.players = np.array(of.players, np.int64)
        self.rates = Rates(of.temperature, RANDOM_MOVES, of.gae_lambda, of.gamma[0])
        self.threads = ThreadPoolExecutor(of.threads or 1)
        self.of = self.parts[0].of
        self.symmetries = self.of.symmetries(self.parts[0].games.template.parameters)
        self.games, self.rounds, self.dropped = 0, 0.0, 0
        self.deadline = np.inf

    def begin(self, begun: int) -> None:
        """Begin new games and forget all positions; `begun` as in the constructor."""
        for number, part in enumerate(self.parts):
            part.begin(hash63(self.settings.seed, begun, number))
        self.rates = self.rates._replace(threshold=0.0)

    def discount(self, gamma: float) -> None:
        """Set the discount for the targets of games that end from now on."""
        self.rates = self.rates._replace(discount=gamma)

    def play(self, arrays: Arrays) -> tuple[int, int]:
        """Play with these weights; return the number of decisions, and of positions that got a target."""

        def play(part: Part) -> int:
            net = self.of.new_network(arrays, self.settings.is_policy, self.settings.paid)
            return part.play(net, self.players, self.settings.n_steps, self.rates, self.deadline)

        new = sum(self.threads.map(play, self.parts))
        totals = np.sum([part.memory.totals for part in self.parts], 0)
        for part in self.parts:
            part.memory.totals[:] = 0.0
        self.games += int(totals[1])
        self.dropped += int(totals[3])
        if totals[1]:
            self.rounds = float(totals[2] / totals[1])
        return int(totals[0]), new

    def draw_symmetry(self, rng: np.random.Generator) -> np.ndarray:
        """Sample a symmetry of the game: for each feature, the index of the feature that replaces it."""
        form: np.ndarray = self.symmetries[rng.integers(len(self.symmetries))]
        return form

    @property
    def filled(self) -> int:
        """Number of positions in the buffers."""
        return sum(part.filled for part in self.parts)

    def sample(self, rng: np.random.Generator, size: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Sample positions: features uint8 (size, features) and targets float32 (size, outputs)."""
        places = rng.integers(self.filled, size=size)
        x, y, first = [], [], 0
        for part in self.parts:
            own = places[(places >= first) & (places < first + part.filled)] - first
            x.append(part.memory.x[own])
            y.append(part.memory.y[own])
            first += part.filled
        joined = np.concatenate(x)[:, self.draw_symmetry(rng)]
        return torch.from_numpy(joined), torch.from_numpy(np.concatenate(y))

    def take_decisions(self) -> Decided | None:
        """Take the decisions kept since the last call, and adapt the threshold; None if there are none."""
        memories = [part.memory for part in self.parts]
        count, able = np.sum([of.able for of in memories], 0)
        share, threshold = 1.0 if self.settings.mixed else LEARNT_SHARE, self.rates.threshold
        if able and threshold > 0:
            threshold *= np.exp(0.5 * np.clip(count / able / share - 1, -1, 1))
            self.rates = self.rates._replace(threshold=threshold)
        if not count:
            return None
        stops = [int(of.able[0]) for of in memories]
        decisions = np.concatenate([of.decisions[:stop] for of, stop in zip(memories, stops, strict=True)])
        features = []
        for of, stop in zip(memories, stops, strict=True):
            there = np.arange(of.decision_features.shape[1]) < of.decisions["moves"][:stop, None]
            features.append(of.decision_features[:stop][there])
            of.able[:] = 0
        if threshold == 0 and share < 1:
            first = float(np.quantile(np.abs(decisions["advantage"]), 1 - share))
            self.rates = self.rates._replace(threshold=first)
        return Decided(decisions, np.concatenate(features))

    def close(self) -> None:
        """Stop all threads."""
        self.threads.shutdown()
