"""Games with any rules and box hold together under deals, moves, copies, worlds, undo and records."""

import json
import random
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, reject, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.errors import ComponentsError, RulesError
from spacemission_env.core.game import Game, make_game
from spacemission_env.core.game_spec import OBSERVATIONS, find_game, game_names
from spacemission_env.games import kuhn_poker
from spacemission_env.games.planet_hexx import options as hexx
from spacemission_env.games.space_mission import options as space
from spacemission_env.records.reader import replay_file
from spacemission_env.records.writer import GameRecord
from spacemission_env.testing.batch_functions import position_problem
from tests.support.pieces import missing_pieces
from tests.support.random_components import random_box, small_box

# Ranges of the rules options, narrower where a game would take too long.
RANGES = {
    "kuhn_poker": kuhn_poker.Rules.RANGES,
    "planet_hexx": {**hexx.Rules.RANGES, "max_turns": (1, 20)},
    "space_mission": {**space.RANGES, "chips_per_player": (1, 20), "max_rounds": (1, 30)},
}
BOXES = {
    "space_mission": st.one_of(
        st.none(), *(st.builds(make, st.integers(0, 20)) for make in (random_box, small_box))
    )
}
SEEDS = st.integers(0, 2**63 - 1)


def any_rules(name: str) -> st.SearchStrategy[dict[str, object]]:
    """Some options of a game with any values."""
    options = {}
    for option, default in find_game(name).make_rules(None).to_json().items():
        ranges = RANGES.get(name, {})
        options[option] = st.integers(*ranges[option]) if option in ranges else st.just(default)
        if type(default) is bool:
            options[option] = st.booleans()
    return st.fixed_dictionaries({}, optional=options)


class Walk(RuleBasedStateMachine):
    """One game, beside it a batch of one, its moves, and the states before each of them."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.spec = find_game(name)

    @initialize(data=st.data(), seed=SEEDS)
    def deal(self, data: st.DataObject, seed: int) -> None:
        """Deal by a seed; the set-up that is read back lays the same table, in any game."""
        name = self.spec.name
        self.players = data.draw(st.integers(self.spec.min_players, self.spec.max_players))
        any_table = st.tuples(any_rules(name), BOXES.get(name, st.none()), st.sampled_from(OBSERVATIONS))
        table = data.draw(any_table)
        try:
            self.game: Game = make_game(self.spec, self.players, *table)
        except (RulesError, ComponentsError):  # of more seats, or more cards than the box has
            reject()
        self.batch = BatchedGames(1, self.players, *table, game=name)
        self.batch.deal(0, seed)
        self.game.reset(seed)
        self.dealt, laid = self.game.clone(), self.game.clone()
        laid.reset(5, json.loads(json.dumps(self.game.setup_json())))
        assert laid.setup_json() == self.game.setup_json() and laid.seed == 5
        for seat in range(self.players):
            assert (laid.observe(seat) == self.game.observe(seat)).all()
        self.moves: list[int] = []
        self.before: list[np.ndarray] = []

    @rule(moves=st.integers(1, 40), seed=SEEDS)
    def play(self, moves: int, seed: int) -> None:
        """Make moves of any kind, in the game, in a copy and in the batch."""
        rng, copy = random.Random(seed), self.game.clone()
        of_program = random.getstate(), repr(np.random.get_state())
        for _ in range(moves):
            if self.game.over:
                break
            kinds: dict[str, list[int]] = {}
            for action in self.game.legal_actions():
                kinds.setdefault(self.game.move_text(action).split()[0], []).append(action)
            self.moves.append(rng.choice(kinds[rng.choice(sorted(kinds))]))
            self.before.append(self.game.states.copy())
            assert self.batch.keys(self.batch.everyone)[0] == self.game.decision_key()
            for one in (self.game, copy):
                one.step(self.moves[-1])
            self.batch.step(self.batch.everyone, np.array(self.moves[-1:]))
        assert copy.states.tobytes() == self.game.states.tobytes()
        assert (random.getstate(), repr(np.random.get_state())) == of_program

    @rule(back=st.integers(1, 30))
    def undo(self, back: int) -> None:
        """Take moves back; the moves that are left lead there from the deal."""
        for _ in range(min(back, len(self.moves))):
            self.moves.pop()
            self.game = self.game.from_world(self.before.pop())
        self.batch.states[:] = self.game.states
        again = self.dealt.clone()
        for action in self.moves:
            again.step(action)
        assert again.states.tobytes() == self.game.states.tobytes()

    @rule(seed=SEEDS)
    def draw_worlds(self, seed: int) -> None:
        """A world of each seat looks the same to it, and can be played on."""
        was = self.game.states.tobytes()
        for seat in range(self.players):
            world = self.game.determinize(seat, seed)
            assert missing_pieces(world) is None and world.states.tobytes() != was
            assert world.information_state_key(seat) == self.game.information_state_key(seat)
            assert (world.observe(seat) == self.game.observe(seat)).all()
            assert (world.mask(seat) == self.game.mask(seat)).all()
            rng = random.Random(seed)
            for _ in range(10):
                if not world.over:
                    world.step(rng.choice(world.legal_actions()))
            assert missing_pieces(world) is None
        assert self.game.states.tobytes() == was

    @rule(seat=st.integers(0, 4))
    def show(self, seat: int) -> None:
        """Views are JSON and texts; pictures are drawn."""
        view = self.game.seat_json(seat % self.players)
        assert json.loads(json.dumps(view)) == view and "<svg" in self.game.picture(seat % self.players)
        assert self.game.board(seat % self.players) and self.game.open_board()

    @invariant()
    def it_holds_together(self) -> None:
        """All pieces are there, all agree on the moves, and views are within bounds."""
        game = self.game
        assert position_problem(self.spec, game.parameters, game.states) is None
        assert missing_pieces(game) is None and game.states.tobytes() == self.batch.states.tobytes()
        for seat in range(self.players):
            seen, mask = game.observe(seat), game.mask(seat)
            assert seen.min() >= 0 and seen.max() <= 1
            assert mask.any() == (seat == game.player)
        assert (game.player is None) == game.over == (game.legal_actions() == [])
        if not game.over:
            seen, masks = self.batch.view(self.batch.everyone)
            assert (seen[0] == game.observe()).all() and (masks[0] == game.mask()).all()

    def teardown(self) -> None:
        """The record of the game replays to the same end, or to where it was cut."""
        if not hasattr(self, "moves"):
            return
        game = self.dealt.clone()
        record = GameRecord(game, ["a"] * self.players)
        for action in self.moves:
            record.before(action)
            game.step(action)
        if game.over:
            record.finish()
        with tempfile.TemporaryDirectory() as folder:
            (file := Path(folder) / "game.jsonl").write_text(record.text(), "utf-8")
            replayed = next(replay_file(file))
            assert [decision.action for decision in replayed] == self.moves
            assert (replayed.cut is None) == game.over
            if "no shuffle" not in f"{replayed.cut}":  # else it stops before its last move
                replayed.game.recall = game.recall
                assert replayed.game.open_board() == game.open_board()


# No shrinking: an example is a whole game, so it would take minutes.
FEW = settings(
    max_examples=15, stateful_step_count=12, deadline=None, derandomize=True, database=None,
    phases=(Phase.explicit, Phase.generate), suppress_health_check=list(HealthCheck),
)  # fmt: skip


@pytest.mark.parametrize("name", game_names())
def test_a_game_holds_together_whatever_is_done_with_it(name: str) -> None:
    run_state_machine_as_test(lambda: Walk(name), settings=FEW)
