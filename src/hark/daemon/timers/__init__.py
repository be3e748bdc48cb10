"""What happens at its time: messages expire, reminders fire, notices are sent, and old records are deleted."""
