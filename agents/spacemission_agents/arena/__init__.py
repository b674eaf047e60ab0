"""Plays games between agents, and tournaments that can be stopped and resumed.

- `games.py` plays a list of games (`play_games`); its `GameBatch` is the one loop that plays.
- `tournament.py` defines a tournament (games by number: `schedule.py`), `run_tournament.py` runs it, in
  worker processes (`workers.py`, `ray_workers.py`), in each a `player.py`. `asking.py` asks this package's
  agents, `bots.py` those of others, which `bot_server.py` runs in processes of their own. `journal.py` and
  `folder.py` keep the results.
- `shares.py`, `tally.py`, `ratings.py`, `sequential.py`, `aivat.py` and `aivat_rollouts.py` compute the
  figures, `report.py` puts them together.
"""
