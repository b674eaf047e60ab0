"""Learning what the positions behind moves are worth, by temporal differences in games against oneself."""
