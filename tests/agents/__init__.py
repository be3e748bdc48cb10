"""Real agents, at pinned versions that `scripts/agents-install` installs, in private terminals, with the stand-in as model."""
