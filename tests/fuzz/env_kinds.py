"""Inputs of the environment: components files, set-ups, rules, records; and saved games (saved.py)."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Callable
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Any

from spacemission_env.core.errors import SpaceMissionError
from spacemission_env.games.planet_hexx.components.parse import load_components as load_deck
from spacemission_env.games.planet_hexx.words.cards import card_text
from spacemission_env.games.space_mission.components import load_components
from spacemission_env.games.space_mission.game import Game
from spacemission_env.games.space_mission.options import PRESETS, Rules, make_rules
from spacemission_env.records.reader import replay_file
from spacemission_env.records.writer import GameRecord, RecordWriter
from tests.fuzz import saved, worlds
from tests.fuzz.mutate import as_json, mutated_bytes, mutated_value
from tests.support.random_components import box_data, file_text

MOST_DECISIONS = 1500  # of a game whose options let it last for ever


class Kind:
    """A kind of input: where it comes from, how it is changed and read, and what is then done with it."""

    share = 1.0

    def __init__(self, rng: random.Random, folder: Path) -> None:
        self.folder = folder

    def mutate(self, rng: random.Random) -> Any:
        raise NotImplementedError

    def read(self, value: Any) -> Any:
        """What an accepted input is; SpaceMissionError where it is refused."""
        raise NotImplementedError

    def use(self, rng: random.Random, read: Any) -> None:
        """Whatever an accepted input is for; nothing may fail."""


def play(rng: random.Random, game: Game) -> None:
    """To its end by random moves, or far enough."""
    for _ in range(MOST_DECISIONS):
        if game.over:
            break
        game.step(rng.choice(game.legal_actions()))
        if rng.random() < 0.05:
            game.observe()
    game.scores_json()


class SavedGames(Kind):
    share = 5.0

    def __init__(self, rng: random.Random, folder: Path) -> None:
        self.seeds = saved.seeds(rng)

    def mutate(self, rng: random.Random) -> Any:
        return saved.mutate(rng, rng.choice(self.seeds))

    def read(self, value: Any) -> Any:
        return value, Game.from_json(value)

    def use(self, rng: random.Random, read: Any) -> None:
        saved.use(rng, *read)


class Worlds(Kind):
    share = 2.0

    def __init__(self, game: str, rng: random.Random, folder: Path) -> None:
        self.seeds = worlds.seeds(game, rng)

    def mutate(self, rng: random.Random) -> Any:
        return worlds.mutate(rng, rng.choice(self.seeds))

    def read(self, value: Any) -> Any:
        return worlds.read(value)

    def use(self, rng: random.Random, read: Any) -> None:
        worlds.use(rng, read)


class ComponentsFiles(Kind):
    share = 4.0

    def __init__(self, rng: random.Random, folder: Path) -> None:
        super().__init__(rng, folder)
        shipped = resources.files("spacemission_env.games.space_mission.data")
        self.seeds = [shipped.joinpath(name).read_bytes() for name in ("default.toml", "new_components.toml")]
        self.seeds += [file_text(box_data(i)).encode() for i in range(3)]

    def mutate(self, rng: random.Random) -> bytes:
        return mutated_bytes(rng, rng.choice(self.seeds))

    def read(self, value: bytes) -> Any:
        (self.folder / "box.toml").write_bytes(value)
        return load_components(self.folder / "box.toml")

    def use(self, rng: random.Random, read: Any) -> None:
        game = Game(rng.randint(2, 5), "printed,max_rounds=5", read)
        game.reset(rng.randrange(2**40))
        play(rng, game)


class DeckFiles(Kind):
    """Decks of Planet Hexx."""

    share = 2.0

    def __init__(self, rng: random.Random, folder: Path) -> None:
        super().__init__(rng, folder)
        shipped = resources.files("spacemission_env.games.planet_hexx.data")
        self.seeds = [shipped.joinpath(name).read_bytes() for name in ("deck.toml", "new_deck.toml")]

    def mutate(self, rng: random.Random) -> bytes:
        return mutated_bytes(rng, rng.choice(self.seeds))

    def read(self, value: bytes) -> Any:
        (self.folder / "deck.toml").write_bytes(value)
        return load_deck(self.folder / "deck.toml")

    def use(self, rng: random.Random, read: Any) -> None:
        for card in read.cards:
            card_text(read, card)
        assert read.sha256


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
    stream = io.StringIO()
    RecordWriter(stream).add(record)
    return stream.getvalue().encode()


KINDS: dict[str, Callable[[random.Random, Path], Kind]] = {
    "saved": SavedGames,
    **{f"world-{game}": partial(Worlds, game) for game in worlds.RULES},
    "components": ComponentsFiles,
    "deck": DeckFiles,
    "setup": SetUps,
    "rules": RulesTexts,
    "record": Records,
}


def is_refusal(error: BaseException) -> bool:
    """Whether it is one printable line of a typed error."""
    text = str(error)
    return isinstance(error, SpaceMissionError) and bool(text) and text.isprintable() and len(text) <= 600
