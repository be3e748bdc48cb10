"""PURE: what hark tells people about messages and sessions: estimates, notices, needs and statistics."""
