"""A viewer gets the same bytes in all games that look the same to it.

A game and one that differs only in what is hidden from a viewer get the same move, and everything that the
viewer's browser can see is compared: statuses, headers, bytes, and the times at which each part is sent.

`python -m tests.web.test_secrecy planet_hexx 10000 [seed]`: so many positions of a game.
"""

import asyncio
import copy
import json
import sys
import tempfile
import time
from collections import Counter, OrderedDict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest

from spacemission_agents.web.app import create_app
from spacemission_agents.web.event_log import WATCHER, Said, Timeline, said_to, secret_from
from spacemission_agents.web.match import HEARTBEAT, Match, Seat, new_stored_game
from spacemission_agents.web.review import beliefs
from spacemission_agents.web.settings import Settings
from spacemission_agents.web.store import Line, Move
from spacemission_env.core.agents import agent_names, make_agent
from spacemission_env.core.game import Game, make_game
from spacemission_env.core.game_spec import find_game
from spacemission_env.core.reading import Json
from tests.planet_hexx.positions import random_move
from tests.support.virtual_time import Asked, AtOnce, VirtualLoop
from tests.support.web_server import FAST, Server, new_game, play

GAMES = ["kuhn_poker", "planet_hexx", "space_mission"]
RULES: dict[str, list[Json]] = {
    "planet_hexx": [{}, {}, {"hand_size": 9, "actions_per_turn": 5}, {"always_ask": True}]
}
DRAWN = 0.4  # share of random moves
TRIES = 6  # to find a twin in which a window asks others than in the game
THINKS = 0.03  # seconds that an agent takes to pass
PAUSE = 0.4
SECONDS = 1.2 * HEARTBEAT  # that a stream is followed


class Forked(Timeline):
    """A timeline whose position can be replaced by another game."""

    def __init__(self, before: Timeline, now: Game) -> None:
        super().__init__(now)
        self.moves, self._before, self._count = list(before.moves), before, len(before.moves)
        self._dealt = now.clone()

    def at(self, count: int) -> Game:
        if count < self._count:
            return self._before.at(count)
        game = self._dealt.clone()
        for move in self.moves[self._count : count]:
            game.step(move.action)
        return game


class Quiet:
    """Agents that only pass in windows, and a store that stores nothing."""

    async def play(self, agent: str, game: Game) -> int:
        await asyncio.sleep(THINKS if any(secret_from(game)) else 1e6)
        return 0

    def add_line(self, game: str, number: int, line: Line) -> None:
        pass


def fork(match: Match, now: Game, people: set[int]) -> Match:
    """A match from a position; all seats but `people` are agents."""
    other = copy.copy(match)
    other.seats = [replace(seat, agent=None if j in people else "a") for j, seat in enumerate(match.seats)]
    other.log, other.timeline = list(match.log), Forked(match.timeline, now)
    other._store = other.pool = Quiet()  # type: ignore[assignment]
    other._followers, other._lock, other._thinking, other._pause = {}, asyncio.Lock(), None, None
    other._visible = other._visible_lengths()
    return other


def twin_of(game: Game, viewer: int, action: int, rng: np.random.Generator) -> tuple[Game, int] | None:
    """A game that looks the same to a viewer, with a move that looks the same; None: not found.

    A window that asks somebody here and nobody there, or the other way round, is looked for.
    """
    seat = int(rng.integers(game.num_players)) if viewer == WATCHER else viewer
    led, found = secret_after(game, action), None
    told = said_to(game, action)
    for _ in range(TRIES):
        twin = game.determinize(seat, int(rng.integers(2**62)))
        if "rng" in (twin.states.dtype.names or ()):
            twin.states["rng"] = game.states["rng"]  # the same dice
        if twin.player != game.player:
            continue
        same = (
            [action]
            if game.player == seat
            else [a for a in twin.legal_actions() if alike(game, action, twin, a, viewer, told)]
        )
        if not same:
            continue
        found = twin, same[0]
        if secret_after(twin, same[0]) != led:
            break
    return found


def alike(
    game: Game, action: int, twin: Game, other: int, viewer: int, told: tuple[Said | None, ...]
) -> bool:
    seen = None if viewer == WATCHER else viewer
    if viewer != WATCHER and game.move_seen(action, seen) != twin.move_seen(other, seen):
        return False
    return said_to(twin, other)[viewer] == told[viewer]


def secret_after(game: Game, action: int) -> bool:
    after = game.clone()
    after.step(action)
    return any(secret_from(after))


class Side:
    """One of the two games, with all that its viewer's browser gets."""

    def __init__(self, app: object, match: Match, viewer: int) -> None:
        self.app, self.match, self.viewer = app, match, viewer
        app.inner.state.registry._matches = OrderedDict({match.id: match})
        self.token = match.stored.watcher if viewer == WATCHER else str(match.seats[viewer].token)
        self.answers: list[object] = []

    def ask(self, method: str, what: str, body: object = None, token: str | None = None) -> Asked:
        path = f"/api/games/{self.match.id}{what}"
        return Asked(self.app, method, path, body, authorization=f"Bearer {token or self.token}")

    async def look(self, rare: bool) -> None:
        """Make all requests, also those that are refused."""
        answer = await self.ask("GET", "/position").whole()
        position = answer.json()
        self.answers.append(answer.sent)
        last, seat, over = position["steps"], self.viewer, position["over"]
        target = position["legal"][0]["targets"][:1] if position["legal"] else []
        wrong = 99_999 if position["legal"] or position["undo"] else last
        wanted = [
            ("GET", "", None),
            ("GET", f"/why?target={(target or ['ship-0'])[0]}", None),
            ("GET", "/review", None),
            ("POST", "/moves", {"action": 0, "step": wrong}),
            ("POST", "/undo", {"step": wrong}),
        ]
        if not over:
            wanted.append(("GET", "/record", None))
        if rare:
            wanted += [
                ("GET", f"/position?tall=true&step={max(last - 1, 0)}", None),
                ("GET", f"/position?step={last + 1}", None),
                ("GET", f"/review/position?seat={seat}&move={last}", None),
                ("GET", f"/review/position?seat={max(seat, 0)}&move={last + 1}", None),
                ("GET", f"/review/belief?seat={seat}&move={last}", None),
                ("GET", "/review/adviser", None),
                ("POST", "/continue", {"at": 0, "seats": [{}, {}]}),
            ]
        for method, what, body in wanted:
            if over and what.startswith("/review"):
                continue  # the end reveals all hands
            self.answers.append((method, what, body, (await self.ask(method, what, body).whole()).sent))

    async def end(self) -> None:
        if self.match._thinking is not None:
            self.match._thinking.cancel()
        if self.match._pause is not None:
            self.match._pause.cancel()


class Pairs:
    """Compares games with games that look the same; counts comparisons."""

    def __init__(self, folder: Path, name: str, seed: int) -> None:
        self.name, self.rng, self.counts = name, np.random.default_rng(seed), Counter[str]()
        self.apps = [
            create_app(Settings(folder / f"{name}-{seed}-{i}.sqlite3", rate=FAST, pause=PAUSE))
            for i in range(2)
        ]
        for app in self.apps:
            app.inner.state.registry.background._threads = AtOnce()
        self.games = 0
        self.runner = asyncio.Runner(loop_factory=VirtualLoop)
        self.bot = make_agent("greedy" if "greedy" in agent_names(name) else "random", name)

    def close(self) -> None:
        self.runner.close()
        for app in self.apps:
            app.inner.state.registry.close()

    def play(self, count: int) -> None:
        """Compare the next `count` positions."""
        while self.counts["positions"] < count:
            for match in self.game():
                if self.counts["positions"] == count:
                    break
                self.position(match)

    def game(self) -> Iterator[Match]:
        """Positions of the next game."""
        number, self.games = self.games, self.games + 1
        spec, variants = find_game(self.name), RULES.get(self.name, [{}])
        players = spec.min_players + number % (spec.max_players - spec.min_players + 1)
        game = make_game(spec, players, variants[number % len(variants)] or None)
        game.reset(int(self.rng.integers(2**31)))
        seats = [Seat(f"P{j}", None, f"token-{j}") for j in range(players)]
        match = Match(new_stored_game(game, seats), [], None, None, PAUSE)  # type: ignore[arg-type]
        while not match.game.over and len(match.log) < 600:
            yield match
            match._enter(Move(self.move(match.game)))
            match._visible = match._visible_lengths()

    def move(self, game: Game) -> int:
        """A move of `greedy`, or a random move."""
        if self.rng.random() > DRAWN:
            return int(self.bot.play(game))
        return (
            random_move(game, self.rng, 0.8)
            if self.name == "planet_hexx"
            else int(self.rng.choice(game.legal_actions()))
        )

    def position(self, match: Match) -> None:
        """Compare what a viewer gets before, during and after the pause after a move."""
        game = match.game
        player = int(game.player or 0)
        viewers = [player] if any(secret_from(game)) else [WATCHER, *range(game.num_players)]
        viewer = int(self.rng.choice(viewers))
        action = self.move(game)
        assert game.secret_may_follow(action) or not secret_after(game, action)
        twin = twin_of(game, viewer, action, self.rng)
        if twin is None:
            return
        people = {player} if viewer == WATCHER else {player, viewer}
        both = [Side(self.apps[i], fork(match, one, people), viewer) for i, one in enumerate((game, twin[0]))]
        rare = self.counts["positions"] % 20 == 0
        keys = []
        for side, move in zip(both, (action, twin[1]), strict=True):
            keys.append(self.runner.run(self.run(side, move, player, rare)))
        self.counts["positions"] += 1
        self.counts["a window asks in one alone"] += secret_after(game, action) != secret_after(*twin)
        (told, alike), (again, other) = keys
        if len(told) == len(again):
            assert told == again, difference(both[0], told, again)
        else:  # a pause in one game only: the results of the moves look different, see below
            self.counts["paused in one alone"] += 1
        seat = [viewer] if viewer != WATCHER else range(game.num_players)
        if alike is not None and other is not None and any(alike[j] == other[j] for j in seat):
            self.counts["after the pause"] += 1
            assert both[0].answers == both[1].answers, difference(both[0], both[0].answers, both[1].answers)

    async def run(self, side: Side, action: int, player: int, rare: bool) -> Any:
        """Make the move; return what the viewer sees before the end of the pause, and what it knows then."""
        asyncio.get_running_loop().now = 0.0  # type: ignore[attr-defined]
        stream = side.ask("GET", "/events")
        await asyncio.sleep(1)
        side.answers.append((await side.ask("GET", "/position").whole()).sent)
        step = side.match.step(player)
        body = {"action": action, "step": step}
        moved = await side.ask("POST", "/moves", body, side.match.seats[player].token).whole()
        assert moved.status == 204, moved.body
        if side.viewer == player:
            side.answers.append(moved.sent)
        sooner = list(side.answers)
        if side.match._pause is not None:
            self.counts["in the pause"] += 1
            await asyncio.sleep(PAUSE / 2)
            await side.look(rare)
            sooner = [*side.answers, list(stream.answer.sent)]
        await asyncio.sleep(PAUSE)
        await side.look(rare)
        await asyncio.sleep(SECONDS)
        side.answers.append((await stream.end()).sent)
        await side.end()
        game = side.match.game
        known = [game.information_state_key(j) for j in range(game.num_players)]
        return sooner, known if not game.over else None  # the end reveals everything


def difference(side: Side, one: list[object], other: list[object]) -> str:
    """The first responses that differ."""
    for a, b in zip(one, other, strict=False):
        if a != b:
            return f"viewer {side.viewer}: {str(a)[:3000]}\n\n{str(b)[:3000]}"
    return f"viewer {side.viewer}: {len(one)} and {len(other)} answers"


@pytest.mark.parametrize("name", GAMES)
def test_a_viewer_gets_the_same_in_every_game_that_it_cannot_tell_apart(name: str, tmp_path: Path) -> None:
    pairs = Pairs(tmp_path, name, 1)
    pairs.play(40)
    pairs.close()
    assert pairs.counts["after the pause"] >= 20, pairs.counts
    if name == "planet_hexx":
        assert pairs.counts["in the pause"] >= 20, pairs.counts
        assert pairs.counts["a window asks in one alone"] >= 3, pairs.counts


def test_a_move_into_a_window_is_shown_after_the_pause_and_not_before(tmp_path: Path) -> None:
    """The comparison does see moves: viewers get events."""
    pairs = Pairs(tmp_path, "planet_hexx", 2)
    try:
        match = next(
            match
            for match in pairs.game()
            for action in match.game.legal_actions()
            if not any(secret_from(match.game)) and secret_after(match.game, action)
        )
        game = match.game
        action = next(action for action in game.legal_actions() if secret_after(game, action))
        viewer = next(j for j in range(game.num_players) if j != game.player)
        side = Side(pairs.apps[0], fork(match, game, {int(game.player or 0), viewer}), viewer)
        pairs.runner.run(pairs.run(side, action, int(game.player or 0), False))
        [*_, stream] = side.answers
        times = [at for at, message in stream if b"event: move" in message.get("body", b"")]
        assert times[-1] == 1 + PAUSE
    finally:
        pairs.close()


def test_no_answer_holds_the_seed_or_a_link_of_another(server: Server, client: httpx.Client) -> None:
    for name in GAMES:
        guests = new_game(client, name, None, None, seed=987654321)
        for _ in range(6):
            mover = next((guest for guest in guests if guest.position()["legal"]), None)
            if mover is not None:
                play(mover, np.random.default_rng(1), 1)
        for guest in guests:
            text = json.dumps([guest.heard, guest.events()])
            assert not any(other.token in text for other in guests) and "987654321" not in text
            assert '"seed"' not in text and '"rng"' not in text


def test_beliefs_are_those_of_a_twin() -> None:
    for name in ("kuhn_poker", "space_mission"):
        game, rng = make_game(name), np.random.default_rng(1)
        game.reset(1)
        for _ in range(2):
            game.step(int(rng.choice(game.legal_actions())))
        if not game.over:
            assert beliefs(game, 0) == beliefs(game.determinize(0, 9), 0)
            assert beliefs(game, 0)["sorts"]


if __name__ == "__main__":
    name, positions, seed = (*sys.argv[1:], "10000", "1")[:3]
    began = time.time()
    with tempfile.TemporaryDirectory() as folder:
        compared = Pairs(Path(folder), name, int(seed))
        for goal in range(500, int(positions) + 500, 500):  # in parts, to show progress
            compared.play(min(goal, int(positions)))
            print(f"{name}: 0 differences; {dict(compared.counts)}, {time.time() - began:.0f} s", flush=True)
        compared.close()
