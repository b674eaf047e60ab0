"""Compares key, observation and sampled worlds with an independent tracker of knowledge (SM-74).

The tracker (oracle/knowledge.py) follows the independent rules. `python -m tests.space_mission.test_memory
2000` plays 2,000 games.

At positions of whole games, for each seat:
- the tracker accepts the true state and sampled worlds;
- the means in the observation equal those of the tracker;
- after an exchange of two hidden tiles or cards, the tracker accepts the state if and only if its key is
unchanged.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from typing import SupportsFloat

import numpy as np
import pytest

from spacemission_env.core.reading import Json
from spacemission_env.games.space_mission.components import Components
from spacemission_env.games.space_mission.engine.constants import (
    EPOCHS,
    KIND_NAMES,
    NEW,
    NOWHERE,
    PILE,
    RING,
    SPACE,
)
from spacemission_env.games.space_mission.engine.layout import LAYOUT
from spacemission_env.games.space_mission.game import Game
from spacemission_env.games.space_mission.options import PRESETS, Rules
from tests.oracle.knowledge import Tracker
from tests.oracle.pools import Group, Pool
from tests.oracle.space_mission_oracle import OracleGame
from tests.oracle.witness import Witness
from tests.support.engine_snapshot import snapshot
from tests.support.random_play import choose

Means = dict[str, float]


class Marginals:
    """The means for a seat, in absolute seats; `tiles()` and `cards()` have the tracker's form."""

    def __init__(self, observation: np.ndarray, seat: int, components: Components, rules: Rules) -> None:
        self.observation, self.seat, self.components, self.rules = observation, seat, components, rules
        self.n = 2 + int(self("num_players").argmax())
        self.left = self("tiles_left", PILE)
        self.face_up = self("face_up", PILE)
        self.seen = self("seen")[0] == 1
        self.left_then = self("remembered", PILE)
        self.gone = self("gone_since", PILE)
        self.taken = self("taken", PILE)  # relative seats
        self.known = self.observation[LAYOUT["taken_kinds"].slice].reshape(-1, RING, SPACE + 1) * PILE
        ships, mover = self("ships"), self("player_to_act")
        picking = self("phase")[1:4].any()
        self.looked_at = [bool(picking and (mover @ ships)[p]) for p in range(RING)]

    def __call__(self, name: str, unit: float = 1) -> np.ndarray:
        piece = LAYOUT[name]
        return np.rint(self.observation[piece.slice].reshape(piece.shape) * unit).astype(int)

    def closed(self, p: int) -> bool:
        return bool(self.face_up[p]) or self.left[p] == 0

    def since(self, p: int) -> np.ndarray:
        """The mean number of each kind among tiles gone since the last look."""
        then, gone = self.left_then[p], int(self.gone[p])
        out = np.zeros(SPACE + 1)
        if not self.seen[p] or gone == 0:
            return out
        if self.closed(p):
            out[:] = then
            out[SPACE] -= self.face_up[p]
            return out
        points = then[:SPACE].sum()
        groups = [Group("gone", gone, gone if self.rules.space_tile_penalty else 0)]
        groups.append(
            Group("left", int(then.sum()) - gone, min(int(then[SPACE]), int(then.sum()) - gone - 1))
        )
        found = Pool(names(then), groups).expected()["gone"]
        assert points > 0
        return np.array([float(found.get(name, 0)) for name in KIND_NAMES])

    def pool(self) -> Counter[str]:
        """The pool of unseen tiles, by elimination."""
        unseen = np.array(self.components.tiles) - self("tiles", 1) * 0
        unseen = unseen - np.rint(self.observation[LAYOUT["tiles"].slice] * np.array(self.components.tiles))
        unseen = unseen - self("reserved_kinds", PILE).sum(0)
        between = self.known.sum((0, 1))
        for p in range(RING):
            between = between - self.since(p)
            if self.seen[p]:
                unseen = unseen - self.left_then[p]
            else:
                unseen[SPACE] -= self.face_up[p]
        assert np.abs(between - np.rint(between)).max() < 1e-3
        return names(np.rint(unseen - np.rint(between)).astype(int))

    def tiles(self) -> Json:
        groups = []
        last = self("last_taken").argmax(0)
        for p in range(RING):
            for k in range(1, self.n):
                unseen = round(float(self.taken[k, p] - self.known[k - 1, p].sum()))
                free = unseen if self.rules.space_tile_penalty else 0
                if free and self.closed(p) and not self.seen[p] and last[p] == k:
                    groups.append(Group((p, k, "last"), 1, 0))
                    unseen, free = unseen - 1, free - 1
                groups.append(Group((p, k), unseen, free))
            if not self.seen[p] and not self.face_up[p]:
                size = int(self.left[p])
                touched = size < PILE or self.looked_at[p]
                groups.append(Group((p, "pile"), size, max(0, size - 1) if touched else size))
        means = {label: plain(kinds) for label, kinds in Pool(self.pool(), groups).expected().items()}
        piles = []
        taken: list[list[Means]] = [[{} for _ in range(RING)] for _ in range(self.n)]
        for p in range(RING):
            if self.seen[p]:
                piles.append(by_name(self.left_then[p] - self.since(p)))
            else:
                piles.append({"space": float(self.face_up[p])} if self.face_up[p] else means[p, "pile"])
            for k in range(1, self.n):
                parts = [means[p, k], means.get((p, k, "last"), {}), by_name(self.known[k - 1, p])]
                taken[(self.seat + k) % self.n][p] = add(parts)
        return {"piles": piles, "taken": taken}

    def cards(self) -> Json:
        """The probability of each card in each other hand and in the draw pile (distinct ids)."""
        ids = [card.id for card in self.components.cards]
        kept = self.observation[LAYOUT["kept_by"].slice].reshape(-1, len(ids))
        own = {face.tobytes() for face in self("hand") if face.any()}
        hidden = []
        for c, card in enumerate(self.components.cards):
            face = np.zeros((3, 5), int)
            for colour, values in enumerate((card.jump, card.scan, card.landing)):
                for value in values:
                    face[colour, value - 1] = 1
            if not self("discard")[c] and face.tobytes() not in own and kept[:, c].sum() < 0.5:
                hidden.append(c)
        sizes, draw = self("hand_size", 5), int(self("draw_pile_size", 60)[0])
        hands: list[Means] = [{} for _ in range(self.n)]
        for k in range(1, self.n):
            hand = {ids[c]: float(kept[k - 1, c]) for c in range(len(ids)) if kept[k - 1, c] > 0}
            fresh = sizes[k] - sum(hand.values())
            if fresh > 1e-3:
                hand.update({ids[c]: fresh / len(hidden) for c in hidden})
            hands[(self.seat + k) % self.n] = hand
        return {"hands": hands, "draw": {ids[c]: draw / len(hidden) for c in hidden} if draw else {}}


def names(counts: np.ndarray) -> Counter[str]:
    return Counter({name: int(count) for name, count in zip(KIND_NAMES, counts, strict=True) if count})


def by_name(means: np.ndarray) -> Means:
    return {name: float(mean) for name, mean in zip(KIND_NAMES, means, strict=True) if mean > 1e-6}


def plain(kinds: dict[str, Fraction]) -> Means:
    return {kind: float(mean) for kind, mean in kinds.items()}


def add(parts: list[Means]) -> Means:
    total: Means = {}
    for part in parts:
        for kind, mean in part.items():
            total[kind] = total.get(kind, 0.0) + mean
    return total


def differ(
    found: Mapping[str, SupportsFloat], expected: Mapping[str, SupportsFloat], off: float = 1e-4
) -> bool:
    keys = set(found) | set(expected)
    return any(abs(float(found.get(key, 0)) - float(expected.get(key, 0))) > off for key in keys)


VARIANTS = {
    "printed": PRESETS["printed"],
    "yucata": PRESETS["yucata"],
    "penalty": Rules(space_tile_penalty=True, space_tiles_to_end=12, max_rounds=25),
    "options": Rules(
        scan_face_up=True, empty_top_up=False, hand_size=3, space_tiles_to_end=16, max_rounds=40
    ),
}
EXCHANGES = 12  # exchanges tried for each seat at each position


def exchange(game: Game, rng: random.Random) -> Game:
    """A copy of the game with two hidden tiles or two hidden cards exchanged."""
    other = game.clone()
    s = other.states[0]
    if rng.random() < 0.5:
        exchange_tiles(s, rng)
    else:
        places = [(j, i) for j in range(game.num_players) for i in range(s.hand_size[j])]
        places += [(-1, i) for i in range(s.draw_size)]
        (a, i), (b, h) = rng.sample(places, 2)
        one, two = card_at(s, a, i), card_at(s, b, h)
        if a != b and rng.random() < 0.5:  # epochs stay in place, since their numbers by hand are public
            one, two = (one[0], two[1]), (two[0], one[1])
        put_card(s, a, i, *two)
        put_card(s, b, h, *one)
        for j in range(game.num_players):
            size = int(s.hand_size[j])
            pairs = sorted(zip(s.hand[j, :size].tolist(), s.hand_epoch[j, :size].tolist(), strict=True))
            s.hand[j, :size], s.hand_epoch[j, :size] = [p[0] for p in pairs], [p[1] for p in pairs]
            s.older[j] = sum((epoch != NEW) << i for i, (_, epoch) in enumerate(pairs))
            for epoch in range(EPOCHS):
                s.epoch_cards[epoch, j] = sum(pair[1] == epoch for pair in pairs)
    return other


def card_at(s: np.record, j: int, i: int) -> tuple[int, int]:
    """A card and its epoch; seat -1 is the draw pile."""
    return (int(s.draw[i]), NEW) if j < 0 else (int(s.hand[j, i]), int(s.hand_epoch[j, i]))


def put_card(s: np.record, j: int, i: int, card: int, epoch: int) -> None:
    if j < 0:
        s.draw[i] = card
    else:
        s.hand[j, i], s.hand_epoch[j, i] = card, epoch


def exchange_tiles(s: np.record, rng: random.Random) -> None:
    places = [(p, i) for p in range(RING) for i in range(s.taken[p])]
    places += [(p, -1 - k) for p in range(RING) for k in range(SPACE + 1) if s.pile[p, k]]
    (p, i), (q, h) = rng.sample(places, 2)
    one = int(s.taken_kind[p, i]) if i >= 0 else -1 - i
    other = int(s.taken_kind[q, h]) if h >= 0 else -1 - h
    for place, at, old, new in ((p, i, one, other), (q, h, other, one)):
        if at >= 0:
            s.taken_kind[place, at] = new
        else:
            s.pile[place, old] -= 1
            s.pile[place, new] += 1
    s.tiles[:] = 0
    for place in range(RING):
        if s.station[place] != NOWHERE:
            for at in range(s.taken[place]):
                s.tiles[s.taken_by[place, at], s.taken_kind[place, at]] += 1


def breaks_a_rule(game: Game) -> bool:
    """Whether the full state breaks a rule (SM-31, SM-46, SM-66)."""
    s = game.states[0]
    for p in range(RING):
        taken = s.taken_kind[p, : s.taken[p]].tolist()
        points = int(s.pile[p, :SPACE].sum())
        closed = s.face_up[p] or s.taken[p] == PILE
        looked_at = s.phase in (1, 2, 3) and s.ship[s.player] == p
        if SPACE in (taken if not game.rules.space_tile_penalty else taken[-1:] if closed else []):
            return True
        if s.face_up[p] and points:
            return True
        if not closed and (taken or looked_at) and not points:
            return True
    return False


def check_seat(game: Game, witness: Witness, seat: int, rng: random.Random, tally: Counter[str]) -> None:
    """Check one seat at one position."""
    tracker = witness.trackers[seat]
    key = game.information_state_key(seat)
    assert tracker.is_possible(snapshot(game))
    world = game.determinize(seat, rng.randrange(2**62))
    assert tracker.why_impossible(snapshot(world)) is None
    for _ in range(EXCHANGES):
        other = exchange(rng.choice((game, world)), rng)
        if not breaks_a_rule(other):
            possible = tracker.is_possible(snapshot(other))
            assert possible == (other.information_state_key(seat) == key), tracker.why_impossible(
                snapshot(other)
            )
            tally["possible" if possible else "impossible"] += 1
    check_means(game, tracker, seat)
    tally["views"] += 1


def check_means(game: Game, tracker: Tracker, seat: int) -> None:
    """Check that the means in the observation equal those of the tracker."""
    read = Marginals(game.observe(seat), seat, game.components, game.rules)
    found, expected = read.tiles(), tracker.tile_marginals()
    for p in range(RING):
        assert not differ(found["piles"][p], expected["piles"][p]), (
            p,
            found["piles"][p],
            expected["piles"][p],
        )
        for j in range(game.num_players):
            if j != seat:
                pair = found["taken"][j][p], expected["taken"][j][p]
                assert not differ(*pair), (j, p, pair)
    cards, expected = read.cards(), tracker.card_marginals()
    assert not differ(cards["draw"], expected["draw"])
    for j in range(game.num_players):
        assert j == seat or not differ(cards["hands"][j], expected["hands"][j]), j


def check_game(seed: int, num_players: int, rules: Rules, every: int, tally: Counter[str]) -> None:
    """Play a random game in engine and independent rules; check each `every`-th position and the last."""
    rng = random.Random(seed)
    game = Game(num_players, rules)
    game.reset(seed=seed)
    header = game.components.to_json()
    options = game.rules.to_json()
    oracle = OracleGame(num_players, options, header["planets"], header["cards"], game.setup_json())
    witness = Witness(oracle, options)
    until = rng.randrange(every)
    while True:
        if until == 0 or game.over:
            for seat in range(num_players):
                check_seat(game, witness, seat, rng, tally)
            tally["after two shuffles"] += int(game.states[0].shuffles) > 1
            until = every
        until -= 1
        if game.over:
            tally["games"] += 1
            return
        action = choose(game, game.legal_actions(), rng)
        game.step(action)
        witness.play(action, lambda cards: game.last_shuffle())


@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
@pytest.mark.parametrize("variant", VARIANTS)
def test_sm_74_key_observation_and_worlds_know_what_a_perfect_memory_does(
    variant: str, num_players: int
) -> None:
    tally: Counter[str] = Counter()
    for seed in range(2):
        check_game(50 * num_players + seed, num_players, VARIANTS[variant], 25, tally)
    assert tally["possible"] > 20
    assert tally["impossible"] > 20
    assert tally["views"] >= 4 * num_players


def main(games: int = 2000, start: int = 0) -> None:
    """The long check: games of all variants in turn, 2 to 5 players."""
    tally: Counter[str] = Counter()
    names = list(VARIANTS)
    for i in range(start, start + games):
        check_game(90_000 + i, 2 + i // len(names) % 4, VARIANTS[names[i % len(names)]], 16, tally)
        if (i + 1 - start) % 100 == 0:
            print(dict(tally), flush=True)
    print(f"{games} games: tracker, key, observation and sampled worlds agree: {dict(tally)}")


if __name__ == "__main__":
    main(*(int(a) for a in sys.argv[1:]))
