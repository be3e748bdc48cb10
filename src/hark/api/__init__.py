"""HTTP and WebSocket on the unix socket (and on loopback TCP when configured): a thin face of the daemon."""
