"""Renames a game's words in texts, so that a language model cannot recognise the game."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from spacemission_env.core.game import Game

CONSONANTS, VOWELS, LAST = "bdfgklmnprtvz", "aiou", "kvxz"  # words of these look like few English ones
SPELLED = re.compile(r"(?:[A-Z][\d?]+)+")  # an id made of letters and numbers, such as J1S2
ARTICLE = re.compile(r"^(?:a|an|the)\s+", re.IGNORECASE)
RULE = re.compile(r"\b([A-Z]{2})-\d+\b")
ENDINGS = "(?:s|es|ed|ing|ned|ning|ting)?"


class NeutralNames:
    """A one-to-one map of a game's words: title, names of components, `GameSpec.own_words`, letters of ids.

    Calling it with a text returns the text with these words replaced; all other words, and the rules of the
    game, stay the same.
    """

    def __init__(self, game: Game, seed: int) -> None:
        """Make up the new words; `seed` and the words of the game determine them."""
        groups = dict(_groups(game))  # every spelling → the word that stands for all its spellings
        rng = random.Random(f"{game.spec.name} {seed}")
        heads = sorted(set(groups.values()))
        taken = {word.lower() for word in groups} | set(re.findall("[a-z]+", game.spec.rules_text.lower()))
        words: dict[str, str] = {}
        letters = [one for one in "BCDEFGHKMNOPQRTUVWXYZ" if one not in groups]
        rng.shuffle(letters)
        for head in heads:
            words[head] = letters.pop() if len(head) == 1 else _new_word(rng, taken)
        self._words = {spelling: words[head] for spelling, head in groups.items()}
        prefixes = sorted(set(RULE.findall(game.spec.rules_text)))
        self._prefixes = {prefix: 2 * letters.pop() for prefix in prefixes}
        long = sorted((one for one in self._words if len(one) > 1), key=lambda one: (-len(one), one))
        spelled = "|".join(re.escape(one).replace(r"\ ", r"\s+") for one in long)
        short = [re.escape(one) for one in self._words if len(one) == 1]
        self._long = re.compile(rf"(?<![A-Za-z])(un)?({spelled})({ENDINGS})(?![A-Za-z])(  +)?", re.IGNORECASE)
        self._short = re.compile(rf"(?<![A-Za-z'’])(?:{'|'.join(short) or '(?!)'})(?![A-Za-z])")

    def __call__(self, text: str) -> str:
        """The text in neutral words; tables keep their columns as far as the blanks between columns allow."""
        text = RULE.sub(lambda rule: rule[0].replace(rule[1], self._prefixes.get(rule[1], "RR")), text)
        parts, at = [], 0
        for found in self._long.finditer(text):
            parts += [self._letters(text[at : found.start()]), self._renamed(found)]
            at = found.end()
        return "".join([*parts, self._letters(text[at:])])

    def _letters(self, text: str) -> str:
        return self._short.sub(lambda one: self._words[one[0]], text)

    def _renamed(self, found: re.Match[str]) -> str:
        said = found[2]
        word = self._words[" ".join(said.lower().split())]
        if said.isupper():
            word = word.upper()
        elif said[0].isupper():
            word = word.capitalize()
        new = f"{found[1] or ''}{word}{found[3]}"
        blanks = found[4] or ""
        return new + " " * (max(1, len(found[0]) - len(new)) if blanks else 0)


def _new_word(rng: random.Random, taken: set[str]) -> str:
    while True:
        word = "".join(map(rng.choice, (CONSONANTS, VOWELS, CONSONANTS, VOWELS, LAST)))
        if word not in taken:
            taken.add(word)
            return word


def _groups(game: Game) -> Iterator[tuple[str, str]]:
    """Yield spellings of the game's words, in lower case except single letters, and what each stands for."""
    spec = game.spec
    for word in (*spec.title.replace("!", "").split(), *spec.name.split("_")):
        if len(word) > 2:
            yield word.lower(), word.lower()
    box = game.components.to_json()
    for name in _names({key: value for key, value in box.items() if key != "name"}, ""):
        if len(name) == 1:
            yield name, name
        elif not SPELLED.fullmatch(name):
            bare = ARTICLE.sub("", name.lower(), count=1)
            yield bare, "_".join(re.findall(r"\w+", bare))
    for variants in spec.own_words:
        first, *_ = spellings = variants.split("|")
        for word in spellings:
            yield (word, first) if len(word) == 1 else (word.lower(), first.lower())


def _names(value: object, key: str) -> Iterator[str]:
    """Yield the names and ids in the game's components, given as JSON."""
    if isinstance(value, dict):
        for inner, one in value.items():
            yield from _names(one, inner)
    elif isinstance(value, list):
        for one in value:
            yield from _names(one, key)
    elif isinstance(value, str) and key in ("name", "id", "cards"):
        yield value
