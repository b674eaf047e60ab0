"""Plans the first stages of a run whose `start` is "preset:NAME".

The run first trains that preset and then starts from its weights. `preset:NAME*N` trains the preset N times
with successive seeds; the run starts from the ensemble of the N networks, whose widths sum to the run's.
"""

from __future__ import annotations

from pathlib import Path

from spacemission_env.core.reading import Json
from spacemission_train.ppo.warm_start import check_values_fit
from spacemission_train.settings.presets import make_settings
from spacemission_train.settings.settings import Settings, SettingsError

FIRST_FOLDER = "first"  # inside the run folder; further stages are in first_2, first_3, …
PREFIX = "preset:"
TIMES = "*"
MOST = 8
SHARED = ("game", "rules", "components", "device", "threads")  # settings that all stages share


def first_stages(settings: Settings) -> list[Settings]:
    """The settings of the first stages; empty if there are none.

    Raises:
        SettingsError, StartError: one line on why the run cannot start from them.
    """
    if settings.start is None or not settings.start.startswith(PREFIX):
        return []
    name, times, number = settings.start.removeprefix(PREFIX).partition(TIMES)
    count = _count(settings.start, number) if times else 1
    if times and not settings.of_afterstates:
        raise SettingsError(
            f"settings: start: {settings.start!r}: only a network of afterstates can start from several"
        )
    shared: Json = {of: getattr(settings, of) for of in SHARED}
    first = make_settings(name, **shared, seed=settings.seed)
    begins_otherwise = first.start is not None and not first.start.startswith(PREFIX)
    if first.of_afterstates != settings.of_afterstates or begins_otherwise:
        kind = "with" if settings.of_afterstates else "without"
        raise SettingsError(
            f"settings: start: preset {name!r}: expected a preset {kind} afterstates that starts from no"
            " other model"
        )
    shared |= _widths(settings, count)
    stages = [make_settings(name, **shared, seed=settings.seed + i) for i in range(count)]
    if settings.of_afterstates:
        check_values_fit(settings.start, [stage.form.card() for stage in stages], settings)
    first_stages(stages[0])
    return stages


def first_folders(out: Path, count: int) -> list[Path]:
    """The run folders of the first stages."""
    return [out / (FIRST_FOLDER if i == 0 else f"{FIRST_FOLDER}_{i + 1}") for i in range(count)]


def _count(start: str, number: str) -> int:
    if not number.isdecimal() or not 2 <= int(number) <= MOST:
        raise SettingsError(f"settings: start: {start!r}: expected {PREFIX}NAME or {PREFIX}NAME*2 to *{MOST}")
    return int(number)


def _widths(settings: Settings, count: int) -> Json:
    # The widths of each stage; `count` of them sum to the run's.
    widths = (*settings.hidden, settings.planets)
    if any(width % count for width in widths):
        raise SettingsError(
            f"settings: hidden, planets: {widths}: {settings.start!r} needs multiples of {count}"
        )
    hidden = tuple(width // count for width in settings.hidden)
    return {"hidden": hidden, "planets": settings.planets // count}
