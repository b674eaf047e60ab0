"""What every game uses: errors, checks of what comes in, compiled code and its cache, agents, many games."""
