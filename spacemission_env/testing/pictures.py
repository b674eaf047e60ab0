"""Checks JSON views, drawings and move targets of each seat."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from xml.etree import ElementTree

from spacemission_env.core.game import Game
from spacemission_env.testing.sample import Sample

EVERY, WORLDS = 2, 2  # check every second position, with two determinizations for each seat
THEMES = ("light", "dark", "page")
# Content that a strict content security policy forbids, or that loads from other machines.
_REFUSED = re.compile(r"<style|<script|\sstyle=|\son\w+=|<foreignObject|href=|@import|url\((?!#)")


def check_pictures(sample: Sample, seed: int) -> Iterator[str]:
    """Check views and pictures of seats and spectators; a seat's must be the same in determinizations."""
    for i in range(0, len(sample.states), EVERY):
        game, where = sample.game(i), sample.where(i)
        problem = _public(game) or _moves(game)
        if problem:
            yield f"{where}: {problem}"
            return
        for seat in range(sample.players):
            problem = _drawn(game, seat, THEMES[i % len(THEMES)]) or _same_in_worlds(game, seat, seed)
            if problem:
                yield f"{where}, seat {seat}: {problem}"
                return


def _public(game: Game) -> str | None:
    view = game.public_json()
    if json.loads(json.dumps(view)) != view:
        return "public_json: expected only JSON values"
    fault = _faults(game.spec.picture.draw(view))
    return f"draw: {fault}" if fault else None


def _drawn(game: Game, seat: int, theme: str) -> str | None:
    view = game.seat_json(seat)
    if json.loads(json.dumps(view)) != view:
        return "seat_json: expected only JSON values"
    for draw in ("draw", "draw_tall", "draw_small"):
        drawing = getattr(game.spec.picture, draw, None)
        if drawing is not None and (fault := _faults(drawing(view, theme=theme))):
            return f"{draw}: {fault}"
    return None


def _faults(svg: str) -> str | None:
    """Describe what is wrong with a document."""
    refused = _REFUSED.search(svg)
    if refused:
        return f"{refused.group()!r} in the document"
    names: set[str] = set()
    for element in ElementTree.fromstring(svg).iter():
        name, target = element.get("id"), element.get("data-target")
        if name in names:
            return f"the id {name!r} occurs twice"
        if target is not None and target != name:
            return f"data-target {target!r} is not the id {name!r}"
        names |= {name} if name else set()
    return None


def _moves(game: Game) -> str | None:
    """Check that move targets are drawn and marked, and that moves with equal targets differ in words."""
    if game.over:
        return None
    picture, view, legal = game.spec.picture, game.seat_json(), game.legal_actions()
    for action in range(game.spec.action_count):  # the page also asks for targets of illegal moves
        names = picture.targets(view, action)
        if not isinstance(names, tuple) or not all(isinstance(name, str) for name in names):
            return f"targets: expected a tuple of texts for move {action}, not {names!r}"
    pointed: dict[tuple[tuple[str, ...], str], int] = {}
    named: set[str] = set()
    for action in legal:
        targets: tuple[str, ...] = picture.targets(view, action)
        other = pointed.setdefault((targets, game.words(action, game.player)), action)
        if other != action:
            return f"targets: moves {other} and {action} have the same targets and words"
        named.update(targets)
    for draw in ("draw", "draw_tall"):
        if hasattr(picture, draw):
            svg = getattr(picture, draw)(view, legal=legal, changed=sorted(named)[:1])
            fault = _faults(svg) or _marked(svg, named)
            if fault:
                return f"{draw}: {fault}"
    return None


def _marked(svg: str, named: set[str]) -> str | None:
    """Check that targets of legal moves are marked legal, and that the first of them is marked changed."""
    classes = {e.get("id"): (e.get("class") or "").split() for e in ElementTree.fromstring(svg).iter()}
    for name in sorted(named):
        if "legal" not in classes.get(name, ()):
            return f"{name!r}, a target of a legal move, is not drawn or not marked legal"
    if named and "changed" not in classes[min(named)]:
        return f"{min(named)!r} is not marked changed"
    return None


def _same_in_worlds(game: Game, seat: int, seed: int) -> str | None:
    """Check that, before the end, views and pictures of a seat are equal in determinizations for it."""
    if game.over:
        return None
    shown = _shown(game, seat)
    for number in range(WORLDS):
        other = _shown(game.determinize(seat, seed + number), seat)
        for what, value in shown.items():
            if other[what] != value:
                return f"{what}: differs in a world drawn by determinize"
    return None


def _shown(game: Game, seat: int) -> dict[str, object]:
    shown: dict[str, object] = {
        "seat_json": game.seat_json(seat),
        "public_json": game.public_json(),
        "picture": game.picture(seat, legal=True),
        "picture, tall": game.picture(seat, legal=True, tall=True),
    }
    small = getattr(game.spec.picture, "draw_small", None)
    return shown if small is None else {**shown, "draw_small": small(shown["seat_json"])}
