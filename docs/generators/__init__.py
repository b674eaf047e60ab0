"""Generators of pages, figures and pictures; `make docs` runs most of them, two are run by hand."""

from spacemission_env.cli import PACKAGE
from spacemission_env.core.game_spec import GROUP, entries_of


def own_games() -> list[str]:
    """Names of this project's games; others that are installed beside it are not in its pages."""
    games = entries_of(GROUP).items()
    return sorted(name for name, entry in games if entry.dist and entry.dist.name == PACKAGE)
