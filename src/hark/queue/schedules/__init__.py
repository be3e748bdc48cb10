"""PURE: when something is due: reminders and cron lines, clocks that somebody set, and when old records are deleted."""
