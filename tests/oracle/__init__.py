"""Independent rules implementation used to check the engine."""
