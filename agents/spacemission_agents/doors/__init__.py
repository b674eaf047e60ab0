"""Opens the games to language models: OpenEnv, verifiers, MCP; each needs the extra of its name."""
