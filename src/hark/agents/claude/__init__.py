"""Claude Code: its data file, and the files that it writes about itself."""
