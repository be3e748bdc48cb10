-- Requests that start something and came with an idempotency key, so that the same key starts nothing twice.

CREATE TABLE requests (
    key TEXT PRIMARY KEY,
    digest TEXT NOT NULL,
    session_id TEXT NOT NULL,
    answer TEXT,
    begun_at INTEGER NOT NULL
) STRICT;

CREATE INDEX requests_by_age ON requests (begun_at);
