"""The daemon's workers: async, and deciding nothing that the pure parts can decide."""
