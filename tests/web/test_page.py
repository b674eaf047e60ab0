"""The page in a browser: games are played by clicks and keys, on desktops and phones.

Longer: `python -m studies.web_load page`.
"""

from collections.abc import Iterator

import numpy as np
import pytest
from playwright.sync_api import Browser, Page

from spacemission_env.core.game_spec import find_game
from tests.support.browser import AXE, DESKTOP, PHONE, Watched, browser, needs_chromium, page_of
from tests.support.paths import TESTS
from tests.support.player import Clicker, KeyPlayer
from tests.support.web_server import Server

needs_chromium()

TITLES = {name: find_game(name).title for name in ("kuhn_poker", "planet_hexx", "space_mission")}
SHORT = {"kuhn_poker": {}, "planet_hexx": {"max turns": "2"}, "space_mission": {"max rounds": "3"}}
OWN_TURN = "main.game[data-turn='true']"
FOCUSED = "() => document.activeElement.dataset.target"
# Keys that are faster than rendering.
AT_ONCE = """([key, times]) => [...Array(times)].forEach(() =>
  document.body.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true})))"""
# Whether the current move is visible in the list of moves.
IN_SIGHT = """(list) => {
  const all = list.getBoundingClientRect();
  const one = list.querySelector('[aria-current="step"]').getBoundingClientRect();
  return all.top <= one.top && one.bottom <= all.bottom;
}"""


@pytest.fixture(scope="module")
def chrome() -> Iterator[Browser]:
    with browser() as made:
        yield made


@pytest.fixture
def watched(server: Server, chrome: Browser, request: pytest.FixtureRequest) -> Iterator[Watched]:
    """A new page without errors; a parameter gives other options."""
    with page_of(chrome, server.address, **getattr(request, "param", {})) as made:
        yield made
        assert made.wrong == []


@pytest.fixture
def page(watched: Watched) -> Page:
    return watched.page


def finish(
    server: Server, watched: Watched, name: str, seats: list[str], number: int, rules: object
) -> Clicker:
    """Play a game to its end; check the shown scores."""
    player = Clicker(watched.page, np.random.default_rng(number))
    player.start(TITLES[name], seats, rules)
    assert player.play()
    game = server.registry._matches[watched.page.url.split("/")[-2]].game
    scores = [list(row.values()) for row in game.scores_json()]
    assert player.scores() == [scores[j] for j in player.seats_of_scores()]
    assert watched.wrong == [] and watched.asked <= {"127.0.0.1", "data"}
    assert watched.page.locator(".error").count() == 0
    return player


def new_game(page: Page, game: str = "space_mission") -> Clicker:
    """A game against `greedy` with seat 0 to act."""
    player = Clicker(page, np.random.default_rng(0))
    player.start(TITLES[game], ["a person", "random" if game == "kuhn_poker" else "greedy"], {"seed": "3"})
    page.locator(OWN_TURN).wait_for()
    return player


def at(page: Page, step: int, turn: str = "") -> None:
    page.locator(f"main.game[data-step='{step}']{turn}").wait_for()


@pytest.mark.parametrize(
    "name",
    ["kuhn_poker", *(pytest.param(name, marks=pytest.mark.slow) for name in TITLES if name != "kuhn_poker")],
)
def test_a_game_is_played_by_what_the_page_offers(name: str, server: Server, watched: Watched) -> None:
    finish(server, watched, name, ["a person", "random"], 1, SHORT[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["kuhn_poker", "space_mission"])
def test_a_game_is_played_with_the_keyboard_alone(name: str, page: Page) -> None:
    player = KeyPlayer(page, np.random.default_rng(1))
    player.start(TITLES[name], {"max rounds": "2"} if name == "space_mission" else {})
    assert player.play() >= 1
    player.tab_to(".result a")  # and leave the board
    player.press("Enter")
    page.locator("main.review").wait_for()


@pytest.mark.slow
def test_keys_and_buttons_of_a_turn(page: Page) -> None:
    """Arrows move the focus, the page explains illegal moves, a button takes a move back."""
    new_game(page)
    page.keyboard.press("b")
    names = [page.evaluate(FOCUSED)]
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft"):
        page.keyboard.press(key)
        names.append(page.evaluate(FOCUSED))
    assert len(set(names[:3])) == 3 and names[3] == names[1]
    page.locator("[data-target='ship-0']").hover(force=True)
    page.locator(".tip .reason", has_text="The ship is on the jump gate. SM-25, SM-26").wait_for()
    before = page.locator("main.game").get_attribute("data-step")
    page.locator(".moves summary", has_text="Top up").click()
    page.locator(".move", has_text="discarding nothing").click()
    page.get_by_role("button", name="Take the last move back").click()
    at(page, before)
    page.locator(".log .gone").wait_for()


@pytest.mark.slow
@pytest.mark.parametrize(
    "watched",
    [{"has_touch": False}, {"has_touch": True, "viewport": PHONE}],
    ids=["mouse", "finger"],
    indirect=True,
)
def test_what_is_pointed_at_is_named(page: Page, request: pytest.FixtureRequest) -> None:
    touch = "finger" in request.node.name
    new_game(page, "planet_hexx")
    base = page.locator("[data-target^='cell-']", has_text="Space Base").first
    base.tap(force=True) if touch else base.hover(force=True)
    tip = page.locator(".tip.low" if touch else ".tip:not(.low)")
    tip.filter(has_text="The Space Base, a Space at (0, 0)").wait_for()
    assert touch or base.locator("title").count() == 0  # or the browser would show it too
    page.keyboard.press("b")  # to what can be chosen
    name = page.evaluate("() => document.activeElement.dataset.label")
    page.locator(".tip", has_text=name).wait_for()


@pytest.mark.slow
@pytest.mark.parametrize(
    "watched", [{}, {"has_touch": True, "viewport": PHONE}], ids=["desktop", "phone"], indirect=True
)
def test_the_page_says_what_a_game_is_and_gives_each_seat_one_name(page: Page, server: Server) -> None:
    """The rules are those that the game declares; no seat has the name that the engine gives it."""
    for game, title in TITLES.items():
        page.goto("/")
        text = find_game(game).how_to_play
        new_game(page, game)
        assert page.title() == page.locator("header .home").inner_text().strip() == title
        if page.viewport_size == PHONE:
            page.get_by_role("button", name="How to play").click()
        told = page.locator(".rules").inner_text()
        assert len(text.splitlines()) <= 60
        assert all(word in told for word in text.replace("#", "").replace("*", "").split() if word != "-")
        page.locator(".rules").get_by_role("button", name="Close").click()
        page.locator(".rules").wait_for(state="detached")
        page.get_by_text("The table in words").click()
        assert "Player 1" in page.locator(".text pre").inner_text()
        assert "player_" not in page.locator("#app").inner_text()
        assert set(page.locator(".seat-number").all_text_contents()) <= {"1", "2"}
        assert "player_" not in page.evaluate("() => document.querySelector('.board').innerHTML")
    page.route(
        "**/api/games/*", lambda route: route.fulfill(json={**route.fetch().json(), "how_to_play": ""})
    )
    page.reload()
    page.get_by_role("button", name="How to play").click()
    page.locator(".rules", has_text="This game has no description of its rules").wait_for()


@pytest.mark.slow
def test_a_wait_is_explained_and_a_choice_has_the_same_name_everywhere(page: Page) -> None:
    new_game(page, "planet_hexx")
    page.route("**/moves", lambda route: None)  # never answered, as while the rules are compiled
    page.locator("[data-target='choice-side-0']").click()
    page.locator(".status", has_text="Your move is being made… After an installation").wait_for()
    page.unroute("**/moves")
    new_game(page, "planet_hexx")
    page.locator("[data-target='choice-side-0']").click()
    page.locator("[data-target='choice-pass']").wait_for()
    assert page.locator("[data-target='choice-pass'] text").text_content() == "End the turn"
    page.locator(".move", has_text="End the turn").wait_for()
    page.route("**/position**", lambda route: None)
    page.reload()
    page.locator(".waiting", has_text="Laying out the game… After an installation").wait_for()


@pytest.mark.slow
def test_two_people_at_one_screen_hand_it_over_behind_a_curtain(page: Page) -> None:
    player = Clicker(page, np.random.default_rng(0))
    page.goto("/")
    page.locator(".sizes label", has_text="2").click()
    page.get_by_label("Seat 2: who").select_option(label="a person")
    page.get_by_label("Seat 1: name").fill("Ann")
    page.get_by_label("Seat 2: name").fill("Ben")
    page.get_by_role("button", name="Start").click()
    page.get_by_role("link", name="Sit here").first.click()
    page.locator("main.game").wait_for(timeout=300_000)
    if page.locator(OWN_TURN).count():
        player.play(2)
    page.get_by_role("link", name="Hand over to").click()
    page.get_by_role("button", name="Show the table").click()
    page.locator(OWN_TURN).wait_for()


@pytest.mark.slow
def test_a_game_is_looked_back_on_while_it_is_played(page: Page) -> None:
    assert not new_game(page).play(4)
    page.locator(OWN_TURN).wait_for()
    now = int(page.locator("main.game").get_attribute("data-step"))
    page.evaluate(AT_ONCE, [",", 3])
    at(page, now - 3)
    assert f"Looking back at move {now - 3}" in page.locator(".status").inner_text()
    page.keyboard.press(".")
    at(page, now - 2)
    page.keyboard.press("Escape")
    at(page, now, "[data-turn='true']")


@pytest.mark.slow
def test_a_game_is_looked_back_on(page: Page) -> None:
    player = Clicker(page, np.random.default_rng(3))
    player.start(TITLES["space_mission"], ["a person", "greedy"], SHORT["space_mission"])
    assert player.play()
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
    with page.expect_request("**/continue") as asked:
        page.get_by_role("button", name="Play on after move 6").click()
    assert asked.value.post_data_json["at"] == 6
    page.locator("main.game[data-step]").wait_for()


@pytest.mark.slow
def test_a_record_that_is_brought_is_looked_back_on(page: Page) -> None:
    page.goto("/")
    page.set_input_files("input[type=file]", TESTS / "golden" / "2_players_printed.jsonl")
    page.locator("main.review[data-at='0']").wait_for()
    page.keyboard.press("End")
    page.locator(".result").wait_for()


@pytest.mark.slow
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("colours", ["light", "dark"])
def test_nothing_sticks_out_and_axe_finds_nothing_serious(
    size: dict[str, int], colours: str, server: Server, chrome: Browser
) -> None:
    with page_of(chrome, server.address, viewport=size, color_scheme=colours, bypass_csp=True) as watched:
        page = watched.page
        page.goto("/")
        page.locator("form").wait_for()
        check_axe(page)
        page.get_by_text("Rules and seed").click()
        check_axe(page)
        new_game(page)
        check_axe(page)
        page.goto(page.url.replace("#/g/", "#/r/"))
        page.locator("main.review").wait_for()
        page.locator(".belief summary").click()
        page.locator(".heat").first.wait_for()
        check_axe(page)


def check_axe(page: Page) -> None:
    """Check accessibility, and that the page fits its window."""
    page.wait_for_timeout(600)  # until animations end
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    page.add_script_tag(path=str(AXE))
    found = page.evaluate("() => axe.run().then((result) => result.violations)")
    serious = [one for one in found if one["impact"] in ("serious", "critical")]
    assert [(one["id"], [node["html"][:120] for node in one["nodes"][:3]]) for one in serious] == []
