"""An error in a game's compiled function names its author's file and line."""

import sys
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from traceback import extract_tb
from typing import Any

import numpy as np
import pytest

from spacemission_env.core.compiling import decorator
from spacemission_env.core.errors import CompileError

STATE = np.dtype((np.record, [("left", "i1")]))
SOURCE = """from pathlib import Path
from spacemission_env.core.compiling import make_njit
njit = make_njit(Path(__file__))

@njit
def other(s):
    return s.left

@njit
def apply(s, t):
    return {code}

@njit
def apply_batch(states, t):
    for i in range(len(states)):
        if states[i].left > 5:
            raise ValueError("too many")
        apply(states[i], t)
"""


def written(folder: Path, code: str) -> Callable[..., Any]:
    file = folder / "my_game.py"
    file.write_text(SOURCE.format(code=code))
    spec = spec_from_file_location("my_game", file)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    made: Callable[..., Any] = module.apply_batch
    return made


@pytest.mark.parametrize("linked", [True, False])
@pytest.mark.parametrize(
    ("code", "reason", "place"),
    [
        ("s.one", "KeyError: 'one'", "11"),
        ("s.left.one()", "Unknown attribute 'one' of type int8", "11"),
        ("other(s, 1)", "Cannot bind 'args", "11, calling other"),
        ("1 if s.left else 'a'", "Cannot unify ", "11"),
        ("nothing(s)", "NameError: name 'nothing' is not defined", "18, calling apply"),
        ("f'{s.left:>3}'", "not supported yet" if sys.version_info < (3, 13) else "unsupported opcode", "11"),
    ],
)
def test_an_error_at_compiling_names_file_and_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, reason: str, place: str, linked: bool
) -> None:
    if not linked:
        monkeypatch.setattr(decorator, "LinkedDispatcher", None)
    with pytest.raises(CompileError) as caught:
        written(tmp_path, code)(np.zeros(2, STATE), 3)
    line = str(caught.value).replace("Can't unify", "Cannot unify")  # numba's words differ by Python
    assert line.startswith("apply_batch: cannot be compiled: ") and reason in line
    assert line.endswith(f" (my_game.py:{place})") and "\n" not in line


def test_an_error_that_compiled_code_raises_names_file_and_line(tmp_path: Path) -> None:
    run = written(tmp_path, "s.left")
    run(np.zeros(2, STATE), 3)
    with pytest.raises(ValueError, match="too many") as caught:
        run(np.full(2, (6,), STATE), 3)
    last = extract_tb(caught.tb)[-1]
    assert (Path(last.filename).name, last.lineno) == ("my_game.py", 17)
