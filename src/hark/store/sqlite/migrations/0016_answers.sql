-- The final words of the turn in which an agent has worked on a message.

CREATE TABLE answers (
    message_id TEXT PRIMARY KEY REFERENCES messages (id) ON DELETE CASCADE,
    text TEXT NOT NULL,
    source TEXT NOT NULL,
    is_cut INTEGER NOT NULL,
    reason TEXT NOT NULL,
    at INTEGER NOT NULL
) STRICT;
