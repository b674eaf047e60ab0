"""A small OpenSpiel game of cards, with one fault by parameter: `planted_cards(fault=tensor)`."""

import json
from types import SimpleNamespace

import numpy as np
import pyspiel

CARDS, MOVES = 4, 3
TYPE = pyspiel.GameType(
    short_name="planted_cards",
    long_name="Cards with a planted fault",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=2,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=True,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification={"fault": "none"},
)
INFO = pyspiel.GameInfo(
    num_distinct_actions=2,
    max_chance_outcomes=CARDS,
    num_players=2,
    min_utility=-1.0,
    max_utility=1.0,
    utility_sum=0.0,
    max_game_length=MOVES + 2,
)


class Cards(pyspiel.Game):
    def __init__(self, params=None):
        super().__init__(TYPE, INFO, params or {})
        self.fault = (params or {}).get("fault", "none")

    def new_initial_state(self):
        return Position(self)

    def make_py_observer(self, iig_obs_type=None, params=None):
        return Observer(self.fault, iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False))


class Position(pyspiel.State):
    """Each player gets one of four cards; then three public moves, 0 or 1; the higher card wins."""

    def __init__(self, game):
        super().__init__(game)
        self.fault, self.cards, self.moves, self.turn = game.fault, [], [], 0

    def current_player(self):
        if len(self.moves) == MOVES:
            return pyspiel.PlayerId.TERMINAL
        return self.turn if len(self.cards) == 2 else pyspiel.PlayerId.CHANCE

    def is_terminal(self):
        return len(self.moves) == MOVES

    def chance_outcomes(self):
        left = [card for card in range(CARDS) if card not in self.cards]
        return [(card, 1 / len(left)) for card in left]

    def _legal_actions(self, player):
        return [0] if self.fault == "legal" and self.cards[1 - player] == 0 else [0, 1]

    def legal_actions_mask(self, player):
        mask = [int(action in self.legal_actions(player)) for action in range(2)]
        return [1, 0] if self.fault == "mask" and self.cards[1 - player] == 0 else mask

    def _apply_action(self, action):
        if len(self.cards) < 2:
            self.cards.append(action)
            if len(self.cards) == 2 and self.fault == "turn":
                self.turn = int(self.cards[1] > self.cards[0])
            return
        self.moves.append(action)
        self.turn = 1 - self.turn
        if self.fault == "forced pass" and self.cards[self.turn] == 0:
            self.turn = 1 - self.turn  # passes without being asked

    def _action_to_string(self, player, action):
        secret = f" against {self.cards[1 - player]}" if self.fault == "words" and player >= 0 else ""
        return f"{'deal' if player < 0 else 'move'} {action}{secret}"

    def returns(self):
        if not self.is_terminal() and not (self.fault == "reward" and self.moves):
            return [0.0, 0.0]
        return [1.0, -1.0] if self.cards[0] > self.cards[1] else [-1.0, 1.0]

    def to_observation_struct(self, player):
        secret = {"other": self.cards[1 - player]} if self.fault == "struct" else {}
        text = json.dumps({"card": self.cards[player], "moves": self.moves, **secret})
        return SimpleNamespace(to_json=lambda: text)

    def resample_from_infostate(self, player, rng):
        if self.fault == "truth":
            return self.clone()
        left = [card for card in range(CARDS) if card != self.cards[player]]
        if self.fault == "one world":
            left = left[:1]
        if self.fault == "distribution":
            left += left[:1] * 2
        new = list(self.cards)
        new[1 - player] = left[int(rng() * len(left))]
        if self.fault == "resampled hand":
            new = [new[1 - player], new[player]] if player else [new[1], new[0]]
        state = self.get_game().new_initial_state()
        for action in [*new, *self.moves]:
            state.apply_action(action)
        return state

    def __str__(self):
        return f"{self.cards} {self.moves}"


class Observer:
    def __init__(self, fault, kind):
        self.fault, self.recall = fault, kind.perfect_recall
        self.private = kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        self.tensor = np.zeros(2 + 2 * CARDS + MOVES, np.float32)
        self.dict = {
            "player": self.tensor[:2],
            "cards": self.tensor[2 : 2 + 2 * CARDS].reshape(2, CARDS),
            "moves": self.tensor[-MOVES:],
        }

    def set_from(self, state, player):
        self.tensor[:] = 0
        self.dict["player"][player] = 1
        if len(state.cards) < 2:  # OpenSpiel asks for the shape so
            return
        if self.private:
            self.dict["cards"][0, state.cards[player]] = 1
        self.dict["moves"][: len(state.moves)] = [1 + move for move in state.moves]
        tells = {"tensor": self.recall, "observation tensor": not self.recall, "public": not self.private}
        if self.private == (self.fault != "public") and tells.get(self.fault):
            self.dict["cards"][1, state.cards[1 - player]] = 1

    def string_from(self, state, player):
        moves = state.moves[-1:] if self.fault == "forgets" and self.recall else state.moves
        text = f"p{player} {state.cards[player] if self.private else ''} {moves}"
        return text + (
            f" {state.cards[1 - player]}" if self.fault == "text" and self.private and not self.recall else ""
        )


pyspiel.register_game(TYPE, Cards)
