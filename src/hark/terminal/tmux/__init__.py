"""The tmux server: its control mode, the quoting of its commands, and what it knows about panes and clients."""
