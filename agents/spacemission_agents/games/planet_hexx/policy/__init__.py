"""What a trained policy of Planet Hexx reads, and how it runs."""
