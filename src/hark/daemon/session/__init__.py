"""What the daemon does for one session: its courier chooses a message, delivers it by a channel or a carrier, and records what became of it."""
