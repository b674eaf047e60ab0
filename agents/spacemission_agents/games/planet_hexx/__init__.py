"""Planet Hexx: what the agents' storey has of it."""
