"""The agent of a session calls these commands."""
