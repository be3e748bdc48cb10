"""Does what is due at a certain time: messages expire, reminders fire, notices are sent, and old records are deleted."""
