"""These commands start, adopt, list, show and end sessions."""
