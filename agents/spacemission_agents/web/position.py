"""What a browser gets of one position: only what the viewer may know."""

from __future__ import annotations

from typing import Any

from spacemission_agents.web.match import Match
from spacemission_agents.web.story import WATCHER
from spacemission_env.core.game import Game

THEME = "page"  # colours come from the page's style sheet


def seen(game: Game, viewer: int, to_play: bool = True, tall: bool = False) -> dict[str, Any]:
    """A position in the eyes of a viewer.

    Args:
        game: as it stands.
        viewer: a seat, or `WATCHER`.
        to_play: with the legal moves, where it is the viewer's turn.
        tall: drawn in one column, where the game can be.
    """
    view = game.public_json() if viewer == WATCHER else game.seat_json(viewer)
    mine = to_play and view["player_to_act"] == viewer
    actions = game.legal_actions() if mine else []
    picture, targets = game.spec.picture, game.spec.picture.targets
    draw = getattr(picture, "draw_tall", picture.draw) if tall else picture.draw
    legal = [{"action": a, "words": game.words(a, viewer), "targets": targets(view, a)} for a in actions]
    return {
        "to_act": view["player_to_act"],
        "over": view["over"],
        "result": view["result"],
        "svg": draw(view, theme=THEME, legal=actions),
        "board": "" if viewer == WATCHER else game.spec.text.board(game, viewer),
        "legal": legal,
    }


def live(match: Match, viewer: int, step: int | None, tall: bool = False) -> dict[str, Any]:
    """A step of a game under way (None: the last one) as a viewer gets it."""
    last = match.step(viewer)
    step = last if step is None else step
    to_play = step == last and match.to_play(viewer)
    told = seen(match.at_step(viewer, step), viewer, to_play, tall)
    undo = step == last and match.may_undo(viewer)
    moved = step == last and match.moved(viewer)  # its own move is made, and not shown yet
    heard = len(match.events(viewer))  # up to which of its events a viewer need not wait for another position
    place = {"step": step, "steps": last, "events": heard, "seat": viewer}
    return {**place, "moved": moved, "undo": undo, **told}


def why_not(game: Game, viewer: int, target: str) -> list[str]:
    """Why what one might do with an element of the picture is not legal now.

    Each reason once, after all that it stops: "fly, scan: the ship is on the jump gate".
    """
    view = game.seat_json(viewer)
    stopped: dict[str, dict[str, None]] = {}
    for action in range(game.spec.action_count):
        if target in game.spec.picture.targets(view, action):
            reason = game.why_illegal(action)
            if reason:
                kind, why = _said(reason)
                stopped.setdefault(why, {})[kind] = None
    return [f"{', '.join(kinds)}: {why}" for why, kinds in stopped.items()]


def _said(reason: str) -> tuple[str, str]:
    """Without who and which index: "player_0: action 3 (jump) is illegal: why" is ("jump", why)."""
    what, _, why = reason.partition(" is illegal: ")
    kind = what.rpartition("(")[2].rstrip(")") if "(" in what else "this"
    return kind.replace("_", " "), why or reason
