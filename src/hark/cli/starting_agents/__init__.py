"""These commands start agents: one, in a session of its own or in this terminal; a whole team; or one that has ended, again."""
