"""One file per command: a thin client of the API over the unix socket that imports nothing heavy until it must."""
