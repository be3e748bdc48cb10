"""OpenCode: its data file, and the client of its HTTP API."""
