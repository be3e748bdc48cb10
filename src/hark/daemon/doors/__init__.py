"""Where agents' programs reach the daemon: hook reports, editors that agents open, and agents' own APIs."""
