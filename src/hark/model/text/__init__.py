"""PURE: how people write things, and what they may write: names, durations, versions, and texts that could be taken for a header."""
