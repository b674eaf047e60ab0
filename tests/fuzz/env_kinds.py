"""Fuzzed inputs of the environment: components files, set-ups, rules, records."""

import json
import random
import tomllib
from collections.abc import Callable, Sequence
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Any

from spacemission_env.core.errors import SpaceMissionError
from spacemission_env.games.planet_hexx.components.deck import Deck
from spacemission_env.games.planet_hexx.components.parse import components_from_data as deck_from_data
from spacemission_env.games.planet_hexx.components.parse import load_components as load_deck
from spacemission_env.games.planet_hexx.words.cards import card_text, story
from spacemission_env.games.planet_hexx.words.icons import card_icons
from spacemission_env.games.space_mission.components import load_components
from spacemission_env.games.space_mission.game import Game
from spacemission_env.games.space_mission.options import PRESETS, Rules, make_rules
from spacemission_env.records.reader import replay_file
from spacemission_env.records.writer import GameRecord
from tests.fuzz.mutate import as_json, mutated_bytes, mutated_value
from tests.support.planet_hexx_decks import words_deck
from tests.support.random_components import box_data, file_text

MOST_DECISIONS = 1500  # of a game whose options let it last for ever


class Kind:
    """A kind of input: its sources, how to mutate and read it, and how to use an accepted input."""

    share = 1.0

    def __init__(self, rng: random.Random, folder: Path) -> None:
        self.folder = folder

    def mutate(self, rng: random.Random) -> Any:
        raise NotImplementedError

    def read(self, value: Any) -> Any:
        """Read an input; SpaceMissionError: it is refused."""
        raise NotImplementedError

    def use(self, rng: random.Random, read: Any) -> None:
        """Use an accepted input; nothing may fail."""


def play(rng: random.Random, game: Game) -> None:
    """Play a game by random moves to its end or for `MOST_DECISIONS`."""
    for _ in range(MOST_DECISIONS):
        if game.over:
            break
        game.step(rng.choice(game.legal_actions()))
        if rng.random() < 0.05:
            game.observe()
    game.scores_json()


class Files(Kind):
    """Files of one kind: mutated bytes are read as a file of that name."""

    def __init__(
        self,
        rng: random.Random,
        folder: Path,
        name: str,
        seeds: Callable[[], Sequence[bytes]],
        load: Callable[[Path], Any],
        use: Callable[[random.Random, Any], None] = lambda rng, read: None,
        share: float = 1.0,
    ) -> None:
        self.path, self.seeds, self.load, self.serve, self.share = folder / name, seeds(), load, use, share

    def mutate(self, rng: random.Random) -> bytes:
        return mutated_bytes(rng, rng.choice(self.seeds))

    def read(self, value: bytes) -> Any:
        self.path.write_bytes(value)
        return self.load(self.path)

    def use(self, rng: random.Random, read: Any) -> None:
        self.serve(rng, read)


def shipped(package: str, *names: str) -> list[bytes]:
    """Data files of a package."""
    return [resources.files(package).joinpath(f"data/{name}.toml").read_bytes() for name in names]


def boxes() -> list[bytes]:
    """The components files in the package, and random ones."""
    made = [file_text(box_data(i)).encode() for i in range(3)]
    return shipped("spacemission_env.games.space_mission", "default", "new_components") + made


def use_box(rng: random.Random, box: Any) -> None:
    game = Game(rng.randint(2, 5), "printed,max_rounds=5", box)
    game.reset(rng.randrange(2**40))
    play(rng, game)


class Decks(Kind):
    """Decks of Planet Hexx: bytes of a file, and changed data."""

    share = 2.0

    def __init__(self, rng: random.Random, folder: Path) -> None:
        self.path = folder / "deck.toml"
        self.seeds = shipped("spacemission_env.games.planet_hexx", "deck", "new_deck")
        self.data = [tomllib.loads(self.seeds[0].decode()), words_deck()]

    def mutate(self, rng: random.Random) -> Any:
        if rng.random() < 0.5:
            return mutated_bytes(rng, rng.choice(self.seeds))
        return mutated_value(rng, rng.choice(self.data))

    def read(self, value: Any) -> Deck:
        if not isinstance(value, bytes):
            return deck_from_data(value, "deck.toml")
        self.path.write_bytes(value)
        return load_deck(self.path)

    def use(self, rng: random.Random, read: Deck) -> None:
        for card in read.cards:
            assert card_text(read, card).isprintable()
            card_icons(card)
        for mission in read.missions:
            assert story(mission, [card.name for card in read.cards[:6]])
        data = json.loads(json.dumps(read.to_json()))
        del data["sha256"]
        assert deck_from_data(data, "again").sha256 == read.sha256


class SetUps(Kind):
    share = 2.0

    def __init__(self, rng: random.Random, folder: Path) -> None:
        self.seeds = []
        for players in range(2, 6):
            game = Game(players, "printed,max_rounds=5")
            game.reset(rng.randrange(2**40))
            self.seeds.append((players, game.setup_json()))

    def mutate(self, rng: random.Random) -> Any:
        players, setup = rng.choice(self.seeds)
        return players, mutated_value(rng, setup)

    def read(self, value: Any) -> Game:
        game = Game(value[0], "printed,max_rounds=5")
        game.reset(1, value[1])
        return game

    def use(self, rng: random.Random, read: Game) -> None:
        play(rng, read)


class RulesTexts(Kind):
    share = 1.0

    def mutate(self, rng: random.Random) -> Any:
        options = [f"{name}={value}".lower() for name, value in Rules().to_json().items()]
        text = ",".join([rng.choice([*PRESETS, ""]), *rng.sample(options, rng.randint(0, 3))])
        if rng.random() < 0.3:
            return mutated_value(rng, Rules().to_json())
        return mutated_bytes(rng, text.encode()).decode("utf-8", "surrogateescape")

    def read(self, value: Any) -> Game:
        game = Game(3, make_rules(value))
        game.reset(1)
        return game

    def use(self, rng: random.Random, read: Game) -> None:
        play(rng, read)


class Records(Kind):
    share = 4.0

    def __init__(self, rng: random.Random, folder: Path) -> None:
        super().__init__(rng, folder)
        self.seeds = [_record(rng, players, rules) for players, rules in ((2, {}), (3, {"hand_size": 2}))]
        self.seeds.append(_record(rng, 5, {"space_tile_penalty": True}, rounds=8))  # with a shuffle

    def mutate(self, rng: random.Random) -> bytes:
        data = rng.choice(self.seeds[:2] if rng.random() < 0.8 else self.seeds)
        if rng.random() < 0.5:
            return mutated_bytes(rng, data)
        lines = data.splitlines()
        i = rng.randrange(len(lines))
        lines[i] = as_json(mutated_value(rng, json.loads(lines[i])))
        return b"\n".join(lines) + b"\n"

    def read(self, value: bytes) -> Any:
        path = self.folder / "games.jsonl"
        path.write_bytes(value)
        replay = replay_file(path)
        for game in replay:
            game.finish()
        return replay.note


def _record(rng: random.Random, players: int, rules: dict[str, Any], rounds: int = 2) -> bytes:
    game = Game(players, {"max_rounds": rounds, **rules})
    game.reset(rng.randrange(2**40))
    record = GameRecord(game, [f"agent {j}" for j in range(players)])
    while not game.over:
        action = rng.choice([a for a in game.legal_actions() if a < 32] or game.legal_actions())
        record.before(action)
        game.step(action)
    record.finish()
    return record.text().encode()


KINDS: dict[str, Callable[[random.Random, Path], Kind]] = {
    "components": partial(Files, name="box.toml", seeds=boxes, load=load_components, use=use_box, share=4.0),
    "deck": Decks,
    "setup": SetUps,
    "rules": RulesTexts,
    "record": Records,
}


def is_refusal(error: BaseException) -> bool:
    """Whether a typed error has a message of one printable line."""
    text = str(error)
    return isinstance(error, SpaceMissionError) and bool(text) and text.isprintable() and len(text) <= 600
