"""Plays self-play games for TD(lambda), for any game.

The learner's seats sample their moves by the value of the afterstate. At the end of a game, each afterstate
of such a seat gets its TD(lambda) target (Sutton 1988), computed backwards from the seat's win share. Seats
played by opponents give no targets.

The functions `TEMPLATE` are a template, as in core/batch.py; `bind_games` binds them.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# (numba infers the types of compiled functions)

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from spacemission_agents.afterstates.moves import Afterstates, Scratch, find_afterstates
from spacemission_agents.afterstates.network import Network, share_of
from spacemission_env.core import rng
from spacemission_env.core.agents import prepare_agents
from spacemission_env.core.batch import with_globals
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.compiling import Njit, make_njit
from spacemission_env.core.constants import FINISHED, LEARNER, RUNNING
from spacemission_env.core.rng import below, hash63, seed_rng
from spacemission_env.frontends.turns import Turns
from spacemission_train.self_play.league import Pool
from spacemission_train.settings.settings import LATEST, Settings
from spacemission_train.td.network import Arrays, Value

LONGEST = 1500  # limit of decisions; a longer game is dropped
PARTS = 4  # the games are split in fixed parts, so results do not depend on the number of threads
KEPT = 200_000  # size of the buffer of positions
MOST_MOVES = 16  # with more legal moves, a decision evaluates a random choice of this many
OFTEN_RATE, SELDOM = 0.002, 0.02  # of `Memory.often`: rate of its running means; its least weight

njit = make_njit(rng.njit, Path(__file__))


def _unbound(*_: object) -> Any:
    raise NotImplementedError("of the game")


# Of the game and of its afterstates (`Afterstates.names`); `bind_games` replaces these names.
deal = apply = write_mask = begin_move = write_afterstate = _unbound
evaluate_moves = write_outcome = potential = _unbound
WORLDS = 0


class Memory(NamedTuple):
    """The memory of one thread: the decisions of n games, and a ring buffer of positions."""

    who: np.ndarray  # number of the opponent of each seat, or LEARNER, int64 (n, seats)
    features: np.ndarray  # afterstates, uint8 (n, LONGEST, features)
    values: np.ndarray  # best values, float32 (n, LONGEST)
    seats: np.ndarray  # seats that decided, int8 (n, LONGEST)
    cuts: np.ndarray  # 1 if the move was random, int8 (n, LONGEST)
    rounds: np.ndarray  # rounds of the games, int16 (n, LONGEST)
    potentials: np.ndarray  # of the seats after their moves, float32 (n, LONGEST)
    counts: np.ndarray  # decisions of each game, int64 (n,)
    left: np.ndarray  # the learner's decisions still to play in each game, int64 (n,)
    targets: np.ndarray  # of the positions of the last finished game, float64 (LONGEST,)
    x: np.ndarray  # ring buffer of afterstates, uint8 (kept, features)
    y: np.ndarray  # ring buffer of targets, float32 (kept, outputs)
    totals: np.ndarray  # moves evaluated, decisions, games, rounds, games dropped since the last reset, (5,)
    dice: np.ndarray  # a state record that serves as random generator, (1,)
    ends: np.ndarray  # targets at the end of a game, float64 (seats, outputs)
    often: np.ndarray  # how often each move was lately the best of those evaluated, float64 (actions,)
    keys: np.ndarray  # scratch of `leave_out`, float64 (actions,)
    scratch: Scratch


def new_memory(of: Afterstates, games: int, kept: int) -> Memory:
    """Allocate memory for `games` games and `kept` positions."""
    seats, size, outputs = of.spec.max_players, of.features.size, len(of.features.outputs)
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
        x=np.zeros((kept, size), np.uint8),
        y=np.zeros((kept, outputs), np.float32),
        totals=np.zeros(5),
        dice=of.spec.new_states(1),
        ends=np.zeros((seats, outputs)),
        often=np.ones(of.spec.action_count),
        keys=np.zeros(of.spec.action_count),
        scratch=of.new_scratch(),
    )


class Tables:
    """The games of one thread and their ring buffer, with `filled` positions."""

    def __init__(self, games: BatchedGames, kept: int, seed: int, opponents: Pool) -> None:
        """`games`: the games, not dealt; `kept`: size of the ring buffer."""
        of = find_afterstates(games.spec)
        self.games, self.opponents, self.of = games, opponents, of
        self.states = games.states
        self.states["over"] = FINISHED
        self.memory = new_memory(of, games.count, kept)
        self.at = self.filled = 0
        seed_rng(self.memory.dice[0], seed)
        self.turns = Turns(games, opponents.fixed, self.memory.who)

    def play(
        self,
        parameters: np.ndarray,
        net: Network,
        players: np.ndarray,
        steps: int,
        settings: np.ndarray,
    ) -> int:
        """Play `steps` of the learner's decisions in each game; return how many positions got a target."""
        memory, edges = self.memory, self.opponents.edges
        memory.left[:] = steps
        all_new = 0
        while memory.left.any():
            new = self._play_on(parameters, self.states, memory, net, players, edges, settings, self.at)
            self.at = (self.at + new) % len(memory.x)
            self.filled = min(len(memory.x), self.filled + new)
            all_new += new
            self.turns.play_on(np.flatnonzero(memory.left))
        return all_new

    def _play_on(self, *arguments: Any) -> int:
        return int(bind_games(self.of)["play_on"](*arguments))


@njit
def uniform(dice):
    """A number from 0 to 1."""
    return below(dice[0], 1 << 24) / (1 << 24)


@njit
def chosen(dice, logits, count, best, temperature):
    """Draw a move from the softmax of its logits; `best`: the highest logit."""
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
    """Keep a random choice of `most` legal moves, to save time; moves that are often the best are likelier.

    Weighted sampling without replacement (Efraimidis and Spirakis 2006). `often`, `keys`: of `Memory`.
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
def keep_game(g, of, lam, gamma, at):
    """Write the positions of game g and their targets into the ring buffer, starting at place `at`.

    The target of a seat's last position is its final share of the win. An earlier target is `lam` times the
    target of the seat's next position plus (1 - `lam`) times the best value of its next decision, or only
    that value if the next move was random (Watkins 1989). Each round in between moves a target towards the
    seat's potential by the factor `gamma`.
    """
    following, rounds = np.full(len(of.ends), -1.0), np.zeros(len(of.ends), np.int64)
    for i in range(of.counts[g] - 1, -1, -1):
        j = of.seats[g, i]
        target = of.ends[j, 0]
        if following[j] >= 0:
            weight = gamma ** (rounds[j] - of.rounds[g, i])
            target = weight * following[j] + (1 - weight) * of.potentials[g, i]
        of.targets[i] = target
        of.x[at] = of.features[g, i]
        of.y[at] = of.ends[j]
        of.y[at, 0] = target
        at = (at + 1) % len(of.x)
        seen = of.values[g, i]
        following[j] = seen if of.cuts[g, i] else (1 - lam) * seen + lam * target
        rounds[j] = of.rounds[g, i]


@njit
def seat_opponents(dice, edges, n, who):
    """Draw who plays each of the n seats: the learner one random seat, opponents the others by their shares.

    The learner also plays the seats that fall to no opponent.
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


def end_game(s, t, g, of, lam, gamma, at):
    """Count a finished game, and write its positions and their targets into the ring buffer."""
    write_outcome(s, t, of.scratch.scores, of.ends)
    keep_game(g, of, lam, gamma, at)
    of.totals[2] += 1
    of.totals[3] += s.round_number


def begin_game(s, t, g, of, players, edges):
    """Deal a new game for one of the numbers of players; count the one that it replaces unfinished."""
    dice = of.dice
    of.totals[4] += s.over == RUNNING
    seed = below(dice[0], 1 << 31) * (1 << 31) + below(dice[0], 1 << 31)
    deal(s, t, players[below(dice[0], len(players))], seed)
    seat_opponents(dice, edges, s.num_players, of.who[g])
    of.counts[g] = 0


def make_move(s, t, g, of, action, value, count):
    """Record the decision of game g, which had this value and so many evaluated moves, and make the move."""
    n, seat = of.counts[g], int(s.player)
    of.values[g, n], of.seats[g, n], of.rounds[g, n] = value, seat, s.round_number
    of.counts[g] += 1
    of.left[g] -= 1
    of.totals[0] += count
    of.totals[1] += 1
    apply(s, t, action)
    of.potentials[g, n] = potential(s, t, seat)


def play_on(parameters, states, of, net, players, edges, settings, at):
    """Play each game until its `left` decisions are made or an opponent is to act.

    Args:
        parameters: parameters of the games, (1,).
        states: the games.
        of: `Memory`.
        net: `Network`, the current one.
        players: numbers of players, of which each new game draws one.
        edges: `Pool.edges` of the opponents.
        settings: temperature, share of random moves, lambda, gamma, most moves to evaluate.
        at: next place in the ring buffer.

    Returns:
        Number of positions written into the ring buffer.
    """
    t, scratch, dice = parameters[0], of.scratch, of.dice
    temperature, random, lam, gamma, most = (
        settings[0],
        settings[1],
        settings[2],
        settings[3],
        int(settings[4]),
    )
    mask, logits = scratch.mask, scratch.logits
    new = 0
    for g in range(len(states)):
        s = states[g]
        while of.left[g] > 0:
            n = of.counts[g]
            if s.over != RUNNING and n > 0:
                end_game(s, t, g, of, lam, gamma, (at + new) % len(of.x))
                new += n
            if s.over != RUNNING or n == LONGEST:
                begin_game(s, t, g, of, players, edges)
                n = 0
            if of.who[g, s.player] != LEARNER:
                break
            write_mask(s, t, s.player, mask)
            leave_out(dice, most, of.often, of.keys, mask)
            count = evaluate_moves(s, t, mask, net, scratch)
            top = logits[:count].argmax()
            best = logits[top]
            note_best(of.often, scratch.actions, count, top)
            if uniform(dice) < random:
                i = below(dice[0], count)
                of.cuts[g, n] = 1
            else:
                i = chosen(dice, logits, count, best, temperature)
                of.cuts[g, n] = 0
            action = scratch.actions[i]
            write_played(s, t, action, i, net, scratch, of.features[g, n])
            make_move(s, t, g, of, action, share_of(best), count)
    return new


def write_played(s, t, action, i, net, scratch, x):
    """Write the features of the afterstate of the chosen move i, made in the game itself, into x."""
    if WORLDS == 1:
        x[:] = net.features[i]
        return
    scratch.tried[0] = s
    w = scratch.tried[0]
    pending = begin_move(w, t, action)
    write_afterstate(w, t, int(s.player), pending, action, net.reads_ratings, scratch, x)


TEMPLATE: tuple[Any, ...] = (end_game, begin_game, make_move, write_played, play_on)


@lru_cache(maxsize=64)
def bind_games(of: Afterstates) -> dict[str, Any]:
    """The compiled template for a game, and what it is bound to, by name."""
    return bind(of, TEMPLATE, {**globals(), **of.names}, njit, __file__)


def bind(
    of: Afterstates, template: tuple[Any, ...], names: dict[str, Any], sources: Njit, file: str
) -> dict[str, Any]:
    """Compile a template with these global names; `sources`, `file`: the code it depends on."""
    decorate = make_njit(of.njit, sources, Path(file))
    for function in template:
        name = f"{of.name}.{function.__name__}"
        names[function.__name__] = decorate(with_globals(function, function.__module__, names, name))
    return names


def opponents_of(settings: Settings) -> Pool:
    """The opponents of the mixture except `latest`, whose share goes to the learner.

    Raises:
        AgentError: one line naming an agent that cannot be made or cannot play these games.
    """
    shares = {name: share for name, share in settings.mixture.items() if name != LATEST}
    pool = Pool(shares, settings.form)
    prepare_agents(pool.fixed, settings.info)
    return pool


class SelfPlay:
    """The self-play games of a run.

    Attributes:
        games: number of finished games.
        rounds: mean length of the games that finished in the last `play`.
        dropped: number of games that were longer than `LONGEST` decisions.
    """

    is_policy = False  # whether the network is a policy with a critic, not a value

    def __init__(self, settings: Settings, begun: int = 0) -> None:
        """`begun`: learner steps of the run so far; it changes the seeds of the games."""
        of = settings
        games = [
            BatchedGames(max(1, of.envs // PARTS), max(of.players), of.rules, of.components, game=of.game)
            for _ in range(PARTS)
        ]
        self.parameters = games[0].template.parameters
        self.players = np.array(of.players, np.int64)
        self.settings = np.array([of.temperature, of.random_moves, of.gae_lambda, of.gamma, MOST_MOVES])
        self.steps = of.n_steps
        self.tables = [
            self.new_tables(some, hash63(of.seed, begun, part), opponents_of(of))
            for part, some in enumerate(games)
        ]
        self.threads = ThreadPoolExecutor(of.threads or 1)
        self.of = find_afterstates(of.spec)
        self.turns = self.of.symmetries(self.parameters)
        self.games, self.rounds, self.dropped = 0, 0.0, 0

    def new_tables(self, games: BatchedGames, seed: int, opponents: Pool) -> Tables:
        """The games of one thread."""
        return Tables(games, KEPT // PARTS, seed, opponents)

    def network(self, settings: Settings) -> Value:
        """A new network."""
        return Value(self.of.features, settings.form)

    def play(self, arrays: Arrays) -> tuple[int, int]:
        """Play with these weights. Return the numbers of decisions, and of positions that got a target."""

        def part(table: Tables) -> int:
            net = self.of.new_network(arrays, self.is_policy)
            return table.play(self.parameters, net, self.players, self.steps, self.settings)

        new = sum(self.threads.map(part, self.tables))
        totals = np.sum([table.memory.totals for table in self.tables], 0)
        for table in self.tables:
            table.memory.totals[:] = 0.0
        self.games += int(totals[2])
        self.dropped += int(totals[4])
        if totals[2]:
            self.rounds = float(totals[3] / totals[2])
        return int(totals[1]), new

    def draw_turn(self, rng: np.random.Generator) -> np.ndarray:
        """Draw a symmetric form: the source of each feature."""
        turn: np.ndarray = self.turns[rng.integers(len(self.turns))]
        return turn

    @property
    def filled(self) -> int:
        """Number of positions in the buffers."""
        return sum(table.filled for table in self.tables)

    def sample(self, rng: np.random.Generator, size: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Draw positions: features uint8 (size, features) and targets float32 (size, outputs)."""
        places = rng.integers(self.filled, size=size)
        x, y, first = [], [], 0
        for table in self.tables:
            own = places[(places >= first) & (places < first + table.filled)] - first
            x.append(table.memory.x[own])
            y.append(table.memory.y[own])
            first += table.filled
        joined = np.concatenate(x)[:, self.draw_turn(rng)]
        return torch.from_numpy(joined), torch.from_numpy(np.concatenate(y))

    def close(self) -> None:
        """Stop all threads."""
        self.threads.shutdown()
