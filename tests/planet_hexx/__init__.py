"""Planet Hexx: its rules, what seats know, and the house around it."""
