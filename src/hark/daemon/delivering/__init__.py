"""The ways in which the daemon delivers a payload: by an agent's own API, by its hooks, and by keys into its terminal."""
