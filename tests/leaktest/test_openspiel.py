"""The leak test finds planted faults of OpenSpiel games and the known faults of gin_rummy, and no others."""

import pytest

pyspiel = pytest.importorskip("pyspiel")

import spacemission_env.openspiel  # noqa: E402, F401  registers our games
from spacemission_env.core.errors import SetupError  # noqa: E402
from spacemission_env.leaktest import check_openspiel  # noqa: E402
from tests.support import planted_openspiel  # noqa: E402, F401  registers the game

PLANTED = {
    "tensor": {"information state tensor", "observer, perfect recall"},
    "observation tensor": {"observation tensor", "observer"},
    "text": {"observation string", "observer"},
    "struct": {"observation struct"},
    "public": {"observer, public only", "observer, perfect recall, public only"},
    "mask": {"legal actions mask"},
    "legal": {"legal actions", "legal actions mask", "action strings"},
    "words": {"action strings"},
    "turn": {"player to act"},
    "forced pass": {"player to act"},
    "reward": {"returns so far"},
    "truth": {"resample, not the truth", "resample, distribution"},
    "one world": {"resample, draws differ", "resample, not the truth", "resample, distribution"},
    "distribution": {"resample, distribution"},
    "resampled hand": {"resample, same view"},
    "forgets": {"perfect recall"},
}
CLEAN = [
    "planted_cards",
    "kuhn_poker",
    "kuhn_poker(players=3)",
    "leduc_poker",
    "liars_dice",
    "tiny_hanabi",
    "first_sealed_auction",
    "lewis_signaling",
    "trade_comm",
    "tiny_bridge_2p",
    "python_kuhn_poker",
    "spacemission_kuhn_poker",
    "spacemission_kuhn_poker(players=3)",
]


@pytest.mark.parametrize("fault", PLANTED)
def test_each_planted_fault_is_found(fault: str) -> None:
    report = check_openspiel(f"planted_cards(fault={fault})", games=10)
    assert PLANTED[fault] <= report.found.keys(), report.text()
    # What leaks through the course of the game shows in several checks; any other fault only in its own.
    assert fault in ("turn", "forced pass", "legal", "resampled hand", "forgets") or (
        report.found.keys() == PLANTED[fault]
    ), report.text()


@pytest.mark.parametrize("game", CLEAN)
def test_clean_games_have_no_findings(game: str) -> None:
    report = check_openspiel(game, games=10, seconds=5)
    assert not report.found, report.text()
    assert report.counts["twins"] >= 10


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_the_faults_of_gin_rummy_are_found_by_default(seed: int) -> None:
    found = check_openspiel("gin_rummy", seed=seed).found  # both are seen only after a knock, a rare move
    assert found.keys() == {"observation struct", "resample, not the truth"}


def test_the_shortest_example_stands_side_by_side() -> None:
    report = check_openspiel("planted_cards(fault=struct)", games=20)
    lines = report.text().split("\n")
    start = next(n for n, line in enumerate(lines) if line.startswith("FOUND observation struct"))
    example = "\n".join(lines[start : start + 8])
    assert "2 moves; those that differ" in example  # the two deals
    assert " | chance deal " in example and "view['other']" in example
    assert f"{len(report.found)} finding" in lines[-1]


def test_the_same_seed_gives_the_same_report() -> None:
    texts = {
        "\n".join(check_openspiel("planted_cards(fault=text)", games=5, seed=3).text().split("\n")[2:])
        for _ in range(2)
    }
    assert len(texts) == 1


@pytest.mark.parametrize(
    ("game", "why"),
    [("goofspiel", "at the same time"), ("tarok", "draws chance itself"), ("no_such", "Unknown game")],
)
def test_games_that_cannot_be_tested_are_refused(game: str, why: str) -> None:
    with pytest.raises(SetupError, match=why):
        check_openspiel(game)


def test_a_limit_of_time_is_said() -> None:
    report = check_openspiel("leduc_poker", games=10**6, seconds=0.5)
    assert any("0.5 seconds were over" in note for note in report.notes)
