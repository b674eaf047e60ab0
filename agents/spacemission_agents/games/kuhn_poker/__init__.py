"""What the agents' storey has of Kuhn poker: what luck was worth."""
