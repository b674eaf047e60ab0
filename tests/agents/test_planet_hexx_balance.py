"""The balance report of Planet Hexx: its sums add up, and its bars are judged."""

import json

import pytest

from spacemission_agents.games.planet_hexx.balance import Report, main, measure


@pytest.fixture(scope="module")
def tally():
    return measure(3, 40, "greedy", seed=3)


def test_every_finished_game_has_one_win(tally):
    done = tally.games - tally.truncated
    assert tally.games == 40 and done > 20
    for sums in (tally.seats, tally.order, tally.sides.reshape(-1, 2)):
        assert sums[:, 0].sum() == pytest.approx(done)
        assert sums[:, 1].sum() == 3 * done


def test_cards_are_counted(tally):
    assert tally.plays.sum() > 40 * 10
    assert tally.uploads.sum() >= 6 * (tally.games - tally.truncated)
    assert (tally.cards[:, 1] <= tally.plays).all()
    assert tally.plays[:2].sum() == 0  # the starting hexes are never played


def test_the_bars(tally):
    report = Report.of(tally)
    assert sum(report.seats) == pytest.approx(3, abs=0.01)
    report.seats[1] = 1.3
    assert "seat 1: 1.30" in report.outside()


def test_the_command(capsys, tmp_path):
    main(["--games", "6", "--players", "2", "--agent", "greedy", "--json", str(tmp_path / "b.json")])
    assert "2 players, 6 games" in capsys.readouterr().out
    (told,) = json.loads((tmp_path / "b.json").read_text())
    assert told["players"] == 2 and len(told["sides"]) == 16
