"""Asks bots, programs in any language that read and write JSON lines, for moves.

- `protocol.py` makes and reads the messages, as its JSON Schema describes them.
- `process.py` runs a program and ends all that it started, by `keeper.py`.
- `bot.py` asks a bot for moves: `Bot` for tournaments, `CommandAgent` (`command:…`) everywhere else.
- `host.py` runs an agent `module:Class` as a bot; `check.py` explains what a bot does wrong.
"""
