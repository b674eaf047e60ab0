"""The pages; `generators` holds what makes some of them. Not part of the wheel."""
