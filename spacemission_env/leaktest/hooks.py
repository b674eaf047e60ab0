"""Makes twins of PettingZoo's classic games that hide something."""

from __future__ import annotations

import random
from typing import Any

from spacemission_env.leaktest.environments import clone

TRIES = 8  # attempts to make a twin in Hanabi


def poker(env: Any, seat: Any, rng: random.Random) -> Any:
    """Leduc and Texas hold'em: shuffle the other players' cards with the cards that are not yet dealt."""
    new = clone(env)
    game = new.unwrapped.env.game
    others = [p for i, p in enumerate(game.players) if i != new.unwrapped.possible_agents.index(seat)]
    hands = [p.hand if isinstance(p.hand, list) else [p.hand] for p in others]
    cards = [card for hand in hands for card in hand] + game.dealer.deck
    rng.shuffle(cards)
    for player, hand in zip(others, hands, strict=True):
        dealt = [cards.pop() for _ in hand]
        player.hand = dealt if isinstance(player.hand, list) else dealt[0]
    game.dealer.deck[:] = cards
    return new


def rock_paper_scissors(env: Any, seat: Any, rng: random.Random) -> Any:
    """Change the move that the other player has made and the seat has not answered yet."""
    if env.agent_selection != seat or env.agents[0] == seat:
        return None
    new = clone(env)
    new.unwrapped.state[env.agents[0]] = rng.randrange(env.action_space(seat).n)
    return new


def hanabi(env: Any, seat: Any, rng: random.Random) -> Any:
    """Deal other cards to the seat, which sees all hands but its own, in the OpenSpiel game behind it."""
    from spacemission_env.leaktest.openspiel import Seats, line_to, make_twin

    if env.terminations[seat]:
        return None
    new = clone(env)
    inner = new.unwrapped.hanabi_env
    line, player = line_to(inner.game_state), new.unwrapped.possible_agents.index(seat)
    tries = (make_twin(line, player, Seats(inner._env), rng) for _ in range(TRIES))
    made = next((made for made in tries if made), None)
    if made is None:
        return None
    inner.game_state = made[0]
    inner._update_action_masks()
    inner._update_observations()
    inner._choose_next_agent()
    new.unwrapped.agent_selection, new.unwrapped.infos = inner.agent_selection, inner.infos
    return new


HOOKS = {
    "pettingzoo:hanabi_v5": hanabi,
    "pettingzoo:leduc_holdem_v4": poker,
    "pettingzoo:rps_v2": rock_paper_scissors,
    "pettingzoo:texas_holdem_no_limit_v6": poker,
    "pettingzoo:texas_holdem_v4": poker,
}
