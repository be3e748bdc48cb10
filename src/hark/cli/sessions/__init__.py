"""These commands list, show, name, hold and end sessions."""
