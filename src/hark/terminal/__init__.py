"""Terminals: a control-mode client for tmux, holds of the human's keys, and the streams of what panes print. This package does I/O and
makes no decisions."""
