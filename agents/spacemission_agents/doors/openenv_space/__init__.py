"""Opens the games to OpenEnv: one seat in text against named agents."""
