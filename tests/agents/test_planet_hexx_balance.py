"""Tests the balance study of Planet Hexx: sums, bars, page."""

import json
import re

import numpy as np
import pytest

from spacemission_env.core.batched import BatchedGames
from spacemission_env.games.planet_hexx.components.parse import load_components
from spacemission_env.games.planet_hexx.engine.play import apply
from studies.planet_hexx_balance import COMMAND, count_forced, main, measured_with
from tests.support.paths import DOCS

pytestmark = pytest.mark.slow


def test_forced_decisions_are_counted_on_a_course_that_is_the_games_own():
    games = BatchedGames(1, 3, game="planet_hexx")
    games.deal(0, 5)
    rng, box = np.random.default_rng(5), games.template.parameters
    forced = made = 0
    while games.states["over"][0] == 0 and made < 600:
        legal = np.flatnonzero(games.ask(games.everyone, observations=False).masks[0])
        action = np.array([rng.choice(legal)])
        before = games.states.copy()
        count = count_forced(games.states, box, games.everyone, action)
        assert games.states.tobytes() == before.tobytes()
        twin = before.copy()
        assert apply(twin[0], box[0], action[0]) == count
        games.step(games.everyone, action)
        for name in ("decisions", "seen_decisions"):
            twin[name] = games.states[name]
        assert twin.tobytes() == games.states.tobytes()
        forced, made = forced + count, made + 1
    assert 0 < forced < made


PAGE = (DOCS / "planet_hexx_balance.md").read_text("utf-8")


def test_the_page_is_of_the_deck_and_the_weights_that_ship():
    assert measured_with(load_components()) in PAGE, f"run the command of the page: {COMMAND} … --page …"


def test_the_page_has_every_side_and_card_and_is_within_the_bars():
    deck = load_components()
    for mission in deck.missions:
        assert f"| {mission.name} ({mission.file}{'ab'[mission.side]}) |" in PAGE
    for card in deck.cards:
        assert (f"| {card.name} |" in PAGE) == (card.copies > 0)
    assert "| outside the bars | nothing | nothing | nothing |" in PAGE
    games = re.search(r"\| games \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \|", PAGE)
    assert min(int(one.replace(",", "")) for one in games.groups()) >= 2000


def test_the_command_writes_page_and_figures(tmp_path, capsys):
    file, figures = tmp_path / "page.md", tmp_path / "figures.json"
    command = f"--games 4 --players 2,3 --agent greedy --page {file} --json {figures}"
    main(command.split())
    page = file.read_text("utf-8")
    assert f"{COMMAND} {command}" in page
    assert page.count("\n| ") > 100 and "too few" in page
    assert not re.search(r"\bnan\b", page)
    assert capsys.readouterr().out == f"{page}\n"
    told = json.loads(figures.read_text("utf-8"))
    assert [one["players"] for one in told] == [2, 3] and len(told[0]["sides"]) == 16
