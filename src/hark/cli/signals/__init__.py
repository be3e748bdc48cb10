"""These commands print and hear what agents announce."""
