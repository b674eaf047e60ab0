"""Commands of the program `spacemission` that train."""
