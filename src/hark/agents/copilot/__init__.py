"""GitHub Copilot CLI: its data file, and where its instructions are."""
