"""Plays games between agents, and tournaments that can be stopped and resumed.

- `schedule.py` defines a tournament and numbers its games; `tournament.py` checks and runs it.
- `play.py` plays games: a list of them (`play_games`) or those of a tournament.
- `workers.py` plays in processes of this machine or of a Ray cluster; `results.py` stores the games.
- `shares.py`, `ratings.py` and `sequential.py` compute win shares, ratings and tests; `report.py` makes the
  reports.
"""
