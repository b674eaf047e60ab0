"""Fuzzed inputs of agents and the arena: model folders, weights, the folder of a tournament."""

import hashlib
import json
import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from spacemission_agents.arena.results import RESULTS_FILE, Collector, Games, ResultsFile, row_type
from spacemission_agents.arena.schedule import Limits
from spacemission_agents.arena.tournament import define
from spacemission_agents.games.space_mission.heuristic.weights import shipped_weights
from spacemission_agents.models.folder import CARD_FILE, WEIGHTS_FILE, load_model, save_model, tensor_shapes
from spacemission_agents.report.page import read_pictures
from spacemission_agents.weights import load_weights
from spacemission_env.core.agents import act_alone, make_agent, prepare_agents
from spacemission_env.core.errors import SpaceMissionError
from spacemission_env.games.space_mission.components import load_components
from spacemission_env.games.space_mission.game import Game
from spacemission_env.games.space_mission.options import Rules, make_rules
from tests.fuzz.env_kinds import Files, Kind, shipped
from tests.fuzz.mutate import as_json, mutated_bytes, mutated_value

NETWORKS: tuple[dict[str, Any], ...] = (
    {"hidden": [3], "activation": "relu"},
    {"hidden": [3, 2], "activation": "relu", "input": "afterstate_rated", "planets": 2},
)


class ModelFolders(Kind):
    share = 2.0

    def __init__(self, rng: random.Random, folder: Path) -> None:
        super().__init__(rng, folder)
        self.seeds = []
        for number, network in enumerate(NETWORKS):
            draw = np.random.default_rng(number)
            arrays = {
                name: draw.normal(size=shape).astype(np.float32)
                for name, shape in tensor_shapes(network).items()
            }
            card = {
                "rules": Rules().to_json(),
                "components_sha256": load_components().sha256,
                "network": network,
                "training": {"steps": 2},
            }
            model = folder / f"model{number}"
            save_model(model, arrays, card)
            self.seeds.append(((model / CARD_FILE).read_bytes(), (model / WEIGHTS_FILE).read_bytes()))
        (folder / "model").mkdir()

    def mutate(self, rng: random.Random) -> Any:
        card, weights = rng.choice(self.seeds)
        way = rng.randrange(3)
        if way == 0:
            return mutated_bytes(rng, card), weights
        table = json.loads(card)
        if way == 1:
            return as_json(mutated_value(rng, table)), weights
        weights = mutated_bytes(rng, weights[:3000], 1) + weights[3000:]
        if rng.random() < 0.8:  # as somebody would who means to
            table["weights_sha256"] = hashlib.sha256(weights).hexdigest()
        return json.dumps(table).encode(), weights

    def read(self, value: Any) -> Any:
        model = self.folder / "model"
        (model / CARD_FILE).write_bytes(value[0])
        (model / WEIGHTS_FILE).write_bytes(value[1])
        return load_model(model)

    def use(self, rng: random.Random, read: Any) -> None:
        card, _ = read
        agent = make_agent(f"policy:{self.folder / 'model'}")
        game = Game(3, make_rules(card["rules"]), observation=card["observation"])
        game.reset(1)
        try:
            prepare_agents([agent], game.info)
        except SpaceMissionError:  # trained for another box
            return
        assert game.why_illegal(int(act_alone(agent, game.ask())[0])) is None


def use_weights(rng: random.Random, read: Any) -> None:
    assert all(np.isfinite(read[name]).all() for name in read.dtype.names)


class Tournaments(Kind):
    share = 0.3

    def __init__(self, rng: random.Random, folder: Path) -> None:
        super().__init__(rng, folder / "tournament")
        self.folder.mkdir()
        self.tournament = define(["random", "greedy"], 2, Limits(10), records=1)
        rows = np.zeros(10, row_type(self.tournament))
        rows["game"] = np.arange(10)
        with ResultsFile(self.tournament, self.folder) as file:
            file.write(Games(rows))
        self.data = (self.folder / RESULTS_FILE).read_bytes()

    def mutate(self, rng: random.Random) -> Any:
        return mutated_bytes(rng, self.data, rng.randrange(1, 20))

    def read(self, value: Any) -> Any:
        for path in self.folder.iterdir():
            path.unlink()
        (self.folder / RESULTS_FILE).write_bytes(value)
        with ResultsFile(self.tournament, self.folder, resume=True) as file:
            collector = Collector(self.tournament)
            for rows in file.read():
                collector.add(rows)
        return collector


HOUSE = "spacemission_agents.games.space_mission"
KINDS: dict[str, Callable[[random.Random, Path], Kind]] = {
    "model": ModelFolders,
    "weights": partial(
        Files,
        name="weights.toml",
        seeds=lambda: shipped(HOUSE, "heuristic"),
        load=partial(load_weights, shipped=shipped_weights()),
        use=use_weights,
    ),
    "tournament": Tournaments,
    "picture": partial(
        Files,
        name="picture.png",
        seeds=lambda: [b"\x89PNG\r\n\x1a\n" + bytes(100)],
        load=lambda path: read_pictures([str(path)]),
        share=0.2,
    ),
}
