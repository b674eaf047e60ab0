"""Builds the positions that probe files (TOML) describe.

    players, player (to act), start, round, actions_left, phase
    ring      names of the eight planets, clockwise
    hand      cards of the player to act; all other seats hold five unknown cards
    draw      number of cards in the draw pile; the rest is in the discard pile
    gate      probes on the jump gate, by seat
    ships     planet of each ship, by seat; "" for the gate
    planets   by name: {station = seat, taken = "0:water 1:?*2", pile = "medal space*3"}

`taken` lists in order which seat took which tile from the pile; on a planet without a station these are the
reserved tiles. `?` is any point tile. A seat remembers a pile as the seat left it (SM-71). All that the
position does not name is dealt from `seed`. A position is refused unless tiles, cards and chips are
consistent and a real game could reach it (`_unreal`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from spacemission_agents.probing import ProbeError, ProbeFiles, Table, ask_all, of_theme, summary
from spacemission_env.games.space_mission.consistency import inconsistency
from spacemission_env.games.space_mission.engine import constants as c
from spacemission_env.games.space_mission.game import Game

RING_NAMES = (
    "Freezer",  # jump 1, scan 1, landing 1 2
    "Hazard",  # 1 2 3 4
    "Caldera",  # 1 3 1 3
    "Green Heggar",  # 2 2 1 4
    "Tidefall",  # 2 3 2 3
    "Ironvale",  # 2 4 2 4
    "Ruby Red",  # 3 3 1 2
    "Duskmere",  # 3 4 3 4
)
DEFAULTS: Table = {
    "players": 2,
    "player": 0,
    "start": 0,
    "round": 1,
    "actions_left": 2,
    "phase": "action",
    "ring": list(RING_NAMES),
    "hand": "",
    "draw": 25,
    "gate": [],
    "ships": [],
    "planets": {},
    "seed": 1,
}
COUNTS = [str(i) for i in range(1, c.CARDS + 1)]  # the factors allowed after "*"
PLANET_FIELDS = {"station": int, "taken": str, "pile": str}


def words(text: str, field: str) -> list[str]:
    """The words of a list, where `medal*3` means three words."""
    out = []
    for word in text.split():
        name, star, count = word.rpartition("*")
        if star and count not in COUNTS:
            raise ProbeError(f"{field}: {word!r}: expected a number from 1 to {len(COUNTS)} after '*'")
        out += [name] * int(count) if star else [word]
    return out


def filled(table: Table) -> Table:
    """The position with defaults; ProbeError if a field is unknown, of a wrong type or out of range."""
    for key, value in table.items():
        if key not in DEFAULTS:
            raise ProbeError(f"{key}: unknown field; known: {', '.join(DEFAULTS)}")
        if type(value) is not type(DEFAULTS[key]):
            raise ProbeError(f"{key}: expected {_typed(DEFAULTS[key])}, not {value!r}")
    at = {**DEFAULTS, **table}
    n = at["players"]
    limits = {"players": (2, 5), "player": (0, n - 1), "start": (0, n - 1), "round": (1, 100)}
    limits |= {"actions_left": (0, 2), "draw": (0, c.CARDS), "seed": (0, 2**62)}
    for key, (low, high) in limits.items():
        if not low <= at[key] <= high:
            raise ProbeError(f"{key}: expected {low} to {high}, not {at[key]}")
    _listed(at["ring"], "ring", str, c.RING)
    for key, kind, blank in (("gate", int, 0), ("ships", str, "")):
        at[key] = _listed(at[key] or [blank] * n, key, kind, n)
    if at["phase"] not in c.PHASE_NAMES[:-1]:
        raise ProbeError(f"phase: expected one of {', '.join(c.PHASE_NAMES[:-1])}, not {at['phase']!r}")
    for name, entry in at["planets"].items():
        _check_planet(name, entry)
    return at


def _typed(value: Any) -> str:
    return {int: "a whole number", str: "a text", list: "a list", dict: "a table"}[type(value)]


def _listed(value: list[Any], field: str, kind: type, count: int) -> list[Any]:
    if len(value) != count or any(type(entry) is not kind for entry in value):
        raise ProbeError(f"{field}: expected {count} entries, each {_typed(kind())}, not {value!r}")
    return value


def _check_planet(name: str, entry: Any) -> None:
    if not isinstance(entry, dict):
        raise ProbeError(f"planets.{name}: expected a table, not {entry!r}")
    for key, value in entry.items():
        if key not in PLANET_FIELDS:
            raise ProbeError(f"planets.{name}.{key}: unknown field; known: {', '.join(PLANET_FIELDS)}")
        if type(value) is not PLANET_FIELDS[key]:
            raise ProbeError(f"planets.{name}.{key}: expected {_typed(PLANET_FIELDS[key]())}, not {value!r}")


def index_of(name: str, known: Sequence[str], field: str, noun: str) -> int:
    """The index of a name in `known`; ProbeError for an unknown name."""
    if name not in known:
        raise ProbeError(f"{field}: unknown {noun} {name!r}")
    return list(known).index(name)


def taken_by(word: str, field: str, players: int) -> tuple[int, int | None]:
    """The seat and kind of a taken tile such as `1:water`; kind None for `?`."""
    seat, colon, name = word.partition(":")
    if not colon or seat not in map(str, range(players)):
        raise ProbeError(f"{field}: {word!r}: expected seat:tile")
    return int(seat), None if name == "?" else index_of(name, c.KIND_NAMES[: c.SPACE], field, "tile")


DEALS = 200  # maximum number of attempts to deal the piles that the position does not name


def build_position(table: Table) -> Game:
    """Build the game of a position, ready for a decision.

    Raises:
        ProbeError: one line that names the field and what is wrong.
    """
    at = filled(table)
    game = Game(at["players"])
    game.reset(seed=at["seed"])
    s = game.states[0]
    names = [planet.name for planet in game.components.planets]
    s.ring[:] = [index_of(name, names, "ring", "planet") for name in at["ring"]]
    if len(set(at["ring"])) != c.RING:
        raise ProbeError(f"ring: expected {c.RING} different planets")
    s.start_player, s.player, s.round_number = at["start"], at["player"], at["round"]
    s.actions_left, s.phase = at["actions_left"], c.PHASE_NAMES.index(at["phase"])
    rng = np.random.default_rng(at["seed"])
    _lay_cards(game, at, rng)
    places = {index_of(name, at["ring"], "planets", "planet"): entry for name, entry in at["planets"].items()}
    for p, entry in places.items():
        _lay_station(s, p, entry, at["players"])
    _lay_tiles(game, places, at, rng)
    _lay_chips(game, at)
    problem = inconsistency(s, game.t, at["players"]) or _unreal(game)
    if problem:
        raise ProbeError(f"position: {problem}")
    return game


# ---------------------------------------------------------------- laying


def _lay_cards(game: Game, at: Table, rng: np.random.Generator) -> None:
    s, ids = game.states[0], [card.id for card in game.components.cards]
    faces = sorted(index_of(name, ids, "hand", "card") for name in words(at["hand"], "hand"))
    left = Counter(int(face) for face in game.t.deck)
    left.subtract(faces)
    if min(left.values()) < 0 or len(faces) > game.rules.hand_size:
        raise ProbeError(f"hand: {at['hand']!r}: more cards than there are or than a hand holds")
    rest = [int(face) for face in rng.permutation(sorted(left.elements()))]
    s.hand[:] = c.NOWHERE
    s.hand_epoch[:] = c.NOWHERE
    for seat in range(game.num_players):
        cards = faces if seat == at["player"] else sorted(rest.pop() for _ in range(game.rules.hand_size))
        s.hand[seat, : len(cards)] = cards
        s.hand_epoch[seat, : len(cards)] = c.NEW  # no card in a hand is older than the draw pile
        s.hand_size[seat] = len(cards)
    if at["draw"] > len(rest):
        raise ProbeError(f"draw: {at['draw']}: only {len(rest)} cards are left for it")
    s.draw[:] = 0
    s.draw[: at["draw"]] = rest[: at["draw"]]
    s.draw_size = at["draw"]
    s.discard[:] = 0
    for face in rest[at["draw"] :]:
        s.discard[face] += 1
    s.discard_size = s.discard.sum()


def _lay_station(s: np.record, p: int, entry: Table, players: int) -> None:
    seat = entry.get("station", c.NOWHERE)
    if not c.NOWHERE <= seat < players:
        raise ProbeError(f"planets: station of seat {seat}: there are {players} players")
    s.station[p] = seat
    if seat != c.NOWHERE:
        s.scanned[seat, p] = 1


def _lay_tiles(game: Game, places: Mapping[int, Table], at: Table, rng: np.random.Generator) -> None:
    s = game.states[0]
    left = Counter(dict(enumerate(int(count) for count in game.t.tile_count)))
    s.pile[:] = 0
    unknown = []
    for p, entry in places.items():
        field = f"planets.{at['ring'][p]}"
        for word in words(entry.get("taken", ""), f"{field}.taken"):
            seat, kind = taken_by(word, f"{field}.taken", at["players"])
            if s.taken[p] == c.PILE:
                raise ProbeError(f"{field}.taken: more than {c.PILE} tiles")
            if kind is None:
                unknown.append((p, int(s.taken[p])))
            else:
                s.taken_kind[p, s.taken[p]] = kind
                left[kind] -= 1
            s.taken_by[p, s.taken[p]] = seat
            s.took[seat, p] += 1
            s.taken[p] += 1
            s.looked[seat, p] = s.taken[p]
            s.scanned[seat, p] |= s.station[p] == c.NOWHERE
        if "pile" in entry:
            named = [
                index_of(word, c.KIND_NAMES, f"{field}.pile", "tile")
                for word in words(entry["pile"], f"{field}.pile")
            ]
            if len(named) + s.taken[p] != c.PILE:
                raise ProbeError(f"{field}.pile: {len(named)} tiles, expected {c.PILE - s.taken[p]}")
            for kind in named:
                s.pile[p, kind] += 1
                left[kind] -= 1
    if min(left.values()) < 0:
        raise ProbeError(
            f"planets: more {c.KIND_NAMES[min(left, key=lambda k: left[k])]} tiles than there are"
        )
    rest = _deal_rest(s, left, [p for p in range(c.RING) if "pile" not in places.get(p, {})], unknown, rng)
    for (p, i), kind in zip(unknown, rest, strict=False):
        s.taken_kind[p, i] = kind
    _follow_from_tiles(s, game)


def _deal_rest(
    s: np.record,
    left: Counter[int],
    open_piles: Sequence[int],
    unknown: Sequence[tuple[int, int]],
    rng: np.random.Generator,
) -> list[int]:
    """Deal the remaining tiles: point tiles to `unknown` (returned), the rest to unnamed piles."""
    spaces = [c.SPACE] * left.pop(c.SPACE)
    for _ in range(DEALS):
        points = [int(kind) for kind in rng.permutation(sorted(left.elements()))]
        taken = points[: len(unknown)]
        tiles = [int(kind) for kind in rng.permutation(points[len(unknown) :] + spaces)]
        for p in open_piles:
            s.pile[p] = 0
            for _ in range(c.PILE - int(s.taken[p])):
                s.pile[p, tiles.pop()] += 1
        # SM-46: a face-down pile that somebody took from still holds a point tile.
        if all(s.pile[p, : c.SPACE].any() or not s.taken[p] or s.taken[p] == c.PILE for p in open_piles):
            return taken
    raise ProbeError("planets: the piles that are not named cannot be dealt: too few point tiles are left")


def _follow_from_tiles(s: np.record, game: Game) -> None:
    for p in range(c.RING):
        for i in range(s.taken[p]):
            seat, kind = int(s.taken_by[p, i]), int(s.taken_kind[p, i])
            if s.station[p] == c.NOWHERE:
                s.reserved[seat, p] += 1
            else:
                s.tiles[seat, kind] += 1
        if s.taken[p] and s.pile[p, c.SPACE] and not s.pile[p, : c.SPACE].any():
            s.face_up[p] = 1
            s.revealed += s.pile[p, c.SPACE]
    s.last_round = s.revealed >= game.t.space_tiles_to_end[game.num_players]


def _lay_chips(game: Game, at: Table) -> None:
    s = game.states[0]
    for seat in range(game.num_players):
        name = at["ships"][seat]
        s.ship[seat] = c.NOWHERE if name == "" else index_of(name, at["ring"], "ships", "planet")
        s.gate[seat] = at["gate"][seat]
        used = int(s.gate[seat]) + int(s.reserved[seat].sum()) + int((s.station == seat).sum())
        if used > game.rules.chips_per_player or s.gate[seat] < 0:
            raise ProbeError(f"gate: seat {seat} would have {used} chips on the table")
        s.supply[seat] = game.rules.chips_per_player - used
    if s.phase:  # at a tile pick the player looks through the pile (SM-31, SM-41)
        p = int(s.ship[s.player])
        if p == c.NOWHERE or (s.phase == c.PICK_DEVELOP and s.station[p] != s.player):
            raise ProbeError(f"phase: there is no {at['phase']} pick where the ship is")
        s.looked[s.player, p] = s.taken[p]
        s.scanned[s.player, p] |= s.station[p] == c.NOWHERE
    s.looked_round[s.looked != c.NOWHERE] = max(1, at["round"] - 1)
    played = int(s.gate.sum() + s.reserved.sum() + 2 * (s.station != c.NOWHERE).sum())
    s.shuffles = int(played > s.discard_size)


# ---------------------------------------------------------------- what any real game implies


def _unreal(game: Game) -> str | None:
    """Why no real game could reach the position, or None."""
    s, n = game.states[0], game.num_players
    for j in range(n):
        turn = 2 - int(s.actions_left) if j == s.player else 2 * _has_moved(s, j)
        took = sum(int((s.taken_by[p, : s.taken[p]] == j).sum()) for p in range(c.RING))
        took += bool(s.phase) and j == s.player
        did = took + int(s.gate[j])
        if did > 2 * (int(s.round_number) - 1) + turn:
            return f"round: seat {j} has done {did} actions, more than the rounds allow"
        if s.gate[j] == 0 and (took or s.ship[j] != c.NOWHERE):
            return f"gate: seat {j} has left the gate without a probe there (SM-24)"
    for p in range(c.RING):
        if s.station[p] == c.NOWHERE:
            continue
        by_owner = int((s.taken_by[p, : s.taken[p]] == s.station[p]).sum())
        picking = s.phase == c.PICK_DEVELOP and p == s.ship[s.player]
        if by_owner + picking < 2 and not s.face_up[p] and s.taken[p] < c.PILE:
            return f"{game.planet_name(p)}: its developer took a tile at a scan and one after (SM-31, SM-41)"
    if s.last_round and _open_before_this_round(s) >= game.t.space_tiles_to_end[n]:
        return "round: the end was triggered before this round (SM-51)"
    return None if game.legal_actions() else "there is no legal move"


def _has_moved(s: np.record, seat: int) -> bool:
    """Whether the seat's turn of this round is over."""
    n, start = int(s.num_players), int(s.start_player)
    return (seat - start) % n < (int(s.player) - start) % n


def _open_before_this_round(s: np.record) -> int:
    """The number of space tiles revealed before this round: who took the last tile has not acted in it."""
    count = 0
    for p in range(c.RING):
        if s.face_up[p]:
            last = int(s.taken_by[p, s.taken[p] - 1])
            now = last == s.player and s.actions_left < 2 and s.ship[last] == p
            acted = _has_moved(s, last) or now
            count += 0 if acted else int(s.pile[p, c.SPACE])
    return count


__all__ = ["ask_all", "build_position", "load_probes", "of_theme", "summary"]
MOVE_FIELDS = {
    "top_up": {"discard"},
    "jump": {"card", "planet"},
    "fly": {"planet"},
    "scan": {"card"},
    "develop": {"cards"},
    "discover": set[str](),
    "take": {"tile"},
}


def merged(common: Table, own: Table) -> Table:
    """Merge a position's own fields into the common ones, planet by planet."""
    planets = {**common.get("planets", {}), **own.get("planets", {})}
    return {**common, **own, **({"planets": planets} if planets else {})}


FILES = ProbeFiles("spacemission_agents.games.space_mission", build_position, MOVE_FIELDS, merged)
load_probes = FILES.load
