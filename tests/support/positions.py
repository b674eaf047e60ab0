"""Builds positions for rule tests from tiles and cards, and makes moves given in words.

A position is written into the fields of a real game, so no moves need to lead to it. `missing_pieces`
checks that all tiles, cards and chips of the box are on the table.
"""

import random
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from spacemission_env.games.space_mission.components import Card, Components, load_components
from spacemission_env.games.space_mission.engine.constants import KIND_NAMES, NEW, NOWHERE, PILE, RING, SPACE
from spacemission_env.games.space_mission.engine.layout import LAYOUT
from spacemission_env.games.space_mission.game import Game
from spacemission_env.games.space_mission.options import Rules
from tests.support.pieces import missing_pieces

# The default ring. After each name: jump, scan, landing (docs/default_box.md).
FREEZER, HAZARD, CALDERA, HEGGAR, TIDEFALL, IRONVALE, RUBY, DUSKMERE = range(8)
RING_NAMES = (
    "Freezer",  # 1 1 1 2
    "Hazard",  # 1 2 3 4
    "Caldera",  # 1 3 1 3
    "Green Heggar",  # 2 2 1 4
    "Tidefall",  # 2 3 2 3
    "Ironvale",  # 2 4 2 4
    "Ruby Red",  # 3 3 1 2
    "Duskmere",  # 3 4 3 4
)
JUMP_NUMBERS = (1, 1, 1, 2, 2, 2, 3, 3)
SCAN_NUMBERS = (1, 2, 3, 2, 3, 4, 3, 4)
LANDING_NUMBERS = ((1, 2), (3, 4), (1, 3), (1, 4), (2, 3), (2, 4), (1, 2), (3, 4))
PAIRS = ((0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4))


def words(text: str) -> list[str]:
    """Names, where `medal*3` means three medals."""
    out = []
    for word in text.split():
        name, _, count = word.partition("*")
        out += [name] * int(count or 1)
    return out


def kind(name: str) -> int:
    return KIND_NAMES.index(name)


def card_index(game: Game, card_id: str) -> int:
    """The index of the first card with this id, as in the state."""
    return [card.id for card in game.components.cards].index(card_id)


def position(
    *hands: str,
    ring: Sequence[str] = RING_NAMES,
    piles: Mapping[int, str] | None = None,
    taken: Mapping[int, str] | None = None,
    face_up: Sequence[int] = (),
    stations: Mapping[int, int] | None = None,
    scanned: Mapping[int, Sequence[int]] | None = None,
    ships: Mapping[int, int] | None = None,
    gate: Sequence[int] = (),
    draw: str = "",
    rest: str = "draw",
    start: int = 0,
    player: int | None = None,
    round_number: int = 1,
    actions_left: int | None = None,
    rules: str | Rules = "printed",
    components: Components | None = None,
    observation: str = "perfect_recall",
    seed: int = 1,
) -> Game:
    """A game with this table; player 0 is to act.

    Args:
        hands: the cards of each seat.
        ring: names of the planets.
        piles: the tiles in a pile now; the other piles share the rest of the box, point tiles first.
        taken: tiles taken from a pile and by whom, in order: `"0:water 1:medal*2"`. On a planet without a
            station these tiles are reserved.
        face_up: piles of space tiles that a scan turned up (SM-34); piles with taken tiles are turned up
            anyway (SM-46).
        stations: who developed a planet.
        scanned: planets that a seat has scanned without reserving a tile.
        ships: places of ships that are not on the gate.
        gate: probes on the gate by seat.
        draw: the next cards of the draw pile.
        rest: where all other cards are: in the "draw" pile below those, or in the "discard" pile.
    """
    components = components or load_components(None)
    n = len(hands)
    game = Game(n, rules, components, observation)
    game.reset(seed=seed)
    s = game.states[0]
    s.ring[:] = [[planet.name for planet in components.planets].index(name) for name in ring]
    s.start_player = start
    s.player = start if player is None else player
    s.round_number = round_number
    if actions_left is not None:
        s.actions_left = actions_left
    _lay_cards(game, hands, draw, rest)
    for p, seat in (stations or {}).items():
        s.station[p] = seat
        s.scanned[seat, p] = 1
        s.looked[seat, p] = 0
    for seat, places in (scanned or {}).items():
        for p in places:
            s.scanned[seat, p] = 1
            s.looked[seat, p] = 0
    _lay_tiles(game, piles or {}, taken or {}, face_up)
    s.looked_round[s.looked != NOWHERE] = round_number
    for seat in range(n):
        s.ship[seat] = (ships or {}).get(seat, NOWHERE)
        s.gate[seat] = gate[seat] if seat < len(gate) else 0
        used = s.gate[seat] + s.reserved[seat].sum() + (s.station == seat).sum()
        s.supply[seat] = game.rules.chips_per_player - used
    assert missing_pieces(game) is None, missing_pieces(game)
    return game


def _lay_cards(game: Game, hands: Sequence[str], draw: str, rest: str) -> None:
    s = game.states[0]
    left = Counter(int(face) for face in game.t.deck)
    s.hand[:] = NOWHERE
    s.hand_epoch[:] = NOWHERE
    for seat, hand in enumerate(hands):
        faces = sorted(card_index(game, name) for name in words(hand))
        left.subtract(faces)
        s.hand[seat, : len(faces)] = faces
        s.hand_epoch[seat, : len(faces)] = NEW
        s.hand_size[seat] = len(faces)
    following = [card_index(game, name) for name in words(draw)]
    left.subtract(following)
    assert min(left.values()) >= 0, f"more cards than in the box: {left}"
    others = sorted(left.elements())
    s.discard[:] = 0
    if rest == "discard":
        for face in others:
            s.discard[face] += 1
        others = []
    s.discard_size = s.discard.sum()
    pile = others + following[::-1]  # the next card is the last entry
    s.draw[:] = 0
    s.draw[: len(pile)] = pile
    s.draw_size = len(pile)


def _lay_tiles(
    game: Game, piles: Mapping[int, str], taken: Mapping[int, str], face_up: Sequence[int]
) -> None:
    s = game.states[0]
    left = Counter(dict(enumerate(int(count) for count in game.t.tile_count)))
    s.pile[:] = 0
    for p, text in taken.items():
        for word in words(text):
            seat, name = int(word[0]), word[2:]
            i = int(s.taken[p])
            s.taken_by[p, i] = seat
            s.took[seat, p] += 1
            s.taken_kind[p, i] = kind(name)
            s.taken[p] = i + 1
            s.scanned[seat, p] = 1
            s.looked[seat, p] = i + 1
            left[kind(name)] -= 1
            if s.station[p] == NOWHERE:
                s.reserved[seat, p] += 1
            else:
                s.tiles[seat, kind(name)] += 1
    room = {p: PILE - int(s.taken[p]) for p in range(RING)}
    for p, text in piles.items():
        tiles = words(text)
        assert len(tiles) == room.pop(p), f"pile {p}: {len(tiles)} tiles named"
        for name in tiles:
            s.pile[p, kind(name)] += 1
            left[kind(name)] -= 1
    assert min(left.values()) >= 0, f"more tiles than in the box: {left}"
    # Deal one tile to each pile in turn, point tiles first, so that every pile gets point tiles.
    waiting = sorted(left.elements())[::-1]
    while waiting:
        for p in room:
            if room[p] and waiting:
                s.pile[p, waiting.pop()] += 1
                room[p] -= 1
    for p in range(RING):
        spaces, points = s.pile[p, SPACE], s.pile[p, :SPACE].sum()
        if spaces and not points and (s.taken[p] or p in face_up):
            s.face_up[p] = 1
            s.revealed += spaces
    s.last_round = s.revealed >= game.t.space_tiles_to_end[game.num_players]


# ---------------------------------------------------------------- moves by their texts


def legal(game: Game, kind_of_move: str = "") -> list[str]:
    """The texts of the legal moves, of one kind or all."""
    moves = [game.move_text(action) for action in game.legal_actions()]
    return [move for move in moves if move.split()[0] == kind_of_move or not kind_of_move]


def play(game: Game, *moves: str) -> None:
    """Make moves given by their texts."""
    for move in moves:
        game.step(game.parse_move(move))


def hand(game: Game, seat: int) -> list[str]:
    s = game.states[0]
    return [game.components.cards[face].id for face in s.hand[seat, : s.hand_size[seat]]]


def discards(game: Game) -> list[str]:
    cards = game.components.cards
    return [cards[i].id for i, count in enumerate(game.states[0].discard) for _ in range(count)]


def draw_pile(game: Game) -> list[str]:
    """The draw pile, next card first."""
    s = game.states[0]
    return [game.components.cards[face].id for face in s.draw[: s.draw_size][::-1]]


def tiles(game: Game, seat: int) -> list[str]:
    return names(game.states[0].tiles[seat])


def pile(game: Game, p: int) -> list[str]:
    return names(game.states[0].pile[p])


def names(counts: np.ndarray) -> list[str]:
    return [KIND_NAMES[k] for k, count in enumerate(counts) for _ in range(count)]


# ---------------------------------------------------------------- observations by name


def piece(game: Game, seat: int, name: str) -> np.ndarray:
    """A piece of a seat's observation in its shape."""
    part = LAYOUT[name]
    return game.observe(seat)[part.slice].reshape(part.shape)


def everything_seen(game: Game) -> list[bytes]:
    """The information-state key of each seat."""
    return [game.information_state_key(seat) for seat in range(game.num_players)]


def state_bytes(game: Game) -> bytes:
    return game.states.tobytes()


# ---------------------------------------------------------------- random games


def other_box(seed: int) -> Components:
    """A box with repeated cards and other numbers of tiles."""
    rng = random.Random(seed)
    default = load_components(None)
    kinds = [*rng.sample(default.cards, 9), Card("J?L?", (5,), (), (5,)), Card("S?L2", (), (5,), (2,))]
    tiles = np.zeros(11, int)
    tiles[10] = 16
    for _ in range(48):
        tiles[rng.randrange(10)] += 1
    cards = tuple(sorted((kinds[i % 11] for i in range(60)), key=lambda card: card.id))
    return Components(f"box {seed}", default.planets, cards, tuple(tiles.tolist()), f"box {seed}")


def fields_that_differ(a: Game, b: Game) -> set[str]:
    """The names of the state's fields that differ between two games."""
    s, other = a.states[0], b.states[0]
    return {name for name in s.dtype.names if not np.array_equal(s[name], other[name])}
