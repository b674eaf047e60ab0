"""Networks that play from the observation: inputs, layers, model folders."""
