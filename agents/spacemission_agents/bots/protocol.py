"""Makes and reads the lines that games and bots exchange (docs/your_own_bot.md, protocol.schema.json)."""

from __future__ import annotations

import hashlib
import json
from base64 import b64encode
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from spacemission_env.core.agents import GameInfo
from spacemission_env.core.errors import shown
from spacemission_env.core.game import make_game
from spacemission_env.core.game_spec import GameSpec, find_game
from spacemission_env.core.reading import Json
from spacemission_env.records.writer import game_entry

VERSION = 1
LINE_BYTES = 1 << 20  # maximum length of a line
START_SECONDS = 60.0  # time until `ready`
FIRST_SECONDS = 20.0  # additional seconds for the first `act`
MOST_ROWS = 8  # a batch gets the time of one decision for each row, but only for this many rows
OFFERS = "moves", "words", "view", "observation", "worlds", "batch"

FAILED, WRONG_FORM, ILLEGAL = "failed", "wrong form", "illegal move"  # kinds of forfeits
TOO_SLOW, DIED = "too slow", "process ended"


@dataclass(frozen=True)
class Forfeit:
    """Why an agent forfeits a game."""

    kind: str  # FAILED, WRONG_FORM, ...
    text: str  # one line


class BotError(Exception):
    """A bot gave no valid answer."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(text)
        self.forfeit = Forfeit(kind, text)


@dataclass(frozen=True)
class Ready:
    """What a bot says of itself in its first line."""

    name: str
    version: str
    wants: frozenset[str]


def line(message: Json) -> bytes:
    """A message as a line."""
    return json.dumps(message, separators=(",", ":"), allow_nan=False).encode("utf-8") + b"\n"


def hello(info: GameInfo, seat: int, seconds: float) -> Json:
    """The first message to a bot."""
    spec = find_game(info.game)
    game = make_game(spec, info.num_players, info.rules, info.components)
    game.reset(0)
    return {
        "type": "hello",
        "protocol": VERSION,
        "game": info.game,
        "players": info.num_players,
        "seat": seat,
        "rules": info.rules.to_json(),
        "components": info.components.to_json(),
        "example": game_entry(game, ["bot"] * info.num_players),  # `host.py` reads the components from it
        "layout": [
            {"name": name, "start": piece.slice.start, "shape": list(piece.shape)}
            for name, piece in spec.layout.items()
        ],
        "seconds_per_decision": seconds,
        "offers": list(OFFERS),
    }


def record_digest(spec: GameSpec) -> str:
    """Digest of the dtype of a game's states: a bot can read worlds if its own dtype has this digest."""
    return hashlib.sha256(repr(spec.state.descr).encode()).hexdigest()


def packed(array: np.ndarray) -> str:
    """The bytes of an array in base64."""
    return b64encode(np.ascontiguousarray(array).tobytes()).decode("ascii")


# ---------------------------------------------------------------- what a bot writes


def read_message(data: bytes, kinds: tuple[str, ...]) -> Json:
    """A bot's line as JSON; BotError if it is not a message of one of these types."""
    try:
        message = json.loads(data.decode("utf-8"), parse_constant=_refuse_constant)
    except UnicodeDecodeError:
        raise BotError(WRONG_FORM, "wrote a line that is not UTF-8") from None
    except (ValueError, RecursionError) as error:
        if str(error).startswith("number"):
            raise BotError(WRONG_FORM, f"wrote {error}") from None
        text = shown(data[:60].decode("utf-8", "replace"))
        raise BotError(WRONG_FORM, f"wrote no JSON but {text}") from None
    if not isinstance(message, dict) or message.get("type") not in kinds:
        raise BotError(WRONG_FORM, f"expected a message of type {' or '.join(kinds)}, not {shown(message)}")
    return message


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"number {name}, which JSON does not have")


def read_ready(data: bytes) -> Ready:
    """A bot's first line; BotError if it is wrong, or refuses the game."""
    message = read_message(data, ("ready", "refuse"))
    if message["type"] == "refuse":
        raise BotError(FAILED, str(message.get("reason", "it refuses the game")))
    if message.get("protocol") != VERSION:
        raise BotError(WRONG_FORM, f"protocol: expected {VERSION}, not {shown(message.get('protocol'))}")
    for field in ("name", "version"):
        if not isinstance(message.get(field, ""), str):
            raise BotError(WRONG_FORM, f"{field}: expected a text, not {shown(message[field])}")
    wants = message.get("wants", [])
    if not isinstance(wants, list) or not all(isinstance(want, str) and want in OFFERS for want in wants):
        raise BotError(WRONG_FORM, f"wants: expected some of {', '.join(OFFERS)}, not {shown(wants)}")
    return Ready(message.get("name", ""), message.get("version", ""), frozenset(wants))


def read_moves(data: bytes, number: int, rows: int | None) -> list[Any]:
    """The answer to the `act` with the id `number`: a list with an action, a text or None for each row.

    None: the bot has no move for this row. `rows`: number of rows of a batch, or None for a single decision
    (a list of one). BotError: the form is wrong.
    """
    message = read_message(data, ("move",))
    if message.get("id") != number or isinstance(message.get("id"), bool):
        raise BotError(WRONG_FORM, f"answered id {shown(message.get('id'))}, not {number}")
    if rows is None:
        if ("action" in message) == ("move" in message):
            raise BotError(WRONG_FORM, "expected either an action or a move")
        if "move" in message:
            return [_checked("move", message["move"], str)]
        return [_checked("action", message["action"], int)]
    actions = message.get("actions")
    if not isinstance(actions, list) or len(actions) != rows:
        raise BotError(WRONG_FORM, f"actions: expected a list of {rows}, not {shown(actions)}")
    return [_checked("actions", action, int) for action in actions]


def _checked(field: str, value: object, kind: type) -> object:
    if value is not None and (type(value) is not kind):
        what = "a text" if kind is str else "a whole number"
        raise BotError(WRONG_FORM, f"{field}: expected {what}, not {shown(value)}")
    return value
