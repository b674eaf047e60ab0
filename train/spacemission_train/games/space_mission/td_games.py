"""Games of the present value against itself and others, and what each position turned out to be worth.

Every seat of its own plays the move behind which its position is worth most, with some chance. Behind the
last move of a game each position of such a seat gets its target: TD(lambda) (Sutton 1988) backwards over the
seat's own positions, from the seat's share of the win. Other seats may be an agent's (`Outsiders`): nothing
is learnt from their moves, but from what they make of the own ones.


What method td has of Space Mission: games side by side, and the network in torch."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from spacemission_agents.games.space_mission import compiled
from spacemission_agents.games.space_mission.value.features import (
    FEATURES,
    P_HERE,
    PLANET,
    PLANET_SCALES,
    RATED,
    RATED_SCALES,
    RATINGS,
    TABLE,
    TABLE_SCALES,
    kind_places,
)
from spacemission_agents.games.space_mission.value.moves import judge_moves, new_room, share_of
from spacemission_agents.games.space_mission.value.network import (
    INPUT,
    LEAD_UNIT,
    POINTS_UNIT,
    POOLS,
    RATED_INPUT,
    TOLD,
    Network,
    new_network,
)
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.compiling import make_njit
from spacemission_env.core.constants import FINISHED, NO_ORDER, RUNNING
from spacemission_env.core.rng import below, hash63, seed_rng
from spacemission_env.games.space_mission.engine.constants import (
    ACTION,
    ACTION_COUNT,
    ALIEN,
    JUMP,
    KINDS,
    MATTER_GREEN,
    MAX_PLAYERS,
    MINERAL,
    RING,
    SCORES,
    TOP_UP,
    TOTAL,
    WATER,
)
from spacemission_env.games.space_mission.engine.legal import write_mask
from spacemission_env.games.space_mission.engine.rules import apply, deal
from spacemission_env.games.space_mission.engine.scoring import best_other, rank_number, score
from spacemission_env.games.space_mission.engine.state import STATE
from spacemission_train.games.space_mission.td_network import side_by_side
from spacemission_train.learning.form import Form
from spacemission_train.settings.settings import Settings
from spacemission_train.values.outsiders import Outsiders

njit = make_njit(compiled.njit, Path(__file__).parent)

LONGEST = 1500  # decisions of a game that are kept; one that goes on longer is dropped


class Tables:
    """Games that one thread plays, what is kept of each, and a ring of what has been learnt from them.

    Attributes:
        games: the games; `states` are theirs.
        who: of each seat, 0: plays and learns here; k: outsider k - 1. int8 (n, MAX_PLAYERS).
        features, values, seats, cuts, counts: of the decisions of each so far, in order: the position behind
            the move, the best value that there was to choose, who chose, whether it was made at random.
        x, y: the ring, uint8 (kept, FEATURES) and float32 (kept, TOLD); `filled` of it are positions.
        told: sums since they were last read: moves judged, decisions, games, rounds of these.
    """

    def __init__(self, games: BatchedGames, kept: int, seed: int, outsiders: Outsiders) -> None:
        """Games that have not begun, and room for so many positions."""
        self.games, self.outsiders = games, outsiders
        self.states = games.states
        self.states["over"] = FINISHED
        n = games.count
        self.who = np.zeros((n, MAX_PLAYERS), np.int8)
        self.left = np.zeros(n, np.int64)
        self.features = np.zeros((n, LONGEST, FEATURES), np.uint8)
        self.values = np.zeros((n, LONGEST), np.float32)
        self.seats = np.zeros((n, LONGEST), np.int8)
        self.cuts = np.zeros((n, LONGEST), np.int8)
        self.counts = np.zeros(n, np.int64)
        self.dice = np.zeros(1, STATE)
        self.x = np.zeros((kept, FEATURES), np.uint8)
        self.y = np.zeros((kept, len(TOLD)), np.float32)
        self.at = self.filled = 0
        self.told = np.zeros(4)
        self.room = new_room()
        begin_dice(self.dice, seed)

    def play(self, boxes: Any, net: Network, players: np.ndarray, steps: int, settings: np.ndarray) -> int:
        """Play `steps` own decisions in every game; how many positions have got their target."""
        kept = (self.states, self.who, self.features, self.values, self.seats, self.cuts, self.counts)
        self.left[:] = steps
        all_new = 0
        while self.left.any():
            new = play_on(
                boxes,
                *kept,
                self.dice,
                self.room,
                net,
                players,
                self.outsiders.edges,
                self.left,
                settings,
                self.x,
                self.y,
                self.at,
                self.told,
            )
            self.at = (self.at + new) % len(self.x)
            self.filled = min(len(self.x), self.filled + new)
            all_new += new
            self._let_others_play(np.flatnonzero(self.left))
        return all_new

    def _let_others_play(self, waiting: np.ndarray) -> None:
        # Until none of these games waits for a seat that is an outsider's.
        while len(waiting):
            who = self.who[waiting, self.states["player"][waiting]]
            waiting, who = waiting[who > 0], who[who > 0]
            if len(waiting):
                decisions = self.games.ask(waiting)
                self.games.step(waiting, self.outsiders.act(who - 1, decisions))
                waiting = waiting[self.states["over"][waiting] == RUNNING]


@njit
def begin_dice(dice, seed):
    """Random numbers of a thread."""
    seed_rng(dice[0], seed)


@njit
def uniform(dice):
    """A number from 0 to 1."""
    return below(dice[0], 1 << 24) / (1 << 24)


@njit
def chosen(dice, logits, count, best, temperature):
    """The place of the move that is played, by its logit; `best`: the highest."""
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
    """Leave some top-ups out, to save time: they are most of the moves. One move at least stays."""
    if s.phase != ACTION:
        return
    stay = 0
    for action in range(ACTION_COUNT):
        stay += mask[action]
    for action in range(TOP_UP + 1, JUMP):
        if mask[action] and uniform(dice) < share and stay > 1:
            mask[action] = 0
            stay -= 1


@njit
def write_outcome(s, t, scores, told):
    """What each seat is told in the end: share of the win, points, lead; told float64 (MAX_PLAYERS, 3)."""
    n = int(s.num_players)
    score(s, t, scores)
    best = -1000000000
    for j in range(n):
        best = max(best, rank_number(scores, j))
    winners = 0
    for j in range(n):
        winners += rank_number(scores, j) == best
    for j in range(n):
        told[j, 0] = 1.0 / winners if rank_number(scores, j) == best else 0.0
        told[j, 1] = scores[j, TOTAL] / POINTS_UNIT
        told[j, 2] = (scores[j, TOTAL] - best_other(scores, n, j)) / LEAD_UNIT


@njit
def keep_game(told, features, values, seats, cuts, count, lam, x, y, at):
    """Write a game's positions and their targets into the ring from place `at` on.

    `lam`: what the seat's later positions turned out to be worth counts so much, the value that it saw in its
    next decision the rest; where the move there was made at random, that value alone (Watkins 1989).
    """
    following = np.full(MAX_PLAYERS, -1.0)
    for i in range(count - 1, -1, -1):
        j = seats[i]
        target = told[j, 0] if following[j] < 0 else following[j]
        x[at] = features[i]
        y[at, 0] = target
        y[at, 1] = told[j, 1]
        y[at, 2] = told[j, 2]
        at = (at + 1) % len(x)
        following[j] = values[i] if cuts[i] else (1 - lam) * values[i] + lam * target


@njit
def seat_outsiders(dice, edges, n, who):
    """Draw who has each seat of a new game of n: one is an own one, of the others so many as the odds say."""
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
def play_on(
    boxes,
    states,
    who,
    features,
    values,
    seats,
    cuts,
    counts,
    dice,
    room,
    net,
    players,
    edges,
    left,
    settings,
    x,
    y,
    at,
    told,
):
    """Play so many own decisions in every game as `left` says, or up to where a seat of others is to act;
    returns how many positions were written into the ring from `at` on.

    `players`: numbers of players, of which each new game draws one. `edges`: `Outsiders.edges`. `left` is
    counted down. `settings`: temperature, share of random moves, lambda, share of top-ups left out. The rest
    is what `Tables` has, and the present value.
    """
    t = boxes[0]
    temperature, random, lam, left_out = settings[0], settings[1], settings[2], settings[3]
    mask = np.zeros(ACTION_COUNT, np.int8)
    actions = np.zeros(ACTION_COUNT, np.int64)
    logits = np.zeros(ACTION_COUNT)
    scores = np.zeros((MAX_PLAYERS, SCORES), np.int64)
    ends = np.zeros((MAX_PLAYERS, 3))
    new = 0
    for g in range(len(states)):
        s = states[g]
        while left[g] > 0:
            n = counts[g]
            if s.over != RUNNING and n > 0:
                write_outcome(s, t, scores, ends)
                begin = (at + new) % len(x)
                keep_game(ends, features[g], values[g], seats[g], cuts[g], n, lam, x, y, begin)
                new += n
                told[2] += 1
                told[3] += s.round_number
            if s.over != RUNNING or n == LONGEST:
                seed = below(dice[0], 1 << 31) * (1 << 31) + below(dice[0], 1 << 31)
                deal(s, t, players[below(dice[0], len(players))], seed)
                seat_outsiders(dice, edges, s.num_players, who[g])
                n = counts[g] = 0
            if who[g, s.player] > 0:
                break
            write_mask(s, t, s.player, mask)
            leave_out(dice, s, left_out, mask)
            count = judge_moves(s, t, mask, net, room, actions, logits)
            best = logits[:count].max()
            if uniform(dice) < random:
                i = below(dice[0], count)
                cuts[g, n] = 1
            else:
                i = chosen(dice, logits, count, best, temperature)
                cuts[g, n] = 0
            features[g, n] = net.features[i]
            values[g, n] = share_of(best)
            seats[g, n] = s.player
            counts[g] += 1
            left[g] -= 1
            told[0] += count
            told[1] += 1
            apply(s, t, actions[i], NO_ORDER)
    return new


PARTS = 4  # of the games: what is played does not depend on how many threads play them
KEPT = 200_000  # positions in all that are learnt from, the newest
LEFT_OUT = 0.7  # of the top-ups that discard, in each decision of a training game: they are most of the moves


def pools(planets: torch.Tensor, each: torch.Tensor) -> list[torch.Tensor]:
    """The planets as rows, as `network.pool`: of features (…, RING, PLANET), each (…, RING, width)."""
    here = planets[..., P_HERE : P_HERE + 1]
    beside = torch.roll(here, 1, -2) + torch.roll(here, -1, -2)
    return [each.sum(-2), each.amax(-2), (each * here).sum(-2), (each * beside).sum(-2)]


class Value(nn.Module):
    """The network of `afterstate/network.py` as torch learns it; the outputs are `TOLD`."""

    def __init__(self, form: Form) -> None:
        """`form`: `planets`, and `hidden` two widths."""
        super().__init__()
        self.wide, (table, joined) = form.planets, form.hidden
        self.planet = nn.Linear(PLANET, self.wide, bias=False)
        self.table = nn.Linear(TABLE, self.wide + table)
        both = self.wide + table
        self.rated = nn.Linear(RATED, both, bias=False) if form.input == RATED_INPUT else None
        self.joined = nn.Linear(POOLS * self.wide + table, joined)
        self.told = nn.Linear(joined, len(TOLD))
        nn.init.zeros_(self.told.weight)
        nn.init.zeros_(self.told.bias)
        scales = PLANET_SCALES, TABLE_SCALES, RATED_SCALES
        self.scales = [torch.from_numpy(of) for of in scales]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Outputs float32 (n, TOLD) of features uint8 (n, FEATURES)."""
        planets = x[:, : RING * PLANET].view(len(x), RING, PLANET).float()
        table = self.table(x[:, RING * PLANET : RATINGS].float() * self.scales[1])
        if self.rated is not None:
            table = table + self.rated(x[:, RATINGS:].float() * self.scales[2])
        each = torch.relu(self.planet(planets * self.scales[0]) + table[:, None, : self.wide])
        joined = self.joined(torch.cat([*pools(planets, each), torch.relu(table[:, self.wide :])], 1))
        told: torch.Tensor = self.told(torch.relu(joined))
        return told

    def arrays(self) -> dict[str, np.ndarray]:
        """The tensors under the names of a model folder."""
        return {f"{INPUT}.{k}": v.detach().cpu().numpy().copy() for k, v in self.state_dict().items()}

    def set_arrays(self, arrays: dict[str, np.ndarray]) -> None:
        """Take over the tensors of a model folder of the same form, or of one that reads no ratings."""
        new = {k.removeprefix(f"{INPUT}."): torch.from_numpy(v) for k, v in arrays.items()}
        if self.rated is not None:
            new.setdefault("rated.weight", torch.zeros_like(self.rated.weight))
        self.load_state_dict(new)

    def set_side_by_side(self, values: list[dict[str, np.ndarray]]) -> None:
        """Take over several values whose widths add up to this one's (side_by_side.py)."""
        self.set_arrays(side_by_side(values))


def kind_turns(tile_count: np.ndarray) -> list[np.ndarray]:
    """Where each feature comes from in each way to exchange kinds that a box treats alike (`kind_places`).

    `tile_count`: tiles of each kind in the box.
    """
    # Colours of minerals, of aliens, of matter may be exchanged: the rules treat them alike (SM-63, SM-64).
    turns = []
    for minerals in permutations(range(MINERAL, ALIEN)):
        for aliens in permutations(range(ALIEN, MATTER_GREEN)):
            for matter in permutations(range(MATTER_GREEN, WATER)):
                order = [*minerals, *aliens, *matter, *range(WATER, KINDS)]
                if (tile_count[order] == tile_count).all():
                    turns.append(kind_places(np.array(order)))
    return turns


class SelfPlay:
    """Games of the value against itself (`values.learner.ValueGames`)."""

    def __init__(self, settings: Settings, begun: int = 0) -> None:
        """`begun`: learner steps of the run so far; games that go on later are others."""
        spec, of = settings.spec, settings
        self._settings = settings
        self.boxes = spec.make_box(spec.load_components(of.components), spec.make_rules(of.rules))
        self.players = np.array(of.players, np.int64)
        self.settings = np.array([of.temperature, of.random_moves, of.gae_lambda, LEFT_OUT])
        self.steps = of.n_steps
        self.tables = [
            Tables(self._new_games(), KEPT // PARTS, hash63(of.seed, begun, part), Outsiders(of))
            for part in range(PARTS)
        ]
        self.threads = ThreadPoolExecutor(of.threads or 1)
        self.turns = kind_turns(self.boxes[0]["tile_count"])
        self.games = 0
        self.rounds = 0.0  # of the games that ended in the last `play`, the mean

    def _new_games(self) -> BatchedGames:
        of = self._settings
        count = max(1, of.envs // PARTS)
        return BatchedGames(count, max(of.players), of.rules, of.components, game=of.game)

    def network(self, form: Form) -> Value:
        """A network that has learnt nothing."""
        return Value(form)

    def play(self, arrays: dict[str, np.ndarray]) -> tuple[int, int]:
        """Play on with these weights; how many decisions, and how many positions have got their target."""

        def part(table: Tables) -> int:
            return table.play(self.boxes, new_network(arrays), self.players, self.steps, self.settings)

        new = sum(self.threads.map(part, self.tables))
        told = np.sum([table.told for table in self.tables], 0)
        for table in self.tables:
            table.told = np.zeros_like(table.told)
        self.games += int(told[2])
        if told[2]:
            self.rounds = float(told[3] / told[2])
        return int(told[1]), new

    @property
    def filled(self) -> int:
        """Positions that can be learnt from."""
        return sum(table.filled for table in self.tables)

    def sample(self, rng: np.random.Generator, size: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Features uint8 (size, FEATURES) and targets float32 (size, TOLD) of positions drawn at random."""
        places = rng.integers(self.filled, size=size)
        x, y, first = [], [], 0
        for table in self.tables:
            own = places[(places >= first) & (places < first + table.filled)] - first
            x.append(table.x[own])
            y.append(table.y[own])
            first += table.filled
        joined = np.concatenate(x)[:, self.turns[rng.integers(len(self.turns))]]
        return torch.from_numpy(joined), torch.from_numpy(np.concatenate(y))

    def close(self) -> None:
        """End the threads."""
        self.threads.shutdown()
