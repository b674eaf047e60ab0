"""Compares the features of afterstates with a computation from the decoded observation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from spacemission_agents.afterstates.network import RATED_INPUT
from spacemission_agents.games.space_mission.compiled import njit
from spacemission_agents.games.space_mission.value import afterstates as declared
from spacemission_agents.games.space_mission.value.afterstates import (
    FEATURES,
    PLANET,
    RATED_SCALES,
    SCALES,
    TABLE,
)
from spacemission_env.games.space_mission.actions import kind_of
from spacemission_env.games.space_mission.components import Card, Planet
from spacemission_env.games.space_mission.engine.constants import JOKER, KIND_NAMES, RING, TAKE
from spacemission_env.games.space_mission.engine.layout import COMPACT
from spacemission_env.games.space_mission.facts import FACTS
from spacemission_env.games.space_mission.game import Game
from spacemission_env.games.space_mission.options import PRESETS, Rules
from spacemission_env.games.space_mission.view import ACTION_WORDS, View, decode
from tests.oracle.space_mission_oracle import colour_points, gate_points, matter_points, water_points
from tests.support.afterstates import FORM, begun, judged, positions, random_network
from tests.support.random_components import random_box

pytestmark = pytest.mark.slow

SEATS, OTHERS, NUMBERS = 5, 4, range(1, 5)
FILLER = SCALES == 0
FILLER[declared.P_BESIDE : RING * PLANET : PLANET] = False  # only a mark: its weights are never used
TILE = 255 / 8  # a mean of one tile in the compact observation


def serves(values: tuple[int, ...], number: int) -> bool:
    """SM-10: a card shows the number in this colour, or a joker."""
    return number in values or JOKER in values


def one_hot(size: int, *places: int | None) -> list[float]:
    return [float(i in places) for i in range(size)]


def padded(values: list[Any], size: int) -> list[float]:
    return [float(v) for v in values] + [0.0] * (size - len(values))


def by_seat(places: list[list[int]], p: int) -> list[float]:
    return padded([p in of for of in places], SEATS)


def counts(of: dict[str, float]) -> list[float]:
    return [float(of.get(kind, 0)) for kind in KIND_NAMES]


def hand_of(view: View, game: Game) -> list[Card]:
    cards = {card.id: card for card in game.components.cards}
    return [cards[name.partition("/")[0]] for name in view.hand]


def lands(hand: list[Card], planet: Planet) -> bool:
    """SM-40: two different cards, one for each landing number."""
    a, b = planet.landing
    return any(serves(x.landing, a) and serves(y.landing, b) for x, y in permutations(hand, 2))


def planet_numbers(view: View, hand: list[Card], p: int) -> dict[str, list[float]]:
    """The declared features of a planet, by name."""
    planet, n = view.planets[p], view.num_players
    ship = view.ships[0]
    away = 0 if ship is None else min((p - ship) % RING, (ship - p) % RING)
    open_ = not any(p in of for of in view.stations)
    jumps = sum(serves(card.jump, planet.jump) for card in hand)
    scans = sum(serves(card.scan, planet.scan) for card in hand)
    low, high = sorted(planet.landing)
    landings = [sum(serves(card.landing, number) for card in hand) for number in (low, high)]
    may_land = open_ and lands(hand, planet)
    others = [view.taken_kinds[k][p] for k in range(1, n)]
    return {
        "NUMBERS": [2.0 * (planet.jump == v) for v in NUMBERS]
        + [2.0 * (planet.scan == v) for v in NUMBERS]
        + [float(planet.landing.count(v)) for v in NUMBERS],
        "HERE": [ship == p],
        "AWAY": one_hot(4, away - 1),
        "SHIPS": padded([view.ships[k] == p for k in range(1, n)], OTHERS),
        "STATIONS": by_seat(view.stations, p),
        "SCANNED": by_seat(view.scanned, p),
        "SEEN": by_seat(view.seen, p),
        "RESERVED": padded([of[p] for of in view.reserved], SEATS),
        "LEFT": [view.tiles_left[p]],
        "NONE_LEFT": [view.tiles_left[p] == 0],
        "FACE_UP": [view.face_up[p]],
        "CLOSED": [view.tiles_left[p] == 0 or view.face_up[p] > 0],
        "RESERVED_KINDS": counts(view.reserved_kinds[p]),
        "REMEMBERED": counts(view.remembered[p]),
        "AGE": [view.remembered_age[p]],
        "GONE": [view.gone_since[p]],
        "TAKEN": padded([of[p] for of in view.taken], SEATS),
        "LAST_TAKEN": by_seat(view.last_taken, p),
        "TAKEN_KINDS": padded([TILE * v for of in others for v in counts(of)], OTHERS * len(KIND_NAMES)),
        "LAST_FROM": padded([place == p for place in view.last_from], SEATS),
        "JUMPS": [jumps],
        "MAY_JUMP": [jumps > 0],
        "SCANS": [scans],
        "MAY_SCAN": [open_ and scans > 0],
        "LANDS": landings,
        "MAY_LAND": [may_land],
        "MAY_DEVELOP": [may_land and p in view.scanned[0]],
        "GAINS": [gain if view.remembered[p].get(kind) else 0 for kind, gain in gains_of(view).items()],
        "DELIVERED": [max(0, tile_points(with_reserved(view, [p])) - tile_points(view.tiles))],
        "BESIDE": [away == 1],
    }


def with_reserved(view: View, places: Iterable[int]) -> Counter[str]:
    """The own collected tiles and those reserved on these planets."""
    tiles = Counter(view.tiles)
    for p in places:
        tiles += Counter(view.reserved_kinds[p])
    return tiles


def gains_of(view: View) -> dict[str, float]:
    """The points for one more tile of each point kind."""
    own = with_reserved(view, range(RING))
    points = tile_points(own)
    return {kind: min(255, tile_points(own + Counter([kind])) - points) for kind in KIND_NAMES[:-1]}


def sets_of(view: View) -> list[float]:
    """The numbers of minerals and of their most frequent colour, the same for aliens, and pairs of matter."""
    own = with_reserved(view, range(RING))
    minerals, aliens = [own[kind] for kind in KIND_NAMES[:4]], [own[kind] for kind in KIND_NAMES[4:6]]
    pairs = min(own["matter_green"], own["matter_blue"])
    return [sum(minerals), max(minerals), sum(aliens), max(aliens), pairs]


def tile_points(tiles: Mapping[str, int]) -> int:
    """SM-63 to SM-66."""
    names = [name for name, count in tiles.items() for _ in range(count)]
    points = colour_points(names, KIND_NAMES[:4]) + colour_points(names, KIND_NAMES[4:6])
    points += matter_points(names.count("matter_green"), names.count("matter_blue"))
    return points + water_points(names.count("water")) + 3 * names.count("medal") - 10 * names.count("space")


def table_numbers(view: View, game: Game, hand: list[Card], pending: int) -> dict[str, list[float]]:
    """The declared features of the table, by name."""
    n = view.num_players
    to_end = max(0, view.space_tiles_to_end - view.revealed)
    known, held = dict.fromkeys(KIND_NAMES, 0), [dict.fromkeys(KIND_NAMES, 0.0) for _ in range(n - 1)]
    for kind in KIND_NAMES:
        pieces = [view.tiles, *view.remembered, *view.reserved_kinds]
        known[kind] = sum(of.get(kind, 0) for of in pieces)
        for p in (p for of in view.stations for p in of):
            for k in range(n - 1):
                held[k][kind] += view.taken_kinds[k + 1][p].get(kind, 0)
    first = [card.id for card in game.components.cards]
    discard = [float(view.discard.get(name, 0)) if first.index(name) == i else 0.0
               for i, name in enumerate(first)]  # fmt: skip
    actions = [one_hot(len(ACTION_WORDS), *[ACTION_WORDS.index(w) for w in of[i : i + 1]])
               for of in view.last_actions for i in range(2)]  # fmt: skip
    return {
        "PLAYERS": one_hot(4, n - 2),
        "START": one_hot(SEATS, view.start_player),
        "ACTIONS": one_hot(3, min(2, view.actions_left)),
        "ROUND": [view.round],
        "LAST_ROUND": [view.last_round],
        "TO_END": [to_end],
        "FEW": one_hot(4, to_end - 1),
        "DRAW": [view.draw_pile_size],
        "HAND": [
            sum(number in getattr(card, colour) for card in hand)
            for colour in ("jump", "scan", "landing")
            for number in (*NUMBERS, JOKER)
        ],
        "SUPPLY": padded(view.supply, SEATS),
        "GATE": padded(view.gate, SEATS),
        "GATE_POINTS": padded(gate_points(view.gate, game.rules.gate_points_without_probe), SEATS),
        "STATION_COUNT": padded([len(of) for of in view.stations], SEATS),
        "HAND_SIZE": padded(view.hand_size, SEATS),
        "TILE_TOTAL": padded(view.tile_total, SEATS),
        "DISCARD": discard,
        "TILES": counts(view.tiles),
        "TILE_POINTS": [min(255, max(0, tile_points(view.tiles)))],
        "KNOWN": counts(known),
        "HELD": padded([min(255.0, TILE * v) for of in held for v in counts(of)], OTHERS * len(KIND_NAMES)),
        "LAST_ACTIONS": padded([v for one in actions for v in one], SEATS * 2 * len(ACTION_WORDS)),
        "LAST_CARDS": padded([v for of in view.last_cards for v in padded(of, 2)], SEATS * 2),
        "PENDING": one_hot(declared.PENDING, pending),
        "GAIN": list(gains_of(view).values()),
        "SETS": sets_of(view),
        "WITH_RESERVED": [min(255, max(0, tile_points(with_reserved(view, range(RING)))))],
    }


def placed(numbers: dict[str, list[float]], first: str, size: int) -> np.ndarray:
    """The numbers at their declared indices, nan elsewhere."""
    out = np.full(size, np.nan)
    for name, values in numbers.items():
        at = getattr(declared, f"{first}_{name}")
        assert np.isnan(out[at : at + len(values)]).all(), f"{name} lies over another"
        out[at : at + len(values)] = values
    return out


def expected_features(game: Game, action: int) -> np.ndarray:
    """All features after a move, without ratings: float64 (FEATURES,), nan for fillers."""
    seat = int(game.states[0].player)
    after, _ = begun(game, action)
    view = decode(after.observe(seat), game.components, game.rules)
    hand = hand_of(view, game)
    table = placed(table_numbers(view, game, hand, begun(game, action)[1]), "T", TABLE)
    rows = [placed(planet_numbers(view, hand, p), "P", PLANET) for p in range(RING)]
    ratings = np.where(RATED_SCALES == 0, np.nan, 0.0)  # of a value that does not read them
    return np.concatenate([*rows, table, ratings])


def check(game: Game, network: Any) -> None:
    """Check the features after the moves of a position, except some top-ups."""
    actions, found, _ = judged(game, network)
    for action, row in zip(actions, found, strict=True):
        if kind_of(action) == "top_up" and action % 8:
            continue
        expected = expected_features(game, action)
        filler = np.isnan(expected)
        assert (filler == FILLER).all(), "declared, but not known here"
        assert not row[filler].any()
        near = np.full(FEATURES, 1e-9)
        for p in range(RING):  # means, of which the compact observation has the nearest 255th
            at = p * PLANET + declared.P_TAKEN_KINDS
            near[at : at + 44] = 0.51
        at = RING * PLANET + declared.T_HELD
        near[at : at + 44] = 0.51 * RING
        off = np.abs(row - expected) > near
        assert not off.any(), (action, np.flatnonzero(off), row[off], expected[off])


CASES: list[tuple[str, Rules, int | None]] = [
    ("printed", PRESETS["printed"], None),
    ("penalty", Rules(space_tile_penalty=True, space_tiles_to_end=14), None),
    ("gate", Rules(gate_points_without_probe=True, scan_face_up=True, actions_per_turn=4), None),
    ("chips", Rules(chips_per_player=60, hand_size=4, empty_top_up=False, space_tiles_to_end=16), 4),
    ("box", Rules(reserved_tiles_visible=True), 3),
    ("another", Rules(space_tile_penalty=True, space_tiles_to_end=16), 8),
]


@pytest.mark.parametrize(("name", "rules", "box"), CASES, ids=[case[0] for case in CASES])
def test_features_are_computed_from_the_observation(name: str, rules: Rules, box: int | None) -> None:
    network = random_network(1)
    for players in (2, 3, 4, 5):
        count = 0
        of = None if box is None else random_box(box)
        for game in positions(players, rules, 7 * players, every=20, box=of):
            check(game, network)
            count += 1
        assert count > 1


@njit
def held_of(seen, facts, x):
    """`write_held` of arrays of one record."""
    declared.write_held(seen[0], facts[0], x)


def test_what_does_not_fit_into_a_byte_is_the_most_that_does() -> None:
    game = Game(2)
    game.reset(1)
    seat = game.states[0].player
    points = RING * PLANET + declared.T_TILE_POINTS
    for minerals, expected in ((15, 225), (16, 255), (40, 255)):
        game.states[0].tiles[seat, 0] = minerals
        assert (judged(game, random_network(1))[1][:, points] == expected).all()
    game.states[0].tiles[seat] = 0
    game.states[0].tiles[seat, -1] = 1  # a space tile: -10 points
    assert (judged(game, random_network(1))[1][:, points] == 0).all()
    seen, facts, table = np.zeros(1, COMPACT), np.zeros(1, FACTS), np.zeros(TABLE, np.uint8)
    facts["num_players"], facts["developed"] = 2, 0b1111111  # the last planet is not developed
    seen["taken_kinds"][0, 0, :, :2] = 32, 64
    held_of(seen, facts, table)
    assert table[declared.T_HELD : declared.T_HELD + 3].tolist() == [7 * 32, 255, 0]


def test_every_feature_is_met_somewhere() -> None:
    network, largest = random_network(1, {**FORM, "input": RATED_INPUT}), np.zeros(FEATURES, np.uint8)
    boxes = [None, random_box(3), random_box(8), random_box(12)]
    for seed in range(48):
        rules = (PRESETS["printed"], CASES[1][1], CASES[2][1])[seed % 3]
        for game in positions((2, 3, 4, 5, 5, 5)[seed % 6], rules, seed, every=8, box=boxes[seed // 12]):
            largest = np.maximum(largest, judged(game, network)[1].max(0))
    rows = largest[: RING * PLANET].reshape(RING, PLANET).max(0)
    dead = np.flatnonzero(np.concatenate([rows, largest[RING * PLANET :]]) == 0)
    fillers = np.flatnonzero(FILLER[(RING - 1) * PLANET :])
    discards = PLANET + declared.T_DISCARD + np.arange(60)  # of repeated cards at the first alone
    assert set(dead) - set(discards) == set(fillers) - set(discards)
    assert len(SCALES) == FEATURES and len(fillers) < 14, "more filler than it takes"


def test_kinds_that_the_rules_treat_alike_may_be_exchanged() -> None:
    order = np.array([2, 3, 1, 0, 5, 4, 7, 6, 8, 9, 10])
    place, network, moved = np.argsort(order), random_network(1), 0
    for game in positions(3, PRESETS["printed"], 11, every=6):
        other = game.clone()
        s = other.states[0]
        s.pile[:], s.tiles[:] = s.pile[:, order], s.tiles[:, order]
        s.taken_kind[:] = place[s.taken_kind]
        for p in range(RING):
            s.taken_kind[p, s.taken[p] :] = game.states[0].taken_kind[p, s.taken[p] :]
        actions, features, _ = judged(game, network)
        exchanged = dict(zip(*judged(other, network)[:2], strict=True))
        for action, row in zip(actions, features, strict=True):
            to = TAKE + int(place[action - TAKE]) if action >= TAKE else action
            assert (exchanged[to] == row[declared.kind_places(order)]).all(), action
            moved += (exchanged[to] != row).any()
    assert moved > 50
