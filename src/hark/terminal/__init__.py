"""Terminals: a control-mode client for tmux, and the streams of what panes print. I/O, no decisions."""
