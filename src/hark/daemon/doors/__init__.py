"""The doors between agents and the daemon: hook reports, the editors that agents open, and the agents' own APIs."""
