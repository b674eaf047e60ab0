"""Games and tournaments as earlier versions played them, and `make_golden`, which writes the games."""
