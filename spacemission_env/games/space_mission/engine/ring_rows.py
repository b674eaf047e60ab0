"""Reads the eight ring positions of a field as one number of eight bytes."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numba.extending import intrinsic

from spacemission_env.games.space_mission.engine.state import STATE

# Fields of `STATE` whose last axis has one byte for each ring position.
BY_PLACE = ("face_up", "scanned", "taken", "took", "looked", "reserved")
_FIELDS = {name: STATE.fields[name][1] for name in BY_PLACE}  # type: ignore[index]
# A view of the memory of a `STATE`.
ROWS = np.dtype(
    (
        np.record,
        {
            "names": list(_FIELDS),
            "formats": [("<u8", STATE[name].shape[:-1]) for name in _FIELDS],
            "offsets": list(_FIELDS.values()),
            "itemsize": STATE.itemsize,
        },
    )
)

if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]

    def ring_rows(s: Any) -> Any:
        """A state as `ROWS`."""
        return s.view(ROWS)

else:
    _ROWS = numba.from_dtype(ROWS)

    @intrinsic
    def ring_rows(typing_context: Any, s: Any) -> Any:
        """A state as `ROWS`: a record is its place in memory, which stays the same."""

        def same_place(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.bitcast(arguments[0], context.get_value_type(_ROWS))

        return _ROWS(s), same_place
