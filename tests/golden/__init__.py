"""Games kept move by move, and `make_golden`, which writes them."""
