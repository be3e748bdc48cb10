"""PURE: what may become of a message, and in which order. No I/O, no clock."""
