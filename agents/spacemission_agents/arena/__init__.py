"""Plays games between agents, and tournaments that can be stopped and resumed.

- `games.py` plays a list of games: `play_games`. Tournaments use its class `GameBatch` too.
- `tournament.py` defines a tournament, `schedule.py` numbers its games, `run_tournament.py` runs it.
- `workers.py` and `ray_workers.py` start worker processes. Each worker plays games by a `player.py`.
- `asking.py` calls the agents of this package. `bots.py` calls other agents, each in a process of its own,
  which `bot_server.py` starts.
- `journal.py` and `folder.py` store the results.
- `shares.py`, `tally.py`, `ratings.py` and `sequential.py` compute win shares, ratings and tests;
  `report.py` makes the reports.
"""
