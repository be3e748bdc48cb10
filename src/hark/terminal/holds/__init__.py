"""Holds of the human's keys during a delivery: by the airlock, or by tmux on adopted panes."""
