"""Defines `Game`: set-ups, moves and views of Planet Hexx."""

from __future__ import annotations

from spacemission_env.core import game as core
from spacemission_env.core.arguments import is_whole
from spacemission_env.core.errors import ComponentsError, SetupError, shown
from spacemission_env.core.reading import Json
from spacemission_env.core.rules_options import check_setup_start
from spacemission_env.games.planet_hexx.actions import SEGMENTS, move_of
from spacemission_env.games.planet_hexx.components.deck import Deck, deck_of
from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.spec import SPEC
from spacemission_env.games.planet_hexx.view import contents, seat_view
from spacemission_env.games.planet_hexx.words import board as texts
from spacemission_env.games.planet_hexx.words.cards import card_text, name_within, without_article
from spacemission_env.games.planet_hexx.words.moves import move_words, reason


class Game(core.Game):
    """One game of Planet Hexx; arguments as for `core.game.Game`.

    A `setup` is `{"start_player": 1, "files": [4, 0], "deck": ["wormhole", …]}`: the first player, the
    Mission File of each seat, and the deck before the hands are dealt, its top card last.
    """

    spec = SPEC
    components: Deck

    def _check_box(self) -> None:
        """Raise ComponentsError if there are too few Mission Files (HX-1)."""
        if self.components.files < self.num_players:
            raise ComponentsError(
                f"components {self.components.name!r}: {self.components.files} Mission Files are too few for "
                f"{self.num_players} players"
            )

    def _lay(self, seed: int, setup: Json) -> None:
        if not isinstance(setup, dict) or set(setup) != {"start_player", "files", "deck"}:
            raise SetupError(f"setup: expected start_player, files and deck, not {shown(setup)}")
        n, start, files = self.num_players, setup["start_player"], setup["files"]
        check_setup_start(start, int(self.parameters[0]["start_player"]), n)
        of = self.components.files
        whole = isinstance(files, list | tuple) and all(is_whole(file) for file in files)
        if not whole or len(files) != n or len(set(files)) != n or not set(files) <= set(range(of)):
            raise SetupError(
                f"setup: files: expected a list of {n} different numbers from 0 to {of - 1}, "
                f"not {shown(files)}"
            )
        deck = self._checked_deck(setup["deck"])
        self.spec.batch.deal_one(self.states, 0, self.parameters, n, seed)
        s = self.states[0]
        s.start_player = s.active = start
        s.file[:n] = files
        s.deck[: len(deck)] = deck

    def _checked_deck(self, given: object) -> list[int]:
        cards = self.components.cards
        kinds = {card.id: kind for kind, card in enumerate(cards)}
        whole = sorted(card.id for card in cards for _ in range(card.copies))
        if (
            not isinstance(given, list | tuple)
            or sorted(map(str, given)) != whole
            or not {*given} <= {*kinds}
        ):
            raise SetupError("setup: deck: expected all cards of the deck in any order")
        return [kinds[card] for card in given]

    # Functions with the game as first argument; here they become methods.
    _seen = seat_view
    contents = contents
    board, open_board = texts.board, texts.open_board
    result_words, end_words = texts.result_words, texts.end_words
    _move_words = move_words

    def glossary(self) -> dict[str, str]:
        """What each card does, by the name that it has in descriptions of moves."""
        deck = deck_of(self)
        texts = {name_within(card.name): card_text(deck, card) for card in deck.cards}
        return {name: text for name, text in texts.items() if text}

    def ids_of_names(self) -> dict[str, str]:
        """The id of each card whose name differs from it, by the name without an article."""
        bare = {without_article(card.name): card.id for card in self.components.cards}
        return {name: id for name, id in bare.items() if name.lower().replace(" ", "_") != id}

    def setup_json(self) -> Json:
        """The set-up of a game right after `reset`."""
        s = self._started()
        return {
            "start_player": int(s.start_player),
            "files": [int(file) for file in s.file[: self.num_players]],
            "deck": [self.components.cards[kind].id for kind in s.deck[: s.deck_size]],
        }

    def _move_text(self, action: int) -> str:
        return " ".join(filter(None, move_of(self.states[0], self.components, action)))

    def _why_not(self, action: int) -> str:
        name = next(segment.name for segment in SEGMENTS if action <= segment.last)
        return f"({name}) is illegal: {reason(self, action)}"

    def move_seen(self, action: int, seat: int | None) -> str | None:
        """The move's text as a seat sees it; a pass in a Surprise window is hidden from other seats."""
        text = self.move_text(action)
        passes = int(self.states[0].asked) == c.WINDOW and int(action) == c.PASS
        return None if passes and seat not in (None, self.player) else text

    def secret_may_follow(self, action: int) -> bool:
        """Whether a Surprise window could follow this move if `always_ask` were set (HR-13)."""
        if int(self.states[0].asked) == c.WINDOW and int(action) == c.PASS:
            return True  # the pass is hidden, so for others the window may continue
        asking = self.clone()
        asking.parameters = self.parameters.copy()
        asking.parameters["always_ask"] = 1
        for frame in asking.states[0].stack:
            if frame.kind == c.ANSWERING:
                frame.taken = 0  # as if no seat had passed, since passes are hidden
        asking.step(action)
        return not asking.over and int(asking.states[0].asked) == c.WINDOW
