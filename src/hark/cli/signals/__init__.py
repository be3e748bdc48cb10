"""Commands about what agents announce."""
