"""The human's keys are held during a delivery: by the airlock, or by tmux on adopted panes."""
