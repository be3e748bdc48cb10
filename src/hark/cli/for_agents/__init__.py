"""Commands for the agent of a session."""
