"""What the daemon does for one session: its courier looks at the session, lets `next_step` decide, and carries out what it says."""
