"""Who plays the games of a tournament: processes here or on Ray; and those of other people's bots."""
