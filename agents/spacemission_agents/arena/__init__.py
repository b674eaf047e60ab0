"""Plays games between agents, and tournaments that can be stopped and resumed.

- `games.py` plays a list of games (`play_games`); its `GameBatch` is the one loop that plays.
- `tournament.py` defines a tournament, `run_tournament.py` runs it: games by number (`schedule.py`), played
  by worker processes (`workers.py`, `ray_workers.py`, in each a `player.py`), agents asked by `asking.py`,
  those of others in processes of their own (`bots.py`, `bot_server.py`), results kept by `journal.py` and
  `folder.py`.
- `shares.py`, `tally.py`, `ratings.py`, `sequential.py`, `aivat.py` and `aivat_rollouts.py` compute the
  figures, `report.py` puts them together.
"""
