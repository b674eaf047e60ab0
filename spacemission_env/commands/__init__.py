"""Commands of the program `spacemission` that need only the environment."""
