-- What agents ask their humans, and how each question has ended.

CREATE TABLE questions (
    id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    text TEXT NOT NULL,
    channel TEXT NOT NULL,
    agents_id TEXT NOT NULL,
    tool TEXT NOT NULL,
    is_command INTEGER NOT NULL,
    is_cut INTEGER NOT NULL,
    detail TEXT NOT NULL,
    directory TEXT NOT NULL,
    parts TEXT NOT NULL,
    asked_at INTEGER NOT NULL,
    ended_at INTEGER,
    how_ended TEXT,
    answer TEXT NOT NULL,
    answered_by TEXT,
    answered_as TEXT NOT NULL
) STRICT;

CREATE INDEX questions_of_session ON questions (session_id, asked_at);

CREATE INDEX questions_by_age ON questions (asked_at);

CREATE INDEX questions_open ON questions (asked_at)
WHERE ended_at IS NULL;
