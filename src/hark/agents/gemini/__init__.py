"""Gemini CLI: its data file, and how it gets hooks for one run."""
