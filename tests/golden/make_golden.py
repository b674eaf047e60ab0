"""Makes the golden playthroughs: `python -m tests.golden.make_golden` writes tests/golden/*.jsonl.

They hold the game fast: a change of rules, random numbers, action numbers or record format shows as a
difference. Make them anew only for a change that is meant, and say so in the commit.
"""

from pathlib import Path

from spacemission_env.games.space_mission.actions import kind_of
from spacemission_env.games.space_mission.game import Game
from spacemission_env.games.space_mission.options import PRESETS, Rules
from spacemission_env.records.writer import GameRecord, RecordWriter

FOLDER = Path(__file__).parent

# File name: players, rules, seed.
GOLDEN: dict[str, tuple[int, Rules, int]] = {
    "2_players_printed.jsonl": (2, PRESETS["printed"], 22),
    "3_players_yucata.jsonl": (3, PRESETS["yucata"], 33),
    "4_players_penalty.jsonl": (4, Rules(space_tile_penalty=True, max_rounds=30), 44),
    "5_players_few_rounds.jsonl": (5, Rules(max_rounds=15), 55),
}
WEIGHTS = {"top_up": 2, "jump": 2, "fly": 2, "scan": 6, "develop": 12, "discover": 6, "take": 1}


def pick(game: Game) -> int:
    """A legal move from the decision's own random key, by kind first, so that games get somewhere."""
    groups: dict[str, list[int]] = {}
    for action in game.legal_actions():
        groups.setdefault(kind_of(action), []).append(action)
    drawn = [kind for kind in groups for _ in range(WEIGHTS[kind])]
    key = game.decision_key() >> 8
    group = groups[drawn[key % len(drawn)]]
    return group[(key >> 16) % len(group)]


def play(num_players: int, rules: Rules, seed: int) -> GameRecord:
    """The record of one game."""
    game = Game(num_players, rules)
    game.reset(seed=seed)
    record = GameRecord(game, ["golden"] * num_players)
    while not game.over:
        action = pick(game)
        record.before(action)
        game.step(action)
    record.finish()
    return record


def main() -> None:
    """Write all files."""
    for name, arguments in GOLDEN.items():
        with RecordWriter(FOLDER / name) as writer:
            writer.add(play(*arguments))


if __name__ == "__main__":
    main()
