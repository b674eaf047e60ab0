"""Searches the moves of any game in worlds that its seat cannot tell from the true one."""
