"""Writes the texts of a picture: turn, decision, labels of choices."""

from __future__ import annotations

from spacemission_env.games.planet_hexx.actions import PROMPTS
from spacemission_env.games.planet_hexx.words.moves import PASSES
from spacemission_env.pictures.parts import View, in_words

_WINDOWS = {
    "roll": "rolled the die",
    "landed": "Landed",
    "surprise": "plays a Surprise",
    "turn_begins": "begins a turn",
    "turn_ends": "has ended the Actions",
    "stopped": "Stopped",
    "uploaded": "has Uploaded a card",
}


def description(view: View) -> str:
    return in_words("Mission to Planet Hexx!", view, f"turn {view['turn']}")


def turn(view: View) -> str:
    """The turn, or the winners."""
    if view["over"]:
        winners = [f"player_{j}" for j in view["result"]["winners"]]
        return f"{' and '.join(winners)} won" if winners else "Broken off: nobody has won"
    return f"Turn {view['turn']}: player_{view['active']}" if view["turn"] else "Sides are being chosen"


def asked(view: View) -> str:
    about = view["asked"]
    if about is None:
        return ""
    words = PROMPTS[about["what"]]
    if "window" in about:
        window = about["window"]
        does = _WINDOWS.get(window, f"declares {'an' if window[0] in 'aeiou' else 'a'} {window.capitalize()}")
        return f"player_{about['opener']} {does}: {words}"
    card = f"{view['cards'][about['card']]['name']}: " if about.get("card") else ""
    steps = f" (rolled {about['roll']}, {about['left']} left)" if about["what"] == "step" else ""
    return f"{card}{words}{steps}"


def label(view: View, name: str) -> str:
    """The label of a choice without a place on the table (`targets`)."""
    what, _, number = name.removeprefix("choice-").rpartition("-")
    if what == "card":
        return next(card["name"] for card in view["cards"].values() if card["kind"] == int(number))
    if what == "side":
        name_of_side: str = view["sides"][int(number)]["name"]
        return name_of_side.capitalize()
    if what == "branch":
        about = view["asked"].get("card")
        branches = view["cards"][about]["text"].split(" OR: ") if about else []
        return branches[int(number)] if int(number) < len(branches) else f"Option {int(number) + 1}"
    if what == "turn":
        return f"   {60 * int(number)}°"
    if what == "number":
        return number
    if name == "choice-pass":  # "ends the turn" as a command, as in the page's list of moves
        verb, _, rest = PASSES[(view["asked"] or {"what": "main"})["what"]].partition(" ")
        return f"{verb.capitalize().removesuffix('s')} {rest}"
    return {
        "choice-yes": "Yes",
        "choice-no": "No",
        "choice-effect": "By its effect",
        "choice-other-cost": "Upload at its other cost",
    }.get(name, name)
