"""What training knows of Planet Hexx."""
