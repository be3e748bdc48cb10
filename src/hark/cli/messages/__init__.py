"""These commands send messages, show what became of them, and take them back."""
