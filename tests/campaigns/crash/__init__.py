"""The crash campaign: everything that can be taken away from the daemon is, while messages are on their way."""
