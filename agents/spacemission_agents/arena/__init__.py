"""Games between agents, and tournaments: every game kept as it ends, so that a stopped one goes on.

`games.py` plays a list of games and returns their results; `jobs.py` plays those of one process. A tournament
is defined (`definition.py`) and held (`hold.py`): which games there are (`schedule.py`, `lineups.py`), how
they are played in a process (`play.py`) and by several (`workers/`), what is kept (`storage/`), who plays
what when (`run.py`), and the sums, ratings and figures (`figures/`).
"""
