"""Generates a page for each environment: a table of its facts, taken from the environment itself."""

from __future__ import annotations

from typing import NamedTuple

from spacemission_env.core.game_spec import GameSpec, find_game
from spacemission_env.frontends.aec import GameAEC

NOTE = "<!-- Made by `make docs` from the tables in the code; do not edit. -->\n\n"
REWARDS = {
    "win": "+1 split among the winners, -1 split among the others",
    "rank": "equal steps from +1 for the first to -1 for the last",
    "score_margin": "own total less the best other total, divided by 100",
    "uploads": "own filled story points less the mean of the others, divided by 6",
    "chips": "chips taken less chips put in",
}
SHAPED = "0 before the end, unless they are [shaped](environments.md#shaping)"


class Text(NamedTuple):
    """What the code does not say: the import line, the call, the end, and pages of the game."""

    imports: str
    call: str
    ends: str
    pages: dict[str, str]
    picture: str = ""


TEXTS = {
    "space_mission": Text(
        "from spacemission_env import space_mission_v0",
        "space_mission_v0.env(num_players=3)",
        "all agents terminate together: enough space tiles are taken, or round {max_rounds} is over "
        "(option `max_rounds`; with `at_round_limit=\"truncate\"` they are truncated then)",
        {"rules": "rules.md", "options": "rules_options.md", "moves": "actions.md", "observation": "observation.md"},
        "![A position of Space Mission](game.svg)",
    ),
    "planet_hexx": Text(
        "from spacemission_env import planet_hexx_v0",
        "planet_hexx_v0.env(num_players=2)",
        "all agents terminate together: a player has filled all six story points, or each has had {max_turns} turns "
        "(option `max_turns`; with `at_round_limit=\"truncate\"` they are truncated then); such a game has no winner",
        {"rules": "planet_hexx_rules.md", "options": "environments.md#options", "moves": "planet_hexx_actions.md",
         "observation": "planet_hexx_observation.md"},
        "![A position of Planet Hexx](planet_hexx.svg)",
    ),
    "kuhn_poker": Text(
        "from spacemission_env.frontends import aec",
        'aec.env("kuhn_poker", num_players=2)',
        "all agents terminate together: all have checked, or all others have answered the bet (KP-6)",
        {},
    ),
}  # fmt: skip


def facts(spec: GameSpec) -> dict[str, str]:
    """The rows of the table."""
    text, env = TEXTS[spec.name], GameAEC(game=spec)
    space, first = env.observation_spaces["player_0"], env.possible_agents[0]
    identity = "".join(word.capitalize() for word in spec.name.split("_")) + "-v0"
    rules = spec.make_rules(None).to_json()
    rewards = [
        f"`{name}`{' (default)' if name == spec.reward_names[0] else ''}: {REWARDS[name]}"
        for name in spec.reward_names
    ]
    moves = f"; [moves]({text.pages['moves']})" if text.pages else "; 0 check or fold, 1 bet or call"
    pieces = f"; [its pieces]({text.pages['observation']})" if text.pages else "; its pieces below"
    return {
        "import": f"`{text.imports}`",
        "make": f"`{text.call}`",
        "PettingZoo's registry": f'`pettingzoo.make("aec", "spacemission/{spec.name}-v0")`',
        "Gymnasium": f'`gymnasium.make("{identity}")`, `gymnasium.make_vec("{identity}", 256, '
        'vectorization_mode="vector_entry_point")` ([one learner](environments.md#gymnasium-one-learner))',
        "OpenSpiel": f'`pyspiel.load_game("spacemission_{spec.name}")` ([more](openspiel.md))',
        "agents": f"{spec.player_numbers}, default {len(env.possible_agents)}: `{first}` to "
        f"`player_{spec.max_players - 1}`, in seat order",
        "turns": "AEC: one step is one decision; a seat may decide several times in a row. "
        "[No parallel API](environments.md#pettingzoo-all-seats)",
        "action space": f"`{env.action_spaces['player_0']}`{moves}",
        "action mask": f"`{space['action_mask']}`, exact; zero for a seat that is not to move",
        "observation space": f"`{space['observation']}`{pieces}",
        "state space": f"{spec.observation_size} numbers a seat: the observations of all, for a central critic",
        "hidden information": "yes; chance in the deal"
        + ("" if spec.name == "kuhn_poker" else " and during the game"),
        "rewards": "; ".join(rewards) + f"; {SHAPED}",
        "ends": text.ends.format(**rules),
        "illegal moves": '`illegal="raise"` (default): an error, nothing changes; "lose": the game ends',
        "scores in `info`": ", ".join(f"`{name}`" for name in spec.score_names),
        "play by hand": f"`spacemission play --human --game {spec.name}`, or `spacemission web`",
        "versions": f"`{spec.env}`: since 0.1.0; observation layout {spec.layout_version} "
        "([what the numbers promise](stable.md#formats-and-their-numbers))",
    }


def page(name: str) -> str:
    """The page of an environment."""
    spec, text = find_game(name), TEXTS[name]
    links = ", ".join(f"[{what}]({where})" for what, where in text.pages.items())
    goal = spec.how_to_play.split("\n\n")[0]
    table = "\n".join(f"| {what} | {said} |" for what, said in facts(spec).items())
    parts = [
        f"# {spec.env}",
        NOTE + f"Read this page to see the facts of {spec.title} as an environment.",
        text.picture,
        goal,
        f"| fact | {spec.title} |\n| --- | --- |\n{table}",
        "[Environments](environments.md) has the options and examples"
        + (f"; the game has pages of its own: {links}." if links else "."),
        "" if text.pages else "## Rules\n\n" + rules(spec),
        "" if text.pages else "## Observation\n\n" + layout_table(spec),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def rules(spec: GameSpec) -> str:
    """The rules of a game whose only page this is."""
    return "\n".join(f"- {line}" for line in spec.rules_text.strip().splitlines())


def layout_table(spec: GameSpec) -> str:
    """The pieces of the observation."""
    rows = ["| piece | indices | shape | whole number | divided by | meaning |", "|" + " --- |" * 6]
    for p in spec.layout.values():
        span = f"{p.start}–{p.start + p.size - 1}" if p.size > 1 else str(p.start)
        cells = (f"`{p.name}`", span, " × ".join(map(str, p.shape)), p.values, str(p.unit), p.meaning)
        rows.append("| " + " | ".join(cells) + " |")
    return "\n".join(rows)


PAGES = {f"{find_game(name).env}.md": lambda name=name: page(name) for name in TEXTS}
