"""An agent that learnt what positions are worth, and plays the move behind which the position is worth most."""
