"""Training of Planet Hexx."""
