-- Browsers that may look at the dashboard, what their users have seen, and what became of alerts.

CREATE TABLE browsers (
    id TEXT PRIMARY KEY,
    user TEXT NOT NULL,
    digest TEXT NOT NULL UNIQUE,
    is_read_only INTEGER NOT NULL,
    user_agent TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    last_seen_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;

-- The subject is the id of a session (seq is its nudge_seq), `message:` and the id of a message, or `away` (seq is that of an event).
CREATE TABLE acknowledgements (
    user TEXT NOT NULL,
    subject TEXT NOT NULL,
    seq INTEGER NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (user, subject)
) STRICT;

CREATE TABLE notifications (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    user TEXT NOT NULL,
    browser_id TEXT,
    session_id TEXT NOT NULL,
    nudge_seq INTEGER NOT NULL,
    channel TEXT NOT NULL,
    outcome TEXT NOT NULL,
    reason TEXT NOT NULL
) STRICT;

CREATE INDEX messages_unsettled ON messages (sequence)
WHERE status IN ('uncertain', 'dead', 'failed', 'expired');
