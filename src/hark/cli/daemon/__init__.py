"""These commands run and inspect the daemon, and set up the shell."""
