"""Compares key, observation and sampled worlds with an independent tracker of knowledge (SM-74).

The tracker (oracle/knowledge.py) follows the independent rules. `python -m tests.space_mission.test_memory
2000` plays 2,000 games.

At positions of whole games, for each seat:
- the tracker accepts the true state and sampled worlds;
- the means in the observation equal those of the tracker;
- after an exchange of two hidden tiles or cards, the tracker accepts the state if and only if its key is
unchanged.
"""

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
from spacemission_env.games.space_mission.engine import constants as c
from spacemission_env.games.space_mission.game import Game
from spacemission_env.games.space_mission.options import PRESETS, Rules
from spacemission_env.games.space_mission.view import View, decode
from tests.oracle.knowledge import Tracker
from tests.oracle.pools import Group, Pool
from tests.oracle.space_mission_oracle import OracleGame
from tests.oracle.witness import Witness
from tests.support.engine_snapshot import snapshot
from tests.support.random_play import choose

Means = dict[str, float]


class Marginals:
    """The means for a seat, from its view alone, in absolute seats; `tiles()` and `cards()` have the
    tracker's form.
    """

    def __init__(self, view: View, seat: int, components: Components, rules: Rules) -> None:
        self.view, self.seat, self.components = view, seat, components
        self.penalty, self.n, self.known = rules.space_tile_penalty, view.num_players, set(view.seen[0])
        picking = view.player_to_act is not None and view.phase != "action"
        self.looked_at = view.ships[view.player_to_act] if picking else None  # type: ignore[index]

    def closed(self, p: int) -> bool:
        return self.view.face_up[p] > 0 or self.view.tiles_left[p] == 0

    def since(self, p: int) -> Means:
        """The mean number of each kind among tiles gone since the last look."""
        then, gone = Counter(self.view.remembered[p]), self.view.gone_since[p]
        if not gone:
            return {}
        if self.closed(p):
            return less(then, {"space": self.view.face_up[p]})
        left = then.total() - gone
        assert then.total() > then["space"]
        groups = [
            Group("gone", gone, gone if self.penalty else 0),
            Group("left", left, min(then["space"], left - 1)),
        ]
        return plain(Pool(then, groups).expected()["gone"])

    def pool(self) -> Counter[str]:
        """The pool of unseen tiles, by elimination."""
        view, unseen = self.view, dict(zip(c.KIND_NAMES, self.components.tiles, strict=True))
        open_tiles = ({"space": view.face_up[p]} for p in range(c.RING) if p not in self.known)
        of_others = (kinds for row in view.taken_kinds[1:] for kinds in row)
        for part in (view.tiles, *view.reserved_kinds, *view.remembered, *open_tiles, *of_others):
            unseen = less(unseen, part)
        left = add([unseen, *(self.since(p) for p in range(c.RING))])  # in `remembered` and `taken_kinds`
        assert all(abs(count - round(count)) < 1e-3 for count in left.values())
        return Counter({kind: round(count) for kind, count in left.items() if round(count)})

    def tiles(self) -> Json:
        view, groups = self.view, []
        for p in range(c.RING):
            for k in range(1, self.n):
                unseen = round(view.taken[k][p] - sum(view.taken_kinds[k][p].values()))
                free = unseen if self.penalty else 0
                if free and self.closed(p) and p not in self.known and p in view.last_taken[k]:
                    groups.append(Group((p, k, "last"), 1, 0))
                    unseen, free = unseen - 1, free - 1
                groups.append(Group((p, k), unseen, free))
            if p not in self.known and not view.face_up[p]:
                size = view.tiles_left[p]
                touched = size < c.PILE or self.looked_at == p
                groups.append(Group((p, "pile"), size, max(0, size - 1) if touched else size))
        means = {label: plain(kinds) for label, kinds in Pool(self.pool(), groups).expected().items()}
        piles = []
        taken: list[list[Means]] = [[{} for _ in range(c.RING)] for _ in range(self.n)]
        for p in range(c.RING):
            hidden = {"space": view.face_up[p]} if view.face_up[p] else means.get((p, "pile"), {})
            piles.append(less(view.remembered[p], self.since(p)) if p in self.known else hidden)
            for k in range(1, self.n):
                parts = [means[p, k], means.get((p, k, "last"), {}), view.taken_kinds[k][p]]
                taken[(self.seat + k) % self.n][p] = add(parts)
        return {"piles": piles, "taken": taken}

    def cards(self) -> Json:
        """The probability of each card in each other hand and in the draw pile (distinct ids)."""
        view = self.view
        known = {*view.discard, *view.hand, *view.kept_cards}
        hidden = [card.id for card in self.components.cards if card.id not in known]
        hands: list[Means] = [{} for _ in range(self.n)]
        for k in range(1, self.n):
            fresh = view.hand_size[k] - sum(view.kept_by[k].values())
            drawn = {card: fresh / len(hidden) for card in hidden if fresh > 1e-3}
            hands[(self.seat + k) % self.n] = {**view.kept_by[k], **drawn}
        draw = view.draw_pile_size
        return {"hands": hands, "draw": {card: draw / len(hidden) for card in hidden if draw}}


def plain(kinds: dict[str, Fraction]) -> Means:
    return {kind: float(mean) for kind, mean in kinds.items()}


def add(parts: list[Means]) -> Means:
    return {kind: sum(part.get(kind, 0.0) for part in parts) for kind in set().union(*parts)}


def less(one: Mapping[str, float], other: Mapping[str, float]) -> Means:
    return {kind: count - other.get(kind, 0.0) for kind, count in one.items()}


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
            s.older[j] = sum((epoch != c.NEW) << i for i, (_, epoch) in enumerate(pairs))
            for epoch in range(c.EPOCHS):
                s.epoch_cards[epoch, j] = sum(pair[1] == epoch for pair in pairs)
    return other


def card_at(s: np.record, j: int, i: int) -> tuple[int, int]:
    """A card and its epoch; seat -1 is the draw pile."""
    return (int(s.draw[i]), c.NEW) if j < 0 else (int(s.hand[j, i]), int(s.hand_epoch[j, i]))


def put_card(s: np.record, j: int, i: int, card: int, epoch: int) -> None:
    if j < 0:
        s.draw[i] = card
    else:
        s.hand[j, i], s.hand_epoch[j, i] = card, epoch


def exchange_tiles(s: np.record, rng: random.Random) -> None:
    places = [(p, i) for p in range(c.RING) for i in range(s.taken[p])]
    places += [(p, -1 - k) for p in range(c.RING) for k in range(c.SPACE + 1) if s.pile[p, k]]
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
    for place in range(c.RING):
        if s.station[place] != c.NOWHERE:
            for at in range(s.taken[place]):
                s.tiles[s.taken_by[place, at], s.taken_kind[place, at]] += 1


def breaks_a_rule(game: Game) -> bool:
    """Whether the full state breaks a rule (SM-31, SM-46, SM-66)."""
    s = game.states[0]
    for p in range(c.RING):
        taken = s.taken_kind[p, : s.taken[p]].tolist()
        points = int(s.pile[p, : c.SPACE].sum())
        closed = s.face_up[p] or s.taken[p] == c.PILE
        looked_at = s.phase in (1, 2, 3) and s.ship[s.player] == p
        if c.SPACE in (taken if not game.rules.space_tile_penalty else taken[-1:] if closed else []):
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
    view = decode(game.observe(seat), game.components, game.rules)
    read = Marginals(view, seat, game.components, game.rules)
    found, expected = read.tiles(), tracker.tile_marginals()
    for p in range(c.RING):
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
    check_game(50 * num_players, num_players, VARIANTS[variant], 25, tally)
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
