"""Reads probe files of any game (TOML, format 1), such as data/probes_*.toml in a game's folder.

A file holds probes of one theme. Its table `common` gives what the positions share; a probe names what
differs:

    format = 1
    theme = "sets"
    [common]                     # fields of a position, as the game has them
    [[probe]]
    id = "third-alien"
    why = "One sentence: what a strong player sees."
    right = [{ kind = "take", tile = "alien_brown" }]
    position = { hand = "J1S2", phase = "discover" }

A right move is written as records name moves (docs/records.md); what it leaves out may be anything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from spacemission_agents.probing.asking import Probe, ProbeError
from spacemission_env.core.reading import PROBES_BYTES, parse_toml, read_bytes

FORMAT = 1
Table = Mapping[str, Any]


@dataclass(frozen=True)
class ProbeFiles:
    """How a game's probe files are read."""

    package: str  # with the folder `data`, where the package's own files are
    build: Callable[[Table], Any]  # the game of a position's fields, or ProbeError
    move_fields: Mapping[str, set[str]]  # kinds of moves that can be right, and what else each may name
    merged: Callable[[Table, Table], Table]  # fields of `common` and of a probe as those of one position

    def load(self, paths: Sequence[str | Path] | None = None) -> list[Probe]:
        """The probes of these files, or the package's own, in order.

        ProbeError: one line that names the file, the probe and the field.
        """
        probes: list[Probe] = []
        for name, text in self._texts(paths):
            probes += self._parse(text, name, len(probes))
        seen: set[str] = set()
        for probe in probes:
            if probe.id in seen:
                raise ProbeError(f"probe {probe.id!r}: id: stands twice")
            seen.add(probe.id)
        return probes

    def _texts(self, paths: Sequence[str | Path] | None) -> list[tuple[str, bytes]]:
        if paths is not None:
            return [(str(path), read_bytes(path, PROBES_BYTES, ProbeError, str(path))) for path in paths]
        folder = resources.files(self.package) / "data"
        files = sorted((f for f in folder.iterdir() if f.name.startswith("probes_")), key=lambda f: f.name)
        return [(file.name, file.read_bytes()) for file in files]

    def _parse(self, text: bytes, where: str, first: int) -> list[Probe]:
        data = parse_toml(text, ProbeError, where)
        _only(data, {"format": int, "theme": str, "probe": list}, {"common": dict}, where)
        if data["format"] != FORMAT:
            raise ProbeError(f"{where}: format: {data['format']!r} is not known, this version reads {FORMAT}")
        common = data.get("common", {})
        return [
            self._probe(entry, common, data["theme"], first + i, f"{where}: probe {_called(entry, i)}")
            for i, entry in enumerate(data["probe"])
        ]

    def _probe(self, entry: Any, common: Table, theme: str, number: int, where: str) -> Probe:
        _only(entry, {"id": str, "why": str, "right": list, "position": dict}, {}, where)
        try:
            game = self.build(self.merged(common, entry["position"]))
            right = self._right_actions(game, entry["right"])
        except ProbeError as error:
            raise ProbeError(f"{where}: {error}") from None
        except OverflowError as error:  # a number that no field of a game holds
            raise ProbeError(f"{where}: position: {error}") from None
        return Probe(number, entry["id"], theme, entry["why"], right, game)

    def _right_actions(self, game: Any, right: Sequence[Any]) -> tuple[int, ...]:
        legal = game.legal_actions()
        found: set[int] = set()
        for i, wanted in enumerate(right):
            kind = wanted.get("kind") if isinstance(wanted, dict) else None
            known = self.move_fields.get(kind) if type(kind) is str else None
            if known is None or set(wanted) - {"kind"} - known:
                raise ProbeError(f"right[{i}]: not a move: {wanted!r}")
            named = [action for action in legal if _is(game.move(action), wanted)]
            if not named:
                raise ProbeError(f"right[{i}]: no legal move is {wanted!r}")
            found.update(named)
        if len(found) == len(legal):
            raise ProbeError("right: every legal move would be right")
        return tuple(sorted(found))


def _called(entry: Any, i: int) -> str:
    return repr(entry["id"]) if isinstance(entry, dict) and "id" in entry else f"[{i}]"


def _only(entry: Any, needed: Mapping[str, type], optional: Mapping[str, type], where: str) -> None:
    if not isinstance(entry, dict):
        raise ProbeError(f"{where}: expected a table, not {entry!r}")
    known = {**needed, **optional}
    for key, value in entry.items():
        if key not in known:
            raise ProbeError(f"{where}: {key}: unknown field; known: {', '.join(known)}")
        if type(value) is not known[key]:
            raise ProbeError(f"{where}: {key}: expected {known[key].__name__}, not {value!r}")
    for key in needed:
        if not entry.get(key):
            raise ProbeError(f"{where}: {key}: is missing")


def _is(move: Table, wanted: Table) -> bool:
    def plain(value: Any) -> Any:
        return sorted(value) if isinstance(value, list) else value

    return all(key in move and plain(move[key]) == plain(value) for key, value in wanted.items())
