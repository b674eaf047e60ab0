"""What goes over the wire to a seat is the same in every game that the seat cannot tell from the true one.

`python -m tests.web.test_secrecy 50 [0.1 [space_mission …]]`: so many games of each game; events, and answers
or a share of those, are compared. `20:50` in place of 50: games 20 to 49, to share the work out.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest

from spacemission_agents.web import position
from spacemission_agents.web.match import Match
from spacemission_agents.web.review import expected
from spacemission_agents.web.story import WATCHER, Entry, events, open_part, secret_from, told_of
from spacemission_agents.web.undo import learned_nothing
from spacemission_env.core.agents_api import agent_names, make_agent
from spacemission_env.core.game import Game
from spacemission_env.core.game_spec import find_game
from tests.support.web_server import Guest, Server, new_game, serving

GAMES = ["kuhn_poker", "planet_hexx", "space_mission"]
DRAWN = 0.3  # share of moves that are drawn


def sent(value: Any) -> Any:
    """As it comes out of the wire."""
    return json.loads(json.dumps(value))


def twins(game: Game, viewer: int, rng: np.random.Generator) -> Iterator[Game]:
    """Games that a viewer cannot tell from this one; who looks on cannot, whatever any seat cannot."""
    for seat in range(game.num_players) if viewer == WATCHER else [viewer]:
        yield game.determinize(seat, int(rng.integers(2**62)))


def check_position(match: Match, guest: Guest, rng: np.random.Generator) -> None:
    """The answer to a viewer is made of what its twin gives too."""
    answer = guest.position()
    viewer = answer["seat"]
    game = match.at_step(viewer, answer["step"])
    to_play = not answer["waiting"]
    for twin in twins(game, viewer, rng) if not game.over else ():
        told = sent(position.seen(twin, viewer, to_play))
        assert {name: answer[name] for name in told} == told
        if viewer != WATCHER and answer["legal"]:
            target = answer["legal"][0]["targets"]
            for name in [*target, "gate", "planet-2", "deck"]:
                assert guest.get("why", target=name)["why"] == sent(position.why_not(twin, viewer, name))


def check_told(before: Game, entry: Entry, rng: np.random.Generator) -> int:
    """Moves that a viewer cannot tell apart, here or in a twin, are told alike; how many were compared.

    That `Game.move_seen` itself shows no more than a viewer knows is for `check_game` to see.
    """
    after = before.clone()
    after.step(entry.action)
    compared = 0
    for viewer in range(before.num_players):
        if viewer == entry.player:
            continue
        known, shown = after.information_state_key(viewer), before.move_seen(entry.action, viewer)
        for world in [before, *twins(before, viewer, rng)]:
            if world.player != before.player:
                continue
            for action in world.legal_actions():
                other = world.clone()
                other.step(action)
                same = world.move_seen(action, viewer) == shown and not other.over
                if same and other.information_state_key(viewer) == known:
                    compared += 1
                    assert told_of(world, action)[viewer] == entry.told[viewer], (action, entry)
    return compared


def check_undo(before: Game, entry: Entry, answer: dict[str, Any], rng: np.random.Generator) -> None:
    """Whether a move may be taken back follows from what its seat knows."""
    after = before.clone()
    after.step(entry.action)
    for twin in twins(before, entry.player, rng):
        led = twin.clone()
        led.step(entry.action)
        if led.information_state_key(entry.player) == after.information_state_key(entry.player):
            there = learned_nothing(twin, entry.action, entry.player, led)
            assert there == learned_nothing(before, entry.action, entry.player, after)
            assert there or not answer["undo"]


def check_game(
    server: Server, client: httpx.Client, name: str, number: int, often: float, moves: int = 100_000
) -> int:
    """Play so many moves of a game of people; how many answers to them were compared with those to twins.

    Most moves are `greedy`'s, so that games come to their end; the others are drawn.
    """
    rng, spec = np.random.default_rng(number), find_game(name)
    bot = make_agent("greedy" if "greedy" in agent_names(name) else "random", name)
    players = spec.min_players + number % (spec.max_players - spec.min_players + 1)
    guests = new_game(client, name, *[None] * players, seed=number)
    match: Match = server.hall._matches[guests[0].id]
    compared = 0
    while not match.game.over and len(match.log) < moves:
        seat, before = int(match.game.player or 0), match.game.clone()
        drawn = rng.random() < DRAWN
        mover, action = guests[seat], int(rng.choice(before.legal_actions()) if drawn else bot.play(before))
        assert mover.post("moves", action=action, step=match.step(seat)).status_code == 200
        if rng.random() < often:
            entry = match.log[-1]
            for guest in guests:
                check_position(match, guest, rng)
                compared += 1
            check_told(before, entry, rng)
            check_undo(before, entry, mover.position(), rng)
    check_wire(match, guests)
    return compared


def check_wire(match: Match, guests: list[Guest]) -> None:
    """Events on the wire are those of the story; neither seed nor others' links are in any answer."""
    for viewer, guest in zip([*range(len(guests) - 1), WATCHER], guests, strict=True):
        told = [entry.told[viewer] for entry in open_part(match.log, viewer)]
        assert [event["words"] for event in guest.events()] == [words for words in told if words is not None]
        text = json.dumps(guest.heard)
        secrets = [other.token for other in guests]
        assert not any(secret in text for secret in secrets)
        assert '"seed"' not in text and '"rng"' not in text


@pytest.mark.parametrize("name", GAMES)
def test_every_answer_is_that_of_a_twin(name: str, server: Server, client: httpx.Client) -> None:
    often = 1.0 if name == "kuhn_poker" else 0.15
    assert sum(check_game(server, client, name, number, often, 80) for number in range(3)) > 8


def test_moves_that_look_alike_are_told_alike_and_there_are_such() -> None:
    game, rng, compared = find_game("space_mission").game(3), np.random.default_rng(5), 0
    game.reset(5)
    for _ in range(150):
        action = int(rng.choice(game.legal_actions()))
        if game.phase != "action":
            entry = Entry(False, int(game.player or 0), action, told_of(game, action), (False,) * 4)
            compared += check_told(game, entry, rng)
        game.step(action)
        if game.over:
            break
    assert compared > 20


def test_beliefs_are_those_of_a_twin() -> None:
    for name in ("kuhn_poker", "space_mission"):
        game, rng = find_game(name).game(), np.random.default_rng(1)
        game.reset(1)
        for _ in range(2):
            game.step(int(rng.choice(game.legal_actions())))
        if not game.over:
            assert expected(game, 0) == expected(game.determinize(0, 9), 0)
            assert expected(game, 0)["sorts"]


def window_log() -> tuple[list[Entry], int]:
    """A log of Planet Hexx in which a seat passes in a window, and a seat that does not see it."""
    for seed in range(60):
        game, rng, log = find_game("planet_hexx").game(3), np.random.default_rng(seed), []
        game.reset(seed)
        for _ in range(250):
            if game.over:
                break
            hidden = [j for j, secret in enumerate(secret_from(game)[:3]) if secret]
            legal = game.legal_actions()
            action = 0 if hidden and 0 in legal else int(rng.choice(legal))
            player, told = int(game.player or 0), told_of(game, action)
            game.step(action)
            log.append(Entry(False, player, action, told, secret_from(game)))
            if hidden and None in told and not any(log[-1].secret):
                return log, hidden[0]
    raise AssertionError("no window in 60 games")


def test_nothing_is_told_while_somebody_is_asked_in_secret() -> None:
    log, viewer = window_log()
    pending = next(i for i, entry in enumerate(log) if entry.secret[viewer])
    held = log[: pending + 1]
    assert len(open_part(held, viewer)) == pending
    assert events(held, viewer) == events(log[:pending], viewer)
    # Afterwards the story is the same as if nobody had been asked.
    unasked: list[Entry] = []
    for entry in log:
        if entry.told[viewer] is not None:
            unasked.append(entry)
        else:  # where nobody passes, the decision after the move before is the next one at once
            unasked[-1] = replace(unasked[-1], secret=entry.secret)
    assert len(unasked) < len(log)
    assert events(log, viewer) == events(unasked, viewer)


if __name__ == "__main__":
    first, _, last = sys.argv[1].rpartition(":") if len(sys.argv) > 1 else ("", "", "50")
    numbers = range(int(first or 0), int(last))
    share = float(sys.argv[2]) if len(sys.argv) > 2 else 1.0
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder) / "g.sqlite3") as running,
        httpx.Client(base_url=running.address, timeout=120) as asking,
    ):
        for one in sys.argv[3:] or GAMES:
            total = sum(check_game(running, asking, one, number, share) for number in numbers)
            shown = f"{one}: {len(numbers)} games, {total} answers to seats equal to those of twins"
            print(shown, flush=True)
