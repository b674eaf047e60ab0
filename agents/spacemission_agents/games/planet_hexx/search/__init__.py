"""The agent `ismcts` of Planet Hexx."""
