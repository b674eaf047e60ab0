"""Tournaments of agents: every game kept as it ends, so that a stopped one goes on where it was.

A tournament is defined (`definition.py`: `define`) and held (`hold.py`: `hold_tournament`). The parts: which
games there are (`schedule.py`), how they are played in a process (`play.py`) and by several (`engine.py`,
`local_engine.py`, `ray_engine.py`), what an agent forfeits a game by (`forfeits.py`), what is kept of each
game (`journal.py`, `collect.py`), the folder (`folder.py`), the sums (`tally.py`), who plays what when and
when it ends (`run.py`), the figures (`figures.py`) and the ratings among them (`ratings.py`).
"""
