"""A value of the positions behind moves, learnt from nothing; the move with the best one is played."""
