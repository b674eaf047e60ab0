"""Generators of pages, figures and pictures; `make docs` runs most of them, two are run by hand."""

from importlib.metadata import entry_points


def own_games() -> list[str]:
    """Names of this project's games; others that are installed beside it are not in its pages."""
    games = entry_points(group="spacemission.games")
    return sorted(
        game.name for game in games if game.dist is not None and game.dist.name == "spacemission-env"
    )
