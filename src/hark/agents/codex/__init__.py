"""Codex: its data file, the client of its app-server, and how it trusts hooks."""
