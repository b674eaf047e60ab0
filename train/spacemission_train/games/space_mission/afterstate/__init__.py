"""Learning what positions are worth by playing oneself (temporal differences)."""
