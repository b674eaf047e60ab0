"""What writes pages, figures and pictures: `make docs`, and two by hand."""
