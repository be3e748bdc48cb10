"""The daemon as a process: its locks, log, clocks and directories, how it restarts, and how it keeps failures apart."""
