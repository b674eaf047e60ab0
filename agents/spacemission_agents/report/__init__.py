"""The reports of `arena` and `play`: their JSON, the page, figures as people read them."""
