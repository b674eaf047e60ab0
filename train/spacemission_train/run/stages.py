"""Plans the first stages of a run: with `start = "preset:NAME"` that preset is trained first.

`preset:NAME*N` trains it N times, with seeds from the run's on; the run begins with the ensemble of the N
values, one network as wide as they are together.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from spacemission_train.ppo.warm_start import check_values_fit
from spacemission_train.settings.presets import make_settings
from spacemission_train.settings.settings import TD, Settings, SettingsError

FIRST_FOLDER = "first"  # in the run's; others are first_2, first_3, …
PREFIX = "preset:"
TIMES = "*"
MOST = 8
SHARED = ("game", "rules", "components", "device", "threads")  # settings of all stages


def first_stages(settings: Settings) -> list[Settings]:
    """What is to be trained first, if anything.

    Raises:
        SettingsError, StartError: the run cannot begin with that; one line says why.
    """
    if settings.start is None or not settings.start.startswith(PREFIX):
        return []
    name, times, number = settings.start.removeprefix(PREFIX).partition(TIMES)
    count = _count(settings.start, number) if times else 1
    if times and settings.method != TD:
        raise SettingsError(f"settings: start: {settings.start!r}: several are for method {TD!r} alone")
    shared: dict[str, Any] = {of: getattr(settings, of) for of in SHARED} | _widths(settings, count)
    stages = [make_settings(name, **shared, seed=settings.seed + i) for i in range(count)]
    first = stages[0]
    begins_otherwise = first.start is not None and not first.start.startswith(PREFIX)
    if first.method != settings.method or begins_otherwise:
        raise SettingsError(
            f"settings: start: preset {name!r}: expected one of method {settings.method!r} that begins"
            " with nothing"
        )
    if settings.method == TD:
        check_values_fit(settings.start, [stage.form.card() for stage in stages], settings)
    first_stages(first)
    return stages


def first_folders(out: Path, count: int) -> list[Path]:
    """Where these are trained."""
    return [out / (FIRST_FOLDER if i == 0 else f"{FIRST_FOLDER}_{i + 1}") for i in range(count)]


def _count(start: str, number: str) -> int:
    if not number.isdecimal() or not 2 <= int(number) <= MOST:
        raise SettingsError(f"settings: start: {start!r}: expected {PREFIX}NAME or {PREFIX}NAME*2 to *{MOST}")
    return int(number)


def _widths(settings: Settings, count: int) -> dict[str, Any]:
    # The run goes on with their networks, so that its widths are theirs.
    widths = (*settings.hidden, settings.planets)
    if any(width % count for width in widths):
        raise SettingsError(
            f"settings: hidden, planets: {widths}: {settings.start!r} needs multiples of {count}"
        )
    hidden = tuple(width // count for width in settings.hidden)
    return {"hidden": hidden, "planets": settings.planets // count}
