"""Many sessions, many messages: all delivered, in order, and what it costs."""
