"""Reports of `arena` and `play` as HTML and text."""
