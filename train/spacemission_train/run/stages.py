"""A run in stages: with `start = "preset:NAME"` that preset is trained first, in the run's folder."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from spacemission_train.run.folder import MODEL_FOLDER
from spacemission_train.settings.presets import make_settings
from spacemission_train.settings.settings import Settings, SettingsError

FIRST_FOLDER = "first"  # in the run's
PREFIX = "preset:"
# Settings of both; the second goes on with the first's network, so that its widths are theirs.
SHARED = ("game", "rules", "components", "seed", "device", "threads", "hidden", "planets")


def first_stage(settings: Settings) -> Settings | None:
    """What is to be trained first, if anything.

    Raises:
        SettingsError: the preset is unknown, begins with another itself, or learns in another way.
    """
    if settings.start is None or not settings.start.startswith(PREFIX):
        return None
    name = settings.start.removeprefix(PREFIX)
    first = make_settings(name, **{of: getattr(settings, of) for of in SHARED})
    if first.start is not None or first.method != settings.method:
        raise SettingsError(
            f"settings: start: preset {name!r}: expected one of method {settings.method!r} without a start"
        )
    return first


def after_first(settings: Settings, out: Path) -> Settings:
    """The settings of the run with what the first stage in its folder has come to as its start."""
    return replace(settings, start=f"policy:{out / FIRST_FOLDER / MODEL_FOLDER}")
