"""The daemon's workers. They are async, and they decide nothing that the pure parts can decide."""
