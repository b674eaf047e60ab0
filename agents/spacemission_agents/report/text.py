"""Formats numbers for printed tables and reports."""

from __future__ import annotations

from collections.abc import Sequence

from spacemission_env.core.reading import Json

MISSING = "–"
TABLES_HEAD = ("agent", "against", "win share", "95 % interval", "equal players", "games")
LADDER_HEAD = ("agent", "win share", "95 % interval", "games", "decisions / game")
RATINGS_HEAD = ("agent", "rating", "95 % interval")


def percent(share: float | None) -> str:
    return MISSING if share is None else f"{100 * share:.2f} %"


def interval(row: Json) -> str:
    """The interval of a share, from the entries `low` and `high` of a row."""
    return MISSING if row["low"] is None else f"{100 * row['low']:.2f} – {100 * row['high']:.2f} %"


def points(rating: float | None) -> str:
    """A rating with a typographic minus."""
    return MISSING if rating is None else f"{round(rating):,}".replace("-", "−")


def rating_interval(row: Json) -> str:
    """The interval of a rating in a row of `ratings.rate`; "fixed" for an anchor."""
    if row["anchor"]:
        return "fixed"
    return MISSING if row["low"] is None else f"{points(row['low'])} to {points(row['high'])}"


def milliseconds(value: float | None) -> str:
    """Milliseconds with two significant digits, or whole milliseconds from 10 on."""
    if value is None:
        return MISSING
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


def model_words(row: Json) -> str:
    """A language model's answers, requests and cost in words; `row` is from `llm.store.Store.summary`."""
    return (
        f"{row['answers']:,} answers, of them {row['illegal']:,} illegal and {row['unreadable']:,} unreadable"
        f"; {row['tries']:,} requests; {row['prompt_tokens']:,} + {row['answer_tokens']:,} tokens; "
        f"${row['cost']:.4f}; {row['seconds']:.1f} s an answer"
    )


def decimal(value: float | None) -> str:
    return MISSING if value is None else f"{value:.1f}"


def whole(value: int | None) -> str:
    return MISSING if value is None else f"{value:,}"


def shortened(name: str, longest: int) -> str:
    """The name; if it is too long, only its end, because paths differ at their ends."""
    return name if len(name) <= longest else "…" + name[1 - longest :]


def ladder_cells(row: Json) -> list[str]:
    share = percent(row["win_share"])
    return [row["agent"], share, interval(row), str(row["games"]), decimal(row["decisions"])]


def ratings_cells(row: Json) -> list[str]:
    return [row["agent"], points(row["rating"]), rating_interval(row)]


def table_cells(row: Json) -> list[str]:
    agent = f"{row['agent']} in {row['seats']} seat{'s' * (row['seats'] != 1)}"
    against = ", ".join(row["others"])
    return [agent, against, percent(row["share"]), interval(row), percent(row["equal"]), str(row["games"])]


def score_names(rows: Sequence[Json]) -> list[str]:
    """The score categories of these rows; the last one is the total."""
    return list(rows[0]["scores"])


def score_cells(row: Json, names: Sequence[str]) -> list[str]:
    return [decimal(row["scores"][name]) for name in names]
