-- What an agent announced last and how it was heard; and, beside the session, what it takes to know an announcement again.

ALTER TABLE sessions ADD COLUMN signal_state TEXT;
ALTER TABLE sessions ADD COLUMN signal_text TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN signal_source TEXT;

CREATE TABLE signal_memories (
    session_id TEXT PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
    memory TEXT NOT NULL
) STRICT;

CREATE INDEX events_signals ON events (seq) WHERE kind = 'signal';
