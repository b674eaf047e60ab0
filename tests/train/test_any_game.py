"""Learning of any game: from a game's file alone, on any number of threads; Planet Hexx's own features."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np
import pytest

from spacemission_agents.afterstates.moves import find_afterstates
from spacemission_agents.afterstates.network import GROUP, WIN
from spacemission_agents.arena.play import play_games
from spacemission_agents.games.planet_hexx import value as hexx
from spacemission_agents.games.planet_hexx.facts import hexes_between
from spacemission_agents.models.folder import load_model
from spacemission_env.commands.new_game import package_of, texts_of
from spacemission_env.core.constants import FINISHED, RUNNING, TRUNCATED
from spacemission_env.core.game import Game, make_game
from spacemission_env.core.game_spec import find_game
from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.engine.board import may_lay
from spacemission_env.games.planet_hexx.engine.grid import NEIGHBOURS
from spacemission_train.presets import make_settings
from spacemission_train.self_play import SelfPlay
from spacemission_train.settings import Settings
from tests.support import command_line, take_stones
from tests.support.any_afterstates import afterstates, features_of, judged, random_arrays

pytestmark = pytest.mark.slow

# ------------------------------------------------------------ a game's file is enough

FEW = ("--envs", "32", "--seed", "1", "--threads", "1", "--set", "n_steps=16", "--set", "batch_size=64",
       "--set", "epochs=4", "--set", "evaluation_games=20")  # fmt: skip


def share_against_random(game: str, folder: Path, players: int, games: int = 600) -> float:
    """The learner's mean share of the win in a random seat against `random`."""
    lineups = [[int(j != n % players) for j in range(players)] for n in range(games)]
    results = play_games([f"policy:{folder}", "random"], lineups, list(range(games)), game=game)
    return float(np.mean([results.shares[n, n % players] for n in range(games)]))


def learnt(game: str, out: Path, players: str, steps: int, *more: str) -> Path:
    told = command_line.run(
        "train", "--game", game, "--preset", "scratch", "--players", players, "--steps", str(steps),
        "--out", str(out), *FEW, *more,
    )  # fmt: skip
    assert told.exit_code == 0
    return out / "model"


def test_a_game_of_perfect_information_is_learnt_from_its_file_alone(tmp_path: Path) -> None:
    with take_stones.installed(tmp_path / "site") as spec:
        folder = learnt(spec.name, tmp_path / "run", "2,3", 16_000)
        card, _ = load_model(folder)
        assert card["network"]["planets"] > 0, "the rows of the layout are not shared"
        assert share_against_random(spec.name, folder, 2) > 0.9
        assert share_against_random(spec.name, folder, 3) > 0.5
        # Whoever leaves a multiple of four stones wins.
        of, game = find_afterstates(spec), make_game(spec, 2)
        network = of.new_network(load_model(folder)[1])
        for seed in range(20):
            game.reset(seed)
            left = int(game.states[0].left)
            if left % 4:
                assert judged(of, game, network)[1].argmax() == left % 4 - 1, left


def test_what_new_game_writes_is_learnt_with_no_line_added(tmp_path: Path) -> None:
    name, site = "my_td_game", tmp_path / "site"
    site.mkdir()
    for file, text in texts_of(name).items():
        if file.endswith(".py") and "/" not in file:
            (site / file).write_text(text, "utf-8")
    with take_stones.installed(site, name, package_of(name)) as spec:
        folder = learnt(name, tmp_path / "run", "2", 8_000)
        assert share_against_random(name, folder, 2, 4000) > 0.54  # who never folds and seldom bets has that
        # Who never folds wins with the better card: never with the jack, always with the king.
        of, game = find_afterstates(spec), make_game(spec, 2)
        network = of.new_network(load_model(folder)[1])
        for cards, low, high in (("JQK", 0, 0.2), ("QJK", 0.25, 0.75), ("KJQ", 0.8, 1)):
            game.reset(1, {"cards": list(cards)})
            _, logits = judged(of, game, network)
            assert low <= 1 / (1 + np.exp(-logits.max())) <= high, cards


# ------------------------------------------------------------ threads

SMALL: dict[str, Any] = {
    "envs": 8, "n_steps": 12, "batch_size": 16, "evaluation_games": 4, "steps": 10_000, "temperature": 0.1,
}  # fmt: skip
GAMES: dict[str, dict[str, Any]] = {
    "kuhn_poker": {"players": (2, 3), "hidden": (8, 8)},
    "planet_hexx": {"players": (2, 3), "hidden": (5, 8, 8), "rules": "max_turns=3"},
    "space_mission": {"players": (2, 3), "hidden": (5, 8, 8), "rules": "printed,max_rounds=3"},
}


def small(game: str, **changes: object) -> Settings:
    return make_settings("scratch", **{**SMALL, **GAMES[game], "game": game, **changes})


@pytest.mark.parametrize("opponents", ["latest=1", "random=0.5,latest=0.5"])
@pytest.mark.parametrize("game", GAMES)
def test_what_is_played_does_not_depend_on_the_number_of_threads(game: str, opponents: str) -> None:
    arrays, found = random_arrays(afterstates(game)), []
    for threads, seed in ((1, 0), (3, 0), (1, 1)):
        games = SelfPlay(small(game, threads=threads, seed=seed, opponents=opponents))
        told = [games.play(arrays) for _ in range(8)]
        kept = [
            (of.states.tobytes(), of.memory.x[: of.filled].tobytes(), of.memory.y[: of.filled].tobytes())
            for of in games.parts
        ]
        assert games.filled > 0 and games.games > 0
        assert len({state for state, *_ in kept}) == len(kept), "parts play the same games"
        games.close()
        found.append((told, kept))
    assert found[0] == found[1] != found[2]


# ------------------------------------------------------------ Planet Hexx


class Inside(np.ndarray):
    """Bytes that are written only inside, and only with whole numbers that fit."""

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            first, last = place.start or 0, len(self) if place.stop is None else place.stop
            assert 0 <= first <= last <= len(self), place
        else:
            assert 0 <= place < len(self), place
        return super().__getitem__(place)

    def __setitem__(self, place: Any, value: Any) -> None:
        if isinstance(place, slice):
            assert place == slice(None) and value == 0
        else:
            assert 0 <= place < len(self), place
            assert 0 <= value <= 255 and value == int(value), (place, value)
        super().__setitem__(place, value)


def uncompiled() -> dict[str, Any]:
    """The functions of Planet Hexx's features without compilation."""
    names = dict(vars(hexx))
    for name, function in vars(hexx).items():
        code = getattr(function, "py_func", None)
        if code is not None and code.__module__ == hexx.__name__:
            names[name] = FunctionType(code.__code__, names, name)
    return names


# Of each group one feature is 1.
ONE_OF = [
    (hexx.T_PLAYERS, 3), (hexx.T_ACTIVE, c.MAX_PLAYERS), (hexx.T_ACTIONS, 4), (hexx.T_AFFORDABLE, hexx.FILES),
    (hexx.T_POINTS, hexx.FILES), (hexx.T_COVERED, hexx.FILES), (hexx.T_READY, hexx.FILES),
]  # fmt: skip
VARIANTS: dict[str, dict[str, Any]] = {
    "printed": {},
    "many": {"hand_size": 12, "actions_per_turn": 6, "upload_cost": 20, "immediate_upload_cost": 20},
    "free": {"upload_cost": 0, "hand_size": 1, "max_turns": 30},
    "asks": {"always_ask": True, "equal_turns": True},
    "board": {"movable_bases": True, "split_board": True, "upload_cost": 1, "max_turns": 200},
}


def hexx_positions(players: int, rules: dict[str, Any], seed: int, count: int) -> Iterator[Game]:
    """Positions from all parts of random games in which Actions are taken, and their ends."""
    rng = np.random.default_rng([seed, players])
    weights = np.ones(c.ACTION_COUNT)
    weights[0], weights[c.TO_MOVE], weights[c.TO_PLAY : c.TO_UPLOAD] = 0.3, 4, 5
    weights[c.TO_UPLOAD : c.TO_DISCARD] = 9
    given = 0
    while given < count:
        game = make_game("planet_hexx", players, {"max_turns": 60, **rules})
        game.reset(int(rng.integers(2**31)))
        while not game.over:
            if rng.random() < 0.05:
                given += 1
                yield game
            legal = game.legal_actions()
            game.step(int(rng.choice(legal, p=weights[legal] / weights[legal].sum())))
        yield game


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("variant", VARIANTS)
def test_features_stay_inside_their_bounds(variant: str, players: int) -> None:
    names, of, most = uncompiled(), afterstates("planet_hexx"), np.zeros(hexx.SIZES.size, np.uint8)
    scratch, ended = of.new_scratch(), 0
    for game in hexx_positions(players, VARIANTS[variant], 3, 20):
        s, running = game.states[0], game.states[0].over == RUNNING
        ended += not running
        for seat in range(players):
            x = np.full(hexx.SIZES.size, 7, np.uint8).view(Inside)
            names["write_features"](s, game.t, seat, 0, scratch, x)
            plain = np.asarray(x)
            assert (features_of(of, game, seat) == plain).all()
            most = np.maximum(most, plain)
            table = plain[hexx.SIZES.table :]
            for first, count in ONE_OF:
                assert table[first : first + count].sum() == 1, first
            rows = plain[: hexx.SIZES.table].reshape(hexx.HEXES, hexx.ROW)
            filled = rows.any(1)
            assert filled.sum() == (min(int(s.hexes), hexx.HEXES) if running else 0)
            assert (rows[filled, hexx.R_STEPS : hexx.R_STEPS + hexx.BINS].sum(1) == 1).all()
            assert table[hexx.T_OVER] == (not running)
            for k in range(1, c.MAX_PLAYERS):
                at = hexx.T_RIVAL_AFFORDABLE + (k - 1) * hexx.FILES
                assert table[at : at + hexx.FILES].sum() == table[hexx.T_RIVAL + k - 1] == (k < players)
    fillers = np.flatnonzero(np.concatenate([np.tile(hexx.ROW_SCALES, hexx.HEXES), hexx.TABLE_SCALES]) == 0)
    assert not most[fillers].any() and len(most) % GROUP == 0 and ended > 0


def test_a_hex_that_is_played_is_known_before_it_is_laid() -> None:
    of, found = afterstates("planet_hexx"), set()
    scratch, x = of.new_scratch(), np.zeros(hexx.SIZES.size, np.uint8)
    shown = x[hexx.SIZES.table + hexx.T_CARD :][: c.KINDS]
    for game in hexx_positions(2, {}, 5, 150):
        s, seat = game.states[0], int(game.states[0].player)
        if s.over != RUNNING or s.asked != c.MAIN:
            continue
        of.names["write_features"](s, game.t, seat, 0, scratch, x)
        assert not shown.any()
        for action in game.legal_actions():
            after = game.states.copy()
            of.names["begin_move"](after[0], game.t, action)
            if c.TO_PLAY <= action < c.TO_UPLOAD and after[0].asked == c.MAP_CELL:
                of.names["write_features"](after[0], game.t, seat, 0, scratch, x)
                card = int(s.hand[seat, action - c.TO_PLAY])
                assert np.flatnonzero(shown).tolist() == [card]
                found.add(card)
    assert len(found) > 5


def test_a_hex_tells_what_lies_around_it() -> None:
    of, met = afterstates("planet_hexx"), Counter[str]()
    for game in hexx_positions(3, {}, 6, 20):
        s, seat = game.states[0], int(game.states[0].player)
        if s.over != RUNNING:
            continue
        x = features_of(of, game, seat)
        rows = x[: hexx.SIZES.table].reshape(hexx.HEXES, hexx.ROW)
        cells = s.placed[: s.hexes].tolist()
        for row, cell in zip(rows, cells, strict=False):
            beside = [int(to) for to in NEIGHBOURS[cell] if to >= 0]
            empty = [to for to in beside if s.hex[to] == c.NOTHING]
            assert row[hexx.R_TOUCHES] == len(beside) - len(empty)
            assert row[hexx.R_SITES] == sum(may_lay(s, c.PLAIN, to) for to in empty)
            data = [hexes_between(cell, to) for to in cells if to != cell and s.hex_data[to] > 0]
            shown = row[hexx.R_DATA_NEAR : hexx.R_DATA_NEAR + len(hexx.NEAR)].tolist()
            assert shown == [any(d <= most for d in data) for most in hexx.NEAR]
            away = [hexes_between(cell, int(s.ship[j])) for j in range(3) if j != seat]
            near = row[hexx.R_RIVAL_NEAR : hexx.R_RIVAL_NEAR + len(hexx.NEAR)].tolist()
            assert near == [min(away) <= most for most in (1, 2, 3, 5)]
            met.update(sites=int(row[hexx.R_SITES]), data=shown[0], rivals=int(near[0]))
    assert min(met[what] for what in ("sites", "data", "rivals")) > 20, met


@pytest.mark.parametrize("players", [2, 3, 4])
def test_an_end_gives_the_win_to_the_winner_and_a_game_cut_short_gives_each_seat_its_potential(
    players: int,
) -> None:
    of, spec = afterstates("planet_hexx"), find_game("planet_hexx")
    tell, met = of.names["write_outcome"], {FINISHED: 0, TRUNCATED: 0}
    scores = np.zeros((c.MAX_PLAYERS, len(spec.score_names)), np.int64)
    for rules in ({"upload_cost": 0, "max_turns": 60}, {"max_turns": 4}):
        for seed in range(3):
            for game in hexx_positions(players, rules, seed, 1):
                if game.states[0].over == RUNNING:
                    continue
                targets = np.full((c.MAX_PLAYERS, 3), 9.0)
                tell(game.states[0], game.t, np.array(WIN), scores, targets)
                own, ranks = game.scores(), spec.ranks(game.scores())
                over = int(game.states[0].over)
                met[over] += 1
                shares = targets[:players, 0].tolist()
                if over == FINISHED:
                    assert shares == ((ranks == ranks.max()) / (ranks == ranks.max()).sum()).tolist()
                else:
                    useful = np.minimum(own[:, 1], 3 * (c.POINTS - own[:, 0]))
                    assert shares == pytest.approx((own[:, 0] / 6 + (3 * own[:, 0] + useful) / 18) / 2)
                uploads = own[:, 0] / c.POINTS
                best = [max(np.delete(uploads, j)) for j in range(players)]
                assert targets[:players, 1:] == pytest.approx(np.stack([uploads, uploads - best], 1))
                assert (targets[players:] == 9).all()
    assert min(met.values()) > 0, met


def others_pass(game: Game, seat: int) -> bool:
    """Pass in the windows of all other seats; return whether there was one."""
    s, any_passed = game.states[0], False
    while s.over == RUNNING and s.asked == c.WINDOW and s.player != seat:
        game.step(c.PASS)
        any_passed = True
    return any_passed


def test_a_move_stops_before_the_die_of_a_move_and_the_look_at_drawn_cards() -> None:
    of, met = afterstates("planet_hexx"), Counter[str]()
    for game in hexx_positions(2, {}, 8, 120):  # copies of a card are one move: fewer moves a position
        seat = int(game.states[0].player)
        for action in game.legal_actions() if game.states[0].over == RUNNING else []:
            before, after, begun = game.states[0], game.clone(), game.clone()
            after.step(action)
            windows = others_pass(after, seat)
            s = begun.states[0]
            pending = of.names["begin_move"](s, game.t, action)
            certain = of.names["is_certain"](before, s)
            if action == c.TO_MOVE:
                assert before.asked in (c.MAIN, c.GAINED)
                assert pending == hexx.ROLLING and certain and s.rolled == 0
                met["rolling"] += 1
                continue
            had = Counter(before.hand[seat, : before.hand_size[seat]].tolist())
            kept = Counter(s.hand[seat, : s.hand_size[seat]].tolist())
            now = Counter(after.states[0].hand[seat, : after.states[0].hand_size[seat]].tolist())
            if before.asked == c.RECOVER:  # a card of the Discard was seen when it was chosen
                assert kept == now and pending == 0
                continue
            assert kept == had & now and pending == (now - had).total()
            assert s.over != RUNNING or s.asked != c.WINDOW or s.player == seat
            met["drawn"] += pending > 0
            met["certain"] += certain
            met["windows"] += windows
            assert not certain or s.rng.tolist() == before.rng.tolist()
    assert min(met[what] for what in ("rolling", "drawn", "certain", "windows")) > 20, met
