"""Plays games of scripted agents in the verifiers door: good, broken and silent ones, rewards by seat."""

import asyncio
import json
import random
import sys
from collections import Counter
from contextlib import asynccontextmanager
from types import SimpleNamespace

import verifiers.v1 as vf

from spacemission_env import make_game

GAMES = int(sys.argv[1]) if len(sys.argv) > 1 else 20


class Scripted:
    """Has the two methods of an agent; says a random move of Kuhn poker in its way."""

    def __init__(self, way: str, rng: random.Random) -> None:
        self.way, self.rng, self.told, self.used = way, rng, [], False
        self.trace = vf.Trace.model_construct(rewards={}, metrics={}, errors=[])

    @asynccontextmanager
    async def interaction(self, task: vf.Task):
        assert "Kuhn" in task.data.system_prompt and task.data.prompt is None
        self.used = True
        yield self

    async def turn(self, message: str) -> vf.Segment:
        self.told.append(message)
        if self.way == "fails":
            self.trace.errors.append("no server")
        if self.way in ("silent", "fails"):
            return vf.Segment(messages=[], terminated=True)
        table = next(text for text in reversed(self.told) if "in the pot" in text)
        moves = ["call", "fold"] if "2 in the pot" in table else ["check", "bet"]
        said = f"Perhaps steal. {json.dumps({'move': self.rng.choice(moves)})}"
        if self.way == "prose" or (self.way == "mends" and len(self.told) % 2):
            said = "I bet."
        return vf.Segment(messages=[vf.AssistantMessage(content=said)])


async def play(env: vf.Env, task: vf.Task, seed: int) -> str:
    rng = random.Random(seed)
    ways = [rng.choice(["plays", "plays", "mends", "prose", "silent", "fails"]) for _ in range(5)]
    players = [Scripted(way, rng) for way in ways]
    try:
        await env.run(task, SimpleNamespace(**{f"player_{j}": one for j, one in enumerate(players)}))
    except RuntimeError:
        assert "fails" in ways and not any(one.trace.rewards for one in players)
        return "fails"
    seats = [j for j, name in enumerate(task.data.seats) if name == "model"]
    assert [j for j, one in enumerate(players) if one.used] == seats
    rewards = {j: players[j].trace.rewards["win"].score for j in seats}
    forfeits = [j for j in seats if players[j].trace.metrics["forfeited"]]
    assert len(seats) < 2 or abs(sum(rewards.values())) < 1e-9, rewards
    for j in seats:
        assert ("prose" in ways[j]) <= all("could not be read" in text for text in players[j].told[1:3])
        assert not any(" seed" in text for text in players[j].told)
        if j in forfeits:
            assert ways[j] in ("prose", "silent") and rewards[j] == -1
    return "forfeits" if forfeits else "rules"


async def main() -> None:
    assert make_game("kuhn_poker").spec.max_players >= 2
    ended = Counter()
    for seats in ("model,model", "model,random"):
        taskset = {"id": "spacemission_verifiers", "game": "kuhn_poker", "seats": seats, "games": GAMES // 2}
        config_class = vf.env_config_type(taskset["id"])
        env = vf.load_environment(config_class(taskset=taskset))
        assert type(env).__name__ == "SeatsEnv"
        shared, own = set(vf.EnvConfig.model_fields), set(vars(type(env.config))["__annotations__"])
        assert own & shared == {"taskset"}, own & shared  # a field of ours must not hide one of theirs
        tasks = list(env.taskset)
        assert len(tasks) == GAMES // 2 and len({task.key for task in tasks}) == len(tasks)
        for seed, task in enumerate(tasks):
            ended[await play(env, task, seed)] += 1
    print(ended)
    assert set(ended) == {"fails", "forfeits", "rules"}


asyncio.run(main())
