"""Training of Kuhn poker."""
