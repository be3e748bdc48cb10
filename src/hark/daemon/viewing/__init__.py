"""What people see of the daemon: browsers that may look, rows of sessions, alerts, and live terminals."""
