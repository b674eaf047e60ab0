"""The page in a browser: games played by clicking what it offers, on desktops and phones, light and dark.

Longer: `python -m studies.web_load page`.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spacemission_env.core.game_spec import find_game
from spacemission_env.records.reader import replay_file
from tests.support.browser import AXE, DESKTOP, PHONE, Watched, browser, needs_chromium, page_of
from tests.support.player import Clicker, KeyPlayer
from tests.support.web_server import Server

needs_chromium()

TITLES = {name: find_game(name).title for name in ("kuhn_poker", "planet_hexx", "space_mission")}
SHORT = {"kuhn_poker": {}, "planet_hexx": {"max turns": "2"}, "space_mission": {"max rounds": "3"}}


# Keys that come faster than pages are drawn.
AT_ONCE = """([key, times]) => [...Array(times)].forEach(() =>
  document.body.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true})))"""
# Whether the move that is shown can be seen in the list of moves.
IN_SIGHT = """(list) => {
  const all = list.getBoundingClientRect();
  const one = list.querySelector('[aria-current="step"]').getBoundingClientRect();
  return all.top <= one.top && one.bottom <= all.bottom;
}"""


@pytest.fixture(scope="module")
def chrome() -> Iterator[Any]:
    with browser() as made:
        yield made


def finish(server: Server, watched: Watched, name: str, seats: list[str], number: int, rules: Any) -> Clicker:
    """Play a game to its end; nothing goes wrong, and the points shown are those of the record."""
    player = Clicker(watched.page, np.random.default_rng(number))
    player.start(TITLES[name], seats, rules)
    assert player.play()
    id = watched.page.url.split("/")[-2]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "game.jsonl"
        file.write_text(server.registry._matches[id].record(), "utf-8")
        [game] = [(one.finish(), one.game)[1] for one in replay_file(file)]
    scores = [list(row.values()) for row in game.scores_json()]
    assert player.scores() == [scores[j] for j in player.seats_of_scores()]
    assert watched.wrong == [] and watched.asked <= {"127.0.0.1", "data"}
    assert watched.page.locator(".error").count() == 0
    return player


@pytest.mark.parametrize(
    "name",
    ["kuhn_poker", *(pytest.param(name, marks=pytest.mark.slow) for name in TITLES if name != "kuhn_poker")],
)
def test_a_game_is_played_by_what_the_page_offers(name: str, server: Server, chrome: Any) -> None:
    with page_of(chrome, server.address) as watched:
        finish(server, watched, name, ["a person", "random"], 1, SHORT[name])


def new_game(watched: Watched, seats: list[str] | None = None, title: str = "Space Mission") -> Clicker:
    player = Clicker(watched.page, np.random.default_rng(0))
    player.start(title, seats or ["a person", "greedy"], {"seed": "3"})  # seat 0 begins
    return player


@pytest.mark.slow
def test_the_board_is_walked_with_arrows(server: Server, chrome: Any) -> None:
    with page_of(chrome, server.address) as watched:
        new_game(watched)
        page = watched.page
        page.locator("main.game[data-turn='true']").wait_for()
        page.keyboard.press("b")
        names = []
        for key in ("ArrowRight", "ArrowRight", "ArrowLeft"):
            names.append(page.evaluate("() => document.activeElement.dataset.target"))
            page.keyboard.press(key)
        names.append(page.evaluate("() => document.activeElement.dataset.target"))
        assert len(set(names[:3])) == 3 and names[3] == names[1]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["kuhn_poker", "space_mission"])
def test_a_game_is_played_with_the_keyboard_alone(name: str, server: Server, chrome: Any) -> None:
    with page_of(chrome, server.address) as watched:
        player = KeyPlayer(watched.page, np.random.default_rng(1))
        player.start(TITLES[name], {"max rounds": "2"} if name == "space_mission" else {})
        assert player.play() >= 1
        player.tab_to(".result a")  # and on to what comes after it
        player.press("Enter")
        watched.page.locator("main.review").wait_for()
        assert watched.wrong == []


@pytest.mark.slow
def test_reasons_are_told_for_what_is_not_legal(server: Server, chrome: Any) -> None:
    with page_of(chrome, server.address) as watched:
        new_game(watched)
        watched.page.locator("main.game[data-turn='true']").wait_for()
        watched.page.locator("[data-target='ship-0']").hover(force=True)
        watched.page.locator(".why.shown", has_text="jump gate").wait_for()


@pytest.mark.slow
@pytest.mark.parametrize("touch", [False, True], ids=["mouse", "finger"])
def test_what_is_pointed_at_is_told(touch: bool, server: Server, chrome: Any) -> None:
    with page_of(chrome, server.address, viewport=PHONE if touch else DESKTOP, has_touch=touch) as watched:
        new_game(watched, title=TITLES["planet_hexx"])
        page = watched.page
        page.locator("main.game[data-turn='true']").wait_for()
        base = page.locator("[data-target^='cell-']", has_text="Space Base").first
        base.tap(force=True) if touch else base.hover(force=True)
        page.locator(".why.shown", has_text="The Space Base, a Space at (0, 0)").wait_for()
        if touch:  # and beside it, as a finger sees no tooltip of the browser
            page.locator(".tip", has_text="The Space Base, a Space at (0, 0)").wait_for()
        page.keyboard.press("b")  # to what can be chosen
        name = page.evaluate("() => document.activeElement.querySelector('title').textContent")
        page.locator(".tip", has_text=name).wait_for()
        assert watched.wrong == []


@pytest.mark.slow
def test_undo_by_its_button(server: Server, chrome: Any) -> None:
    with page_of(chrome, server.address) as watched:
        new_game(watched)
        page = watched.page
        page.locator("main.game[data-turn='true']").wait_for()
        before = page.locator("main.game").get_attribute("data-step")
        page.locator(".moves summary", has_text="Top up").click()
        page.locator(".move", has_text="discarding nothing").click()
        page.get_by_role("button", name="Take the last move back").click()
        page.locator(f"main.game[data-step='{before}']").wait_for()
        page.locator(".log .gone").wait_for()
        assert watched.wrong == []


@pytest.mark.slow
def test_two_people_at_one_screen_hand_it_over_behind_a_curtain(server: Server, chrome: Any) -> None:
    with page_of(chrome, server.address) as watched:
        page = watched.page
        player = Clicker(page, np.random.default_rng(0))
        page.goto("/")
        page.locator(".sizes label", has_text="2").click()
        page.get_by_label("Seat 2: who").select_option(label="a person")
        page.get_by_label("Seat 1: name").fill("Ann")
        page.get_by_label("Seat 2: name").fill("Ben")
        page.get_by_role("button", name="Start").click()
        page.get_by_role("link", name="Sit here").first.click()
        page.locator("main.game").wait_for(timeout=300_000)
        if page.locator("main.game[data-turn='true']").count():
            player.play(2)
        over = page.get_by_role("link", name="Hand over to")
        over.wait_for()
        over.click()
        page.get_by_role("button", name="Show the table").click()
        page.locator("main.game[data-turn='true']").wait_for()
        assert watched.wrong == []


@pytest.mark.slow
def test_a_game_is_looked_back_on_while_it_is_played(server: Server, chrome: Any) -> None:
    with page_of(chrome, server.address) as watched:
        player = new_game(watched)
        assert not player.play(4)
        page = watched.page
        page.locator("main.game[data-turn='true']").wait_for()
        now = int(page.locator("main.game").get_attribute("data-step"))
        page.evaluate(AT_ONCE, [",", 3])
        page.locator(f"main.game[data-step='{now - 3}']").wait_for()
        assert f"Looking back at move {now - 3}" in page.locator(".status").inner_text()
        page.keyboard.press(".")
        page.locator(f"main.game[data-step='{now - 2}']").wait_for()
        page.keyboard.press("Escape")
        page.locator(f"main.game[data-step='{now}'][data-turn='true']").wait_for()
        assert watched.wrong == []


@pytest.mark.slow
def test_a_game_is_looked_back_on(server: Server, chrome: Any, tmp_path: Path) -> None:
    with page_of(chrome, server.address) as watched:
        player = Clicker(watched.page, np.random.default_rng(3))
        player.start(TITLES["space_mission"], ["a person", "greedy"], SHORT["space_mission"])
        assert player.play()
        page = watched.page
        page.get_by_role("link", name="Look back on this game").click()
        page.locator("main.review[data-at='0']").wait_for()
        page.keyboard.press("ArrowRight")
        page.locator("main.review[data-at='1']").wait_for()
        assert page.locator(".log ol").evaluate(IN_SIGHT)
        page.evaluate(AT_ONCE, ["ArrowRight", 5])
        page.locator("main.review[data-at='6']").wait_for()
        page.locator(".eyes label", has_text="greedy").click()
        page.locator("main.review[data-seat='1']").wait_for()
        page.locator(".belief summary").click()
        page.locator(".heat").first.wait_for()
        page.locator(".opinion select").select_option("greedy")
        page.locator(".chart .curve").first.wait_for()
        page.locator("progress").wait_for(state="detached")
        page.get_by_text("Play on from here").click()
        page.get_by_role("button", name="Play on after move 6").click()
        page.locator("main.game[data-step]").wait_for()
        assert watched.wrong == []


@pytest.mark.slow
def test_a_record_that_is_brought_is_looked_back_on(server: Server, chrome: Any) -> None:
    golden = Path(__file__).parents[1] / "golden" / "2_players_printed.jsonl"
    with page_of(chrome, server.address) as watched:
        watched.page.goto("/")
        watched.page.set_input_files("input[type=file]", golden)
        watched.page.locator("main.review[data-at='0']").wait_for()
        watched.page.keyboard.press("End")
        watched.page.locator(".result").wait_for()
        assert watched.wrong == []


@pytest.mark.slow
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("colours", ["light", "dark"])
def test_nothing_sticks_out_and_axe_finds_nothing_serious(
    size: dict[str, int], colours: str, server: Server, chrome: Any
) -> None:
    with page_of(chrome, server.address, viewport=size, color_scheme=colours, bypass_csp=True) as watched:
        page = watched.page
        page.goto("/")
        page.locator("form").wait_for()
        check_axe(page)
        page.get_by_text("Rules and seed").click()
        check_axe(page)
        new_game(watched)
        page.locator("main.game[data-turn='true']").wait_for()
        check_axe(page)
        page.goto(page.url.replace("#/g/", "#/r/"))
        page.locator("main.review").wait_for()
        page.locator(".belief summary").click()
        page.locator(".heat").first.wait_for()
        check_axe(page)


def check_axe(page: Any) -> None:
    """No serious fault, and the page is no wider than its window."""
    page.wait_for_timeout(600)  # what appears slowly has appeared
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    page.add_script_tag(path=str(AXE))
    found = page.evaluate("() => axe.run().then((result) => result.violations)")
    serious = [one for one in found if one["impact"] in ("serious", "critical")]
    assert [(one["id"], [node["html"][:120] for node in one["nodes"][:3]]) for one in serious] == []
