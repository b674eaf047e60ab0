"""Plays self-play games for TD(lambda).

The learner's seats sample their moves by the value of the afterstate. At the end of a game, each afterstate
of such a seat gets its TD(lambda) target (Sutton 1988), computed backwards from the seat's win share. The
moves of other opponents give no targets.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import torch

from spacemission_agents.games.space_mission.value import moves
from spacemission_agents.games.space_mission.value import network as value
from spacemission_agents.games.space_mission.value.features import FEATURES
from spacemission_env.core.agents import prepare_agents
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.constants import FINISHED, NO_ORDER, RUNNING
from spacemission_env.core.rng import below, hash63, seed_rng
from spacemission_env.games.space_mission.engine import constants as c
from spacemission_env.games.space_mission.engine.legal import write_mask
from spacemission_env.games.space_mission.engine.rules import apply, deal
from spacemission_env.games.space_mission.engine.scoring import best_other
from spacemission_env.games.space_mission.engine.state import STATE
from spacemission_train.games.space_mission.td_network import Value, kind_turns
from spacemission_train.games.space_mission.views import njit
from spacemission_train.self_play.league import Pool
from spacemission_train.settings.settings import LATEST, Form, Settings

LONGEST = 1500  # limit of decisions; a longer game is dropped
PARTS = 4  # the games are split in fixed parts, so results do not depend on the number of threads
KEPT = 200_000  # size of the buffer of positions
LEFT_OUT = 0.7  # share of top-ups with discards that a decision ignores, because they are most of the moves


class Memory(NamedTuple):
    """The memory of one thread: the decisions of n games, and a ring buffer of positions."""

    who: np.ndarray  # player of each seat, 0: the learner; k: opponent k - 1; int8 (n, MAX_PLAYERS)
    features: np.ndarray  # afterstates, uint8 (n, LONGEST, FEATURES)
    values: np.ndarray  # best values, float32 (n, LONGEST)
    seats: np.ndarray  # seats that decided, int8 (n, LONGEST)
    cuts: np.ndarray  # 1 if the move was random, int8 (n, LONGEST)
    counts: np.ndarray  # decisions of each game, int64 (n,)
    left: np.ndarray  # the learner's decisions still to play in each game, int64 (n,)
    x: np.ndarray  # ring buffer of afterstates, uint8 (kept, FEATURES)
    y: np.ndarray  # ring buffer of targets, float32 (kept, TOLD)
    totals: np.ndarray  # moves evaluated, decisions, games, rounds since the last reset; float64 (4,)
    dice: np.ndarray  # a state record that serves as random generator, (1,)
    ends: np.ndarray  # targets at the end of a game, float64 (MAX_PLAYERS, TOLD)
    scratch: moves.Scratch


def new_memory(games: int, kept: int) -> Memory:
    """Allocate memory for `games` games and `kept` positions."""
    return Memory(
        who=np.zeros((games, c.MAX_PLAYERS), np.int8),
        features=np.zeros((games, LONGEST, FEATURES), np.uint8),
        values=np.zeros((games, LONGEST), np.float32),
        seats=np.zeros((games, LONGEST), np.int8),
        cuts=np.zeros((games, LONGEST), np.int8),
        counts=np.zeros(games, np.int64),
        left=np.zeros(games, np.int64),
        x=np.zeros((kept, FEATURES), np.uint8),
        y=np.zeros((kept, len(value.TOLD)), np.float32),
        totals=np.zeros(4),
        dice=np.zeros(1, STATE),
        ends=np.zeros((c.MAX_PLAYERS, len(value.TOLD))),
        scratch=moves.new_scratch(),
    )


class Tables:
    """The games of one thread and their ring buffer, with `filled` positions."""

    def __init__(self, games: BatchedGames, kept: int, seed: int, opponents: Pool) -> None:
        """`games`: the games, not dealt; `kept`: size of the ring buffer."""
        self.games, self.opponents = games, opponents
        self.states = games.states
        self.states["over"] = FINISHED
        self.memory = new_memory(games.count, kept)
        self.at = self.filled = 0
        seed_rng(self.memory.dice[0], seed)

    def play(
        self,
        parameters: np.ndarray,
        net: value.Network,
        players: np.ndarray,
        steps: int,
        settings: np.ndarray,
    ) -> int:
        """Play `steps` of the learner's decisions in each game; the number of positions that got a target."""
        memory, edges = self.memory, self.opponents.edges
        memory.left[:] = steps
        all_new = 0
        while memory.left.any():
            new = play_on(parameters, self.states, memory, net, players, edges, settings, self.at)
            self.at = (self.at + new) % len(memory.x)
            self.filled = min(len(memory.x), self.filled + new)
            all_new += new
            self._let_others_play(np.flatnonzero(memory.left))
        return all_new

    def _let_others_play(self, waiting: np.ndarray) -> None:
        # Plays opponents' moves until no game waits for an opponent.
        while len(waiting):
            who = self.memory.who[waiting, self.states["player"][waiting]]
            waiting, who = waiting[who > 0], who[who > 0]
            if len(waiting):
                decisions = self.games.ask(waiting)
                self.games.step(waiting, self.opponents.act(who - 1, decisions))
                waiting = waiting[self.states["over"][waiting] == RUNNING]


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
def leave_out(dice, s, share, mask):
    """Remove a share of the top-ups from a mask to save time."""
    if s.phase != c.ACTION:
        return
    stay = 0
    for action in range(c.ACTION_COUNT):
        stay += mask[action]
    for action in range(c.TOP_UP + 1, c.JUMP):
        if mask[action] and uniform(dice) < share and stay > 1:
            mask[action] = 0
            stay -= 1


@njit
def write_outcome(s, t, scores, targets):
    """Write each seat's targets at the end of a game: win share, points, margin; (MAX_PLAYERS, 3)."""
    n = int(s.num_players)
    moves.win_shares(s, t, scores, targets[:, 0])
    for j in range(n):
        targets[j, 1] = scores[j, c.TOTAL] / value.POINTS_UNIT
        targets[j, 2] = (scores[j, c.TOTAL] - best_other(scores, n, j)) / value.MARGIN_UNIT


@njit
def keep_game(g, of, lam, at):
    """Write the positions of game g and their targets into the ring buffer, starting at place `at`.

    A target is `lam` times the target of the seat's next position plus (1 - `lam`) times the value of its
    next decision. After a random move, it is that value alone (Watkins 1989).
    """
    following = np.full(c.MAX_PLAYERS, -1.0)
    for i in range(of.counts[g] - 1, -1, -1):
        j = of.seats[g, i]
        target = of.ends[j, 0] if following[j] < 0 else following[j]
        of.x[at] = of.features[g, i]
        of.y[at, 0] = target
        of.y[at, 1] = of.ends[j, 1]
        of.y[at, 2] = of.ends[j, 2]
        at = (at + 1) % len(of.x)
        seen = of.values[g, i]
        following[j] = seen if of.cuts[g, i] else (1 - lam) * seen + lam * target


@njit
def seat_opponents(dice, edges, n, who):
    """Draw the players of the n seats: one learner, the others by their shares."""
    who[:] = 0
    if len(edges) == 0:
        return
    own = below(dice[0], n)
    for j in range(n):
        if j != own:
            at = uniform(dice)
            for k in range(len(edges) - 1, -1, -1):
                if at < edges[k]:
                    who[j] = k + 1


@njit
def play_on(parameters, states, of, net, players, edges, settings, at):
    """Play each game until its `left` decisions are made or an opponent is to act.

    Args:
        parameters: parameters of the games, (1,).
        states: the games.
        of: `Memory`.
        net: `Network`, the present one.
        players: numbers of players, of which each new game draws one.
        edges: `Pool.edges` of the opponents.
        settings: temperature, share of random moves, lambda, share of top-ups left out.
        at: next place in the ring buffer.

    Returns:
        Number of positions written into the ring buffer.
    """
    t, scratch, dice = parameters[0], of.scratch, of.dice
    temperature, random, lam, left_out = settings[0], settings[1], settings[2], settings[3]
    mask, logits = scratch.mask, scratch.logits
    new = 0
    for g in range(len(states)):
        s = states[g]
        while of.left[g] > 0:
            n = of.counts[g]
            if s.over != RUNNING and n > 0:
                write_outcome(s, t, scratch.scores, of.ends)
                keep_game(g, of, lam, (at + new) % len(of.x))
                new += n
                of.totals[2] += 1
                of.totals[3] += s.round_number
            if s.over != RUNNING or n == LONGEST:
                seed = below(dice[0], 1 << 31) * (1 << 31) + below(dice[0], 1 << 31)
                deal(s, t, players[below(dice[0], len(players))], seed)
                seat_opponents(dice, edges, s.num_players, of.who[g])
                n = of.counts[g] = 0
            if of.who[g, s.player] > 0:
                break
            write_mask(s, t, s.player, mask)
            leave_out(dice, s, left_out, mask)
            count = moves.evaluate_moves(s, t, mask, net, scratch)
            best = logits[:count].max()
            if uniform(dice) < random:
                i = below(dice[0], count)
                of.cuts[g, n] = 1
            else:
                i = chosen(dice, logits, count, best, temperature)
                of.cuts[g, n] = 0
            of.features[g, n] = net.features[i]
            of.values[g, n] = moves.share_of(best)
            of.seats[g, n] = s.player
            of.counts[g] += 1
            of.left[g] -= 1
            of.totals[0] += count
            of.totals[1] += 1
            apply(s, t, scratch.actions[i], NO_ORDER)
    return new


def opponents_of(settings: Settings) -> Pool:
    """The agents of the mixture without `latest`; the learner gets the rest of the shares.

    Raises:
        AgentError: one line naming an agent that cannot be made or cannot play these games.
    """
    shares = {name: share for name, share in settings.mixture.items() if name != LATEST}
    pool = Pool(shares, settings.form)
    prepare_agents(pool.fixed, settings.info)
    return pool


class SelfPlay:
    """Self-play games of Space Mission (`td.learner.ValueGames`)."""

    def __init__(self, settings: Settings, begun: int = 0) -> None:
        """`begun`: learner steps of the run so far; it changes the seeds of the games."""
        of = settings
        games = [
            BatchedGames(max(1, of.envs // PARTS), max(of.players), of.rules, of.components, game=of.game)
            for _ in range(PARTS)
        ]
        self.parameters = games[0].template.parameters
        self.players = np.array(of.players, np.int64)
        self.settings = np.array([of.temperature, of.random_moves, of.gae_lambda, LEFT_OUT])
        self.steps = of.n_steps
        self.tables = [
            Tables(some, KEPT // PARTS, hash63(of.seed, begun, part), opponents_of(of))
            for part, some in enumerate(games)
        ]
        self.threads = ThreadPoolExecutor(of.threads or 1)
        self.turns = kind_turns(self.parameters[0]["tile_count"])
        self.games = 0
        self.rounds = 0.0  # mean length of the games that finished in the last `play`

    def network(self, form: Form) -> Value:
        """A new network."""
        return Value(form)

    def play(self, arrays: dict[str, np.ndarray]) -> tuple[int, int]:
        """Play with these weights; the number of decisions, and of positions that got their target."""

        def part(table: Tables) -> int:
            return table.play(
                self.parameters, value.new_network(arrays), self.players, self.steps, self.settings
            )

        new = sum(self.threads.map(part, self.tables))
        totals = np.sum([table.memory.totals for table in self.tables], 0)
        for table in self.tables:
            table.memory.totals[:] = 0.0
        self.games += int(totals[2])
        if totals[2]:
            self.rounds = float(totals[3] / totals[2])
        return int(totals[1]), new

    @property
    def filled(self) -> int:
        """Number of positions in the buffers."""
        return sum(table.filled for table in self.tables)

    def sample(self, rng: np.random.Generator, size: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Draw positions: features uint8 (size, FEATURES) and targets float32 (size, TOLD)."""
        places = rng.integers(self.filled, size=size)
        x, y, first = [], [], 0
        for table in self.tables:
            own = places[(places >= first) & (places < first + table.filled)] - first
            x.append(table.memory.x[own])
            y.append(table.memory.y[own])
            first += table.filled
        joined = np.concatenate(x)[:, self.turns[rng.integers(len(self.turns))]]
        return torch.from_numpy(joined), torch.from_numpy(np.concatenate(y))

    def close(self) -> None:
        """Stop all threads."""
        self.threads.shutdown()
