"""Values of afterstates for any game: what a value network reads, the network, and play by it."""
