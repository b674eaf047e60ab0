"""Reports of `arena` and `play`: the HTML page, and figures as people read them."""
