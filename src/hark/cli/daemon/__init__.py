"""Commands about the daemon and the shell."""
