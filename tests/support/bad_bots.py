"""Writes modules with bots; `BAD_BOTS` has bots that fail and die."""

import sys
from pathlib import Path

import pytest


def write_bots(folder: Path, monkeypatch: pytest.MonkeyPatch, **modules: str) -> None:
    """Write these modules to a folder and make it the working folder."""
    folder.mkdir(exist_ok=True)
    for name, text in modules.items():
        (folder / f"{name}.py").write_text(text)
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", ["", *sys.path])


BAD_BOTS = '''
import os
import numpy as np
from spacemission_env.core.agents import Agent


class Odd(Agent):
    """Plays the first legal action, but fails at some decisions, chosen by the key."""

    every = 0

    def act(self, decisions):
        actions = decisions.masks.argmax(1).astype(np.int64)
        for i, key in enumerate(decisions.keys.tolist()):
            if self.every and key % self.every == 0:
                actions[i] = self.err(actions[i])
        return actions


class Fine(Odd):
    pass


class Failing(Odd):
    every = 150

    def err(self, action):
        raise RuntimeError("out of ideas\\nand lines")


class Illegal(Failing):
    def err(self, action):
        return 10_000


class Form(Failing):
    def act(self, decisions):
        return super().act(decisions).reshape(-1, 1)

    def err(self, action):
        return 0


class Dying(Failing):
    every = 120

    def err(self, action):
        os._exit(3)
'''
