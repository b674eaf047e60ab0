"""Checks the texts of moves, boards, records and results, and that hidden moves stay hidden."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from spacemission_env.core.errors import IllegalActionError, SpaceMissionError, shown
from spacemission_env.core.game import Game
from spacemission_env.core.move_texts import find_move, move_key
from spacemission_env.records.reader import replay_file
from spacemission_env.records.writer import GameRecord, RecordWriter
from spacemission_env.testing.sample import Sample

RECORDS = 3  # games to write and read


def check_words(sample: Sample) -> Iterator[str]:
    """Check boards, results, and the text and words of each legal move; hidden moves must look alike."""
    for i in range(len(sample.states)):
        game = sample.game(i)
        where = sample.where(i)
        for seat in range(sample.players):
            if not game.board(seat).strip():
                yield f"{where}: text.board: expected a board for seat {seat}"
                return
        game.open_board()
        if game.over:
            game.result_words([f"agent {seat}" for seat in range(sample.players)])
            if not isinstance(game.end_words(), str):
                yield f"{where}: end_words: expected a text"
                return
        for action in game.legal_actions():
            if "\n" in game.words(action):
                yield f"{where}: text.move_words of action {action}: expected one line"
                return
        problem = text_problem(game) or _shown_too_much(sample, game)
        if problem:
            yield f"{where}: {problem}"
            return


def text_problem(game: Game) -> str | None:
    """Describe the first legal move that its text does not identify; None if all texts identify their moves.

    Upper and lower case and the number of blanks must not matter.
    """
    named: dict[str, tuple[int, str]] = {}
    for action in game.legal_actions():
        text = game.move_text(action)
        if not isinstance(text, str) or not text.isprintable() or " ".join(text.split()) != text or not text:
            return f"move_text of action {action}: expected words with a blank between, not {shown(text)}"
        other, before = named.setdefault(move_key(text), (action, text))
        if other != action:
            return f"move_text: actions {other} and {action} are {before!r} and {text!r}, which are alike"
    texts = dict(named.values())
    whole = list(texts)[int(game.states["decisions"][0]) % len(texts)] if texts else None
    for action, text in texts.items():
        # Try only one form for each move: a position may have a hundred moves.
        forms = text, f"\t{text.swapcase().replace(' ', '  ')}\n", "".join(text.split()).upper()
        form = forms[action % len(forms)]
        try:
            # Try `parse_move` with only one move of a position: it is slow, as it makes all texts again.
            found = game.parse_move(form) if action == whole else find_move(form, texts)
        except IllegalActionError as error:
            return f"parse_move: {shown(form)}, action {action}, is refused: {error}"
        if found != action:
            return f"parse_move: {shown(form)} gives action {found}, expected {action}"
    return None


def _shown_too_much(sample: Sample, game: Game) -> str | None:
    """Describe two moves that `move_seen` or `words` lets a seat tell apart though it must not; else None.

    It must not if the moves lead to different states in which its key and its observation are equal.
    """
    actions, after = game.legal_actions(), {}
    for action in actions:
        after[action] = game.clone()
        after[action].step(action)
    for seat in range(sample.players):
        if seat == game.player:
            continue
        seen: dict[object, tuple[int, bytes, tuple[str | None, str]]] = {}
        for action, then in after.items():
            known = then.information_state_key(seat), then.observe(seat).tobytes()
            shown = (game.move_seen(action, seat), game.words(action, seat))
            one, state, before = seen.setdefault(known, (action, then.states.tobytes(), shown))
            if state == then.states.tobytes() or before == shown:
                continue
            what = "move_seen" if before[0] != shown[0] else "text.move_words"
            return f"{what}: reveals to seat {seat} which of the moves {one} and {action} was made"
    return None


def check_records(sample: Sample, seed: int) -> Iterator[str]:
    """Check that records can be replayed, and that the set-up of a deal gives the same table as the deal."""
    rng = np.random.default_rng(seed)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "games.jsonl"
        with RecordWriter(file) as writer:
            for number in range(RECORDS):
                game: Game = sample.template.clone()
                game.reset(seed + number)
                setup, record = game.setup_json(), GameRecord(game, ["bot"] * sample.players)
                laid: Game = sample.template.clone()
                laid.reset(seed + number, setup)
                if laid.setup_json() != setup or _seen(laid) != _seen(game):
                    yield f"{sample.players} players, seed {seed + number}: setup_json gives another table"
                    return
                while not game.over:
                    action = int(rng.choice(game.legal_actions()))
                    record.before(action)
                    game.step(action)
                record.finish()
                writer.add(record)
        try:
            games = list(replay_file(file))
            for replayed in games:
                replayed.finish()
        except SpaceMissionError as error:
            why = str(error).replace(str(file), "games.jsonl")
            yield f"{sample.players} players: a record is refused: {why}"
            return
        if len(games) != RECORDS or any(replayed.cut for replayed in games):
            yield f"{sample.players} players: a record is not replayed to the end"


def _seen(game: Game) -> list[bytes]:
    return [game.observe(seat).tobytes() for seat in range(game.num_players)]


def check_results(sample: Sample) -> Iterator[str]:
    """Check that rewards are finite, and that "win" pays the winners most."""
    spec = sample.spec
    for i in map(int, np.flatnonzero(sample.states["over"] != 0)):
        game, where = sample.game(i), sample.where(i)
        for name in spec.reward_names:
            paid = game.rewards(name)
            if not np.isfinite(paid).all():
                yield f"{where}: reward {name!r}: expected finite numbers, got {paid.tolist()}"
                return
        won = game.rewards("win")
        if not game.winners():  # a truncated game may have no winner
            continue
        if len({won[seat] for seat in game.winners()}) != 1 or won.max() != won[game.winners()[0]]:
            yield f"{where}: reward 'win': expected the same, highest reward for each winner"
            return
