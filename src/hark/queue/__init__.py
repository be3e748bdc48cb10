"""PURE: what may happen to a message, and in which order. No I/O, no clock."""
