"""Defines `TextSeat`: rules, prompt and answers of one seat of any game, for language models.

Every fact comes from `Game.board` and `Game.move_seen`, which tell a seat only what it may know. No text
contains a name that a person chose: seats are player_0, player_1, …
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from spacemission_env.core.arguments import is_whole
from spacemission_env.core.errors import IllegalActionError, SetupError, shown
from spacemission_env.core.game import Game
from spacemission_env.core.game_spec import check_choice
from spacemission_env.core.move_texts import begins, fault, find_move, move_key
from spacemission_env.texts.neutral import RULE, NeutralNames

LENGTHS, NAMES = ("short", "long"), ("own", "neutral")
SHORT_ENDS = "\n---\n"  # in `GameSpec.rules_text`: the end of the short form
ANSWER = 'Answer with one JSON object, as the last thing that you write: {"move": "…"}'


@dataclass(frozen=True)
class Move:
    """An answer with a legal move: its action and its text."""

    action: int
    text: str


@dataclass(frozen=True)
class Illegal:
    """An answer with a move that is not legal; `rule_id`: the rule against the move, or None."""

    reason: str
    rule_id: str | None = None


@dataclass(frozen=True)
class Unreadable:
    """An answer without a move in the form that the prompt asks for."""

    reason: str


class TextSeat:
    """Writes what a language model in one seat of a game is to read, and reads the model's answers.

    Attributes:
        game: the game; texts always describe its present state.
        seat: the seat that the texts are for.
        history: the moves so far as the seat saw them, oldest first (`note`).
    """

    def __init__(
        self, game: Game, seat: int, names: str = "own", seed: int = 0, history: Sequence[str] = ()
    ) -> None:
        """`names`: "own" for the game's words, or "neutral" for words made from `seed` (`NeutralNames`)."""
        check_choice("names", names, NAMES)
        self.game, self.seat = game, seat
        self.history = list(history)
        self._said = NeutralNames(game, seed) if names == "neutral" else str

    def note(self, action: int) -> None:
        """Remember a move of any seat, as this seat sees it; call it before the move is made."""
        line = self.game.history_line(action, self.seat)
        if line is not None:
            self.history.append(line)

    def rules(self, length: str = "long") -> str:
        """The rules with their ids, "short" or "long", and the options of this game."""
        check_choice("length", length, LENGTHS)
        title, rules = self._said(self.game.spec.title), self.game.spec.rules_text.strip("\n")
        if not rules:
            return f"The game {title} has no text of its rules.\n"
        short, _, rest = rules.partition(SHORT_ENDS)
        text = f"{short}\n{rest}" if length == "long" else short
        options = self.game.rules.to_json()
        named = ", ".join(f"{name} = {shown(value)}" for name, value in options.items())
        said = f"{text.strip()}\n\n" + (f"Options of this game: {named}\n" if named else "")
        return f"# {title}\n\n{self._said(said)}"

    def prompt(self, history: str | int = "all", budget: int | None = None) -> str:
        """The table, the moves so far and the question, as this seat may know them.

        Args:
            history: "all", or how many of the last moves to tell.
            budget: most characters. The oldest moves are left out first, then the meanings of the forms of
                moves; facts of the table are never left out.

        Raises:
            SetupError: an argument is wrong, or the table alone is longer than `budget`.
        """
        if history != "all" and not (is_whole(history) and history >= 0):
            raise SetupError(f'history: expected "all" or a number from 0, not {shown(history)}')
        if budget is not None and not (is_whole(budget) and budget > 0):
            raise SetupError(f"budget: expected a number of characters from 1, not {shown(budget)}")
        lines = [self._said(line) for line in self.history]
        head, table, questions = self._head(), self._table(), [self._question(True), self._question(False)]
        for question in questions:
            for newest in range(len(lines) if history == "all" else min(int(history), len(lines)), -1, -1):
                parts = (head, table, _moves(lines, newest), question)
                text = "\n\n".join(filter(None, parts)) + "\n"
                if budget is None or len(text) <= budget:
                    return text
        raise SetupError(f"budget: the table alone takes {len(text):,} characters, more than {budget:,}")

    def legal_moves(self) -> list[str]:
        """The texts of the legal moves, if it is this seat's turn; prompts list them only for games without
        `move_forms`.
        """
        return list(self._legal().values())

    def parse(self, answer: str) -> Move | Illegal | Unreadable:
        """Read the move in an answer's last JSON object; guess no move from anything else."""
        if not isinstance(answer, str):
            return Unreadable("expected a text")
        try:
            said = said_move(answer)
        except UnreadableError as error:
            return Unreadable(str(error))
        legal = self._legal()
        if not legal:
            return Illegal("it is not your move")
        try:
            action = find_move(said, legal)
        except IllegalActionError:
            return self._refusal(said, legal)
        return Move(action, legal[action])

    def retry_text(self, answer: str) -> str:
        """What to say to an answer that has no legal move; "" if it has one."""
        found = self.parse(answer)
        if isinstance(found, Illegal):
            rule = f" (rule {found.rule_id})" if found.rule_id and found.rule_id not in found.reason else ""
            return f"This move is not legal: {found.reason}{rule}. Choose another move. {ANSWER}\n"
        if isinstance(found, Unreadable):
            return (
                f"Your answer could not be read: {found.reason}. This says nothing about the move. {ANSWER}\n"
            )
        return ""

    # ------------------------------------------------------------ parts

    def _legal(self) -> dict[int, str]:
        """Texts of the legal moves of this seat by action."""
        game = self.game
        if game.player != self.seat:
            return {}
        return {action: self._said(game.move_text(action)) for action in game.legal_actions()}

    def _refusal(self, said: str, legal: dict[int, str]) -> Illegal:
        key = move_key(said)
        for action, text in self.game.illegal_texts().items():
            if move_key(self._said(text)) == key:
                why = self._said(self.game.why_not(action))
                rule = RULE.search(why)
                return Illegal(f"{shown(self._said(text))} {why}", rule[0] if rule else None)
        for form, meaning in self.game.spec.move_forms:
            form, meaning = self._said(form), self._said(meaning)
            if begins(said, form.split()[0]):
                rule = RULE.search(meaning)
                why = f"not possible here and now; {form}: {meaning}"
                return Illegal(f"{shown(said)}: {why}", rule[0] if rule else None)
        return Illegal(f"{shown(said)}: {fault(said, legal)}")

    def _head(self) -> str:
        n = int(self.game.states[0].num_players)
        title = self._said(self.game.spec.title)
        return f"The game is {title}, the players are player_0 to player_{n - 1}. You are player_{self.seat}."

    def _table(self) -> str:
        board = self.game.board(self.seat).strip("\n")
        here = " ".join(board.split())
        named = {name: id for name, id in self.game.ids_of_names().items() if name in here}
        ids = "; ".join(f"{name} = {id}" for name, id in named.items())
        return self._said(board + (f"\n\nIn moves these are called: {ids}" if ids else ""))

    def _question(self, meanings: bool) -> str:
        game = self.game
        if game.over:
            return "The game is over."
        if game.player != self.seat:
            return "It is not your move."
        forms = game.spec.move_forms
        if not forms:
            moves = "\n".join(f"- {text}" for text in self.legal_moves())
            why = "The game declares no forms of moves, so these are the legal ones:"
            return f"It is your move. {why}\n{moves}\n\n{ANSWER}"
        if meanings:
            said = "\n".join(f"- {form}: {meaning}" for form, meaning in forms)
            said = f"Forms of moves; words in capitals stand for names:\n{said}"
        else:
            said = "Forms of moves: " + " | ".join(form for form, _ in forms if form[0].islower())
        return f"It is your move. {self._said(said)}\n\n{ANSWER}"


def _moves(lines: Sequence[str], newest: int) -> str:
    """The last `newest` moves, oldest first, and how many earlier moves are left out."""
    if not lines:
        return ""
    out = len(lines) - newest
    head = "The moves so far, oldest first, as you saw them"
    left = f" ({out} earlier left out)" if out else ""
    return "\n".join([f"{head}{left}:", *lines[out:]])


# ---------------------------------------------------------------- answers

MOST = 1_000_000  # most characters of an answer
MOST_BROKEN = 200  # an answer with more objects that are no JSON is refused, so that time stays linear

# The beginning of an object, or of a list of objects; such a list counts as a list, not as objects.
_BEGINNING = re.compile(r'(?:\[\s{0,9})?\{\s*["}]')


class Pairs(list[tuple[str, object]]):
    """The pairs of a JSON object in their order, so that a repeated key is noticed."""


class UnreadableError(ValueError):
    """An answer has no move; the message says why."""


_DECODER = json.JSONDecoder(object_pairs_hook=Pairs)


def said_move(answer: str) -> str:
    """The text of `"move"` in an answer's last object outside all other objects and lists.

    Prose, code fences and earlier objects are skipped. An object that breaks off or is no JSON counts too, up
    to its first fault; nothing is read from this part, because it may not be meant. Takes linear time.

    Raises:
        UnreadableError: there is no such object, or it does not have exactly one text as its move.
    """
    if len(answer) > MOST:
        raise UnreadableError(f"the answer has more than {MOST:,} characters")
    found, broken, at = None, 0, 0
    while begun := _BEGINNING.search(answer, at):
        at = begun.start()
        try:
            found, at = _DECODER.raw_decode(answer, at)
        except RecursionError:
            raise UnreadableError("the JSON is nested too deeply") from None
        except json.JSONDecodeError as error:
            broken += 1
            if broken > MOST_BROKEN:
                raise UnreadableError(f"more than {MOST_BROKEN} objects are no JSON") from None
            found, at = f"the last object is no JSON: {error.msg}", max(error.pos, at + 1)
    return _move_in(found)


def _move_in(found: object) -> str:
    if found is None:
        raise UnreadableError("there is no JSON object in the answer")
    if isinstance(found, str):
        raise UnreadableError(found)
    if not isinstance(found, Pairs):
        raise UnreadableError("the last JSON value is a list, not one object")
    moves = [value for key, value in found if key == "move"]
    if len(moves) != 1:
        how_often = "twice or more" if moves else "not"
        raise UnreadableError(f'the key "move" stands {how_often} in the last JSON object')
    if not isinstance(moves[0], str):
        raise UnreadableError('"move" is no text')
    return moves[0]
