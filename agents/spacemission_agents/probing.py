"""Asks agents for moves in positions with known right moves, and scores the answers.

Probes are a TOML file, such as data/probes.toml in a game's folder:

    format = 3
    [[probe]]
    id = "third-alien"
    theme = "sets"
    why = "One sentence: why the move is right."
    right = ["take alien_brown"]
    players = 2
    seed = 1
    [probe.state]
    round_number = 17

`state` has the fields of the game's state that differ from a game dealt from `seed`; `probe_toml` writes a
probe of any position. A right move is a text of `Game.move_text`. If no legal move has this text, the text
means all legal moves that begin with its words: "jump Hazard" is a jump to Hazard with any card.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.recfunctions import structured_to_unstructured

from spacemission_agents.game_agents import find_game_agents
from spacemission_env.core.agents import Agent, agent_name, answered, make_agent, prepare_agents
from spacemission_env.core.errors import AgentError, SpaceMissionError
from spacemission_env.core.game import Game, make_game
from spacemission_env.core.game_spec import DEFAULT_GAME, GameSpec, find_game
from spacemission_env.core.move_texts import begins, move_key
from spacemission_env.core.reading import PROBES_BYTES, Json, parse_toml, read_bytes
from spacemission_env.core.rng import hash63

FORMAT = 3  # version of the file format
FIELDS = {"id": str, "theme": str, "why": str, "right": list, "players": int, "seed": int, "state": dict}


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
    if paths is None:
        package, _, name = (find_game_agents(spec).probes or "").partition(":")
        if not package:
            raise ProbeError(f"probe: {spec.title} has no probes")
        texts = [(name, files(package).joinpath(name).read_bytes())]
    else:
        texts = [(str(path), read_bytes(path, PROBES_BYTES, ProbeError, str(path))) for path in paths]
    for where, text in texts:
        data = parse_toml(text, ProbeError, where)
        if data.get("format") != FORMAT or type(data.get("probe")) is not list or len(data) > 2:
            raise ProbeError(f"{where}: expected format = {FORMAT} and tables [[probe]]")
        for i, entry in enumerate(data["probe"]):
            try:
                probe = _probe(spec, entry, len(probes))
            except (SpaceMissionError, ValueError, TypeError, OverflowError) as error:
                called = entry.get("id", i) if isinstance(entry, dict) else i
                raise ProbeError(f"{where}: probe {called!r}: {error}") from None
            if probe.id in (other.id for other in probes):
                raise ProbeError(f"{where}: probe {probe.id!r}: id: is used twice")
            probes.append(probe)
    return probes


def _probe(spec: GameSpec, entry: Any, number: int) -> Probe:
    if not isinstance(entry, dict) or set(entry) != set(FIELDS):
        raise ProbeError(f"expected a table of {', '.join(FIELDS)}")
    for name, kind in FIELDS.items():
        if type(entry[name]) is not kind or not (entry[name] or kind in (int, dict)):
            raise ProbeError(f"{name}: expected {kind.__name__}, not {entry[name]!r}")
    game = make_game(spec, entry["players"])
    game.reset(entry["seed"])
    world = game.states.copy()
    for name, value in entry["state"].items():
        if name not in (spec.state.names or ()):
            raise ProbeError(f"state: {name}: unknown field")
        _fill(world[name], value, f"state: {name}")
    game = game.from_world(world)
    right = _right_actions(game, entry["right"])
    return Probe(number, entry["id"], entry["theme"], entry["why"], right, game)


def _fill(field: np.ndarray, value: object, where: str) -> None:
    """Write a value into a field of an array of one state; a nested record is given as a list."""
    given, names = np.array(value), field.dtype.names
    if given.dtype.kind != "i":
        raise ProbeError(f"{where}: expected whole numbers")
    parts = [field] if names is None else [field[name] for name in names]
    for part, numbers in zip(parts, given[None] if names is None else np.moveaxis(given, -1, 0), strict=True):
        low, high = np.iinfo(part.dtype).min, np.iinfo(part.dtype).max
        if numbers.shape != part.shape[1:] or (numbers < low).any() or (numbers > high).any():
            raise ProbeError(f"{where}: shape or range is wrong")
        part[0] = numbers


def probe_toml(game: Game, id: str, theme: str, why: str, right: Sequence[str]) -> str:
    """A probe of this position for a file; `right`: texts of the right moves (`Game.move_text`)."""
    s, dealt = game.states, make_game(game.spec, game.num_players)
    dealt.reset(game.seed)
    lines = [f"{name} = {json.dumps(text)}" for name, text in (("id", id), ("theme", theme), ("why", why))]
    lines += [
        f"right = {json.dumps(list(right))}",
        f"players = {game.num_players}",
        f"seed = {game.seed}",
        "[probe.state]",
    ]
    for name in game.spec.state.names or ():
        if s[name].tobytes() != dealt.states[name].tobytes():
            field = structured_to_unstructured(s[name]) if s[name].dtype.names else s[name]
            lines.append(f"{name} = {json.dumps(field[0].tolist(), separators=(',', ':'))}")
    return "\n[[probe]]\n" + "\n".join(lines) + "\n"


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
