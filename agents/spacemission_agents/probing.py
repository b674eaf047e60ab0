"""Asks agents for moves in positions with known right moves, and scores the answers.

Probes are a TOML file:

    format = 4
    [[probe]]
    id = "third-alien"
    theme = "sets"
    why = "One sentence: why the move is right."
    right = ["take alien_brown"]
    record = "games.jsonl"
    game = 3
    after = 41

The position is that of game 3 of a game record after 41 moves; `record` is a path from the folder of the
probe file. A right move is a text of `Game.move_text`. If no legal move has this text, the text means all
legal moves that begin with its words: "jump Hazard" is a jump to Hazard with any card.

A game's own probes, data/probes.toml in its folder, are hand-made positions. In place of a record they have
`players`, `seed` and `state`: the fields of the state that differ from a game dealt from `seed`. Compiled
code uses these numbers as indices without a check, so no other file may have them.
tests/support/probe_values.py writes them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from spacemission_agents.game_agents import find_game_agents
from spacemission_env.core.agents import Agent, agent_name, answered, make_agent, prepare_agents
from spacemission_env.core.errors import AgentError, SpaceMissionError
from spacemission_env.core.game import Game, make_game
from spacemission_env.core.game_spec import DEFAULT_GAME, GameSpec, find_game
from spacemission_env.core.move_texts import begins, move_key
from spacemission_env.core.reading import PROBES_BYTES, Json, parse_toml, read_bytes
from spacemission_env.core.rng import hash63
from spacemission_env.records.reader import replay_file

FORMAT = 4  # version of the file format
FIELDS = {"id": str, "theme": str, "why": str, "right": list}
OF_RECORD = {"record": str, "game": int, "after": int}
OWN = {"players": int, "seed": int, "state": dict}  # of a game's own probes


class ProbeError(SpaceMissionError):
    """A probe is invalid; the message names the probe and the field."""


class Probe(NamedTuple):
    """One position and its right moves."""

    number: int  # index among all loaded probes; decision keys are derived from it
    id: str
    theme: str
    why: str  # why the right moves are right, in a sentence
    right: tuple[int, ...]  # action indices, ascending
    game: Game  # the position; play on only in a copy


class Answers(NamedTuple):
    """The actions of an agent in one probe, one for each repetition, and the share of right ones."""

    probe: Probe
    actions: tuple[int, ...]
    score: float


def ask_all(
    spec: str | Agent, probes: Sequence[Probe], seed: int = 0, repeat: int = 8, called: str | None = None
) -> list[Answers]:
    """Ask an agent for a move in each probe, `repeat` times, each time with another decision key.

    `called`: name of the agent in messages. AgentError: the agent cannot be made, does not fit the game,
    fails or plays an illegal move.
    """
    answers: list[Answers] = []
    name, agent = called or agent_name(spec), make_agent(spec, probes[0].game.spec)
    for probe in probes:
        prepare_agents([agent], probe.game.info)
        actions = []
        for i in range(repeat):
            key = int(hash63(hash63(seed, probe.number, 0), i, 0))
            action = int(answered(agent, probe.game.ask(key).part(agent, np.zeros(1, np.int64)), name)[0])
            if reason := probe.game.why_illegal(action):
                raise AgentError(f"agent {name!r}: probe {probe.id!r}: {reason}")
            actions.append(action)
        right = sum(action in probe.right for action in actions)
        answers.append(Answers(probe, tuple(actions), right / repeat))
    return answers


def summary(answers: Sequence[Answers]) -> Json:
    """`score` and number of `probes`, overall and by theme."""
    scores: dict[str, list[float]] = {"": []}
    for probe, _, score in answers:
        scores[""].append(score)
        scores.setdefault(probe.theme, []).append(score)
    rows = [{"theme": name, "score": float(np.mean(of)), "probes": len(of)} for name, of in scores.items()]
    return {"score": rows[0]["score"], "probes": rows[0]["probes"], "themes": rows[1:]}


def of_theme(probes: Sequence[Probe], theme: str | None) -> list[Probe]:
    """The probes of one theme (None: all); ProbeError if there is no such theme."""
    themes = list(dict.fromkeys(probe.theme for probe in probes))
    if theme is not None and theme not in themes:
        raise ProbeError(f"theme {theme!r}: unknown; known: {', '.join(themes)}")
    return [probe for probe in probes if theme in (None, probe.theme)]


def load_probes(game: str = DEFAULT_GAME, paths: Sequence[str | Path] | None = None) -> list[Probe]:
    """The probes in these files; None: in the game's own file. ProbeError if a probe is invalid."""
    spec, probes = find_game(game), list[Probe]()
    texts: list[tuple[str, Path | None, bytes]]  # name, folder and contents of each file
    if paths is None:
        package, _, name = (find_game_agents(spec).probes or "").partition(":")
        if not package:
            raise ProbeError(f"probe: {spec.title} has no probes")
        texts = [(name, None, files(package).joinpath(name).read_bytes())]
    else:
        texts = [
            (str(path), Path(path).parent, read_bytes(path, PROBES_BYTES, ProbeError, str(path)))
            for path in paths
        ]
    for where, folder, text in texts:
        data = parse_toml(text, ProbeError, where)
        if data.get("format") != FORMAT or type(data.get("probe")) is not list or len(data) > 2:
            raise ProbeError(f"{where}: expected format = {FORMAT} and tables [[probe]]")
        for i, entry in enumerate(data["probe"]):
            try:
                probe = _probe(spec, entry, len(probes), folder)
            except SpaceMissionError as error:
                called = entry.get("id", i) if isinstance(entry, dict) else i
                raise ProbeError(f"{where}: probe {called!r}: {error}") from None
            if probe.id in (other.id for other in probes):
                raise ProbeError(f"{where}: probe {probe.id!r}: id: is used twice")
            probes.append(probe)
    return probes


def _probe(spec: GameSpec, entry: Any, number: int, folder: Path | None) -> Probe:
    """A probe of a file in `folder`; None: of the game's own file."""
    fields: Mapping[str, type] = FIELDS | (OWN if folder is None else OF_RECORD)
    if not isinstance(entry, dict) or set(entry) != set(fields):
        raise ProbeError(f"expected a table of {', '.join(fields)}")
    for name, kind in fields.items():
        if type(entry[name]) is not kind or not (entry[name] or kind in (int, dict)):
            raise ProbeError(f"{name}: expected {kind.__name__}, not {entry[name]!r}")
    if folder is None:
        game = make_game(spec, entry["players"])
        game.reset(entry["seed"])
        for name, value in entry["state"].items():
            _fill(game.states[name], value)
    else:
        game = _replayed(spec, folder / entry["record"], entry["game"], entry["after"])
    right = _right_actions(game, entry["right"])
    return Probe(number, entry["id"], entry["theme"], entry["why"], right, game)


def _fill(field: np.ndarray, value: object) -> None:
    """Write a value into a field of an array of one state; a nested record is given as a list."""
    names = field.dtype.names
    if names is None:
        field[0] = value
    else:
        for name, numbers in zip(names, np.moveaxis(np.array(value), -1, 0), strict=True):
            field[name][0] = numbers


def _replayed(spec: GameSpec, path: Path, number: int, after: int) -> Game:
    """The position of a recorded game after so many moves."""
    replayed = next(replay_file(path, number))
    if replayed.game.spec is not spec:
        raise ProbeError(f"record: expected a game of {spec.title}, not of {replayed.game.spec.title}")
    for _ in replayed:
        if replayed.actions == after:
            return replayed.game
    raise ProbeError(f"after: {after}: no move follows, the game has {replayed.actions}")


def _right_actions(game: Game, right: Sequence[object]) -> tuple[int, ...]:
    legal = {action: game.move_text(action) for action in game.legal_actions()}
    found: set[int] = set()
    for wanted in right:
        if not isinstance(wanted, str) or not wanted.split():
            raise ProbeError(f"right: not a move: {wanted!r}")
        whole = {action for action, text in legal.items() if move_key(text) == move_key(wanted)}
        named = whole or {action for action, text in legal.items() if begins(text, wanted)}
        if not named:
            raise ProbeError(f"right: no legal move is {wanted!r}")
        found |= named
    if len(found) == len(legal):
        raise ProbeError("right: every legal move would be right")
    return tuple(sorted(found))
