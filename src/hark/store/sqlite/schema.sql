-- The whole schema as it is today, for reading. A test compares it with all migrations applied; change both.

-- Instants are INTEGER microseconds since the epoch, truth values INTEGER 0 or 1, structures JSON in TEXT.

CREATE TABLE schema_version (
    version INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    applied_at INTEGER NOT NULL
) STRICT;

CREATE TABLE sessions (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL UNIQUE,
    agent TEXT NOT NULL,
    host TEXT NOT NULL,
    pane TEXT NOT NULL,
    command TEXT NOT NULL,
    directory TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    is_adopted INTEGER NOT NULL,
    state TEXT NOT NULL,
    gone_at INTEGER,
    airlock TEXT,
    do_not_disturb_since INTEGER,
    nudge_seq INTEGER NOT NULL,
    last_signal_at INTEGER
, signal_state TEXT, signal_text TEXT NOT NULL DEFAULT '', signal_source TEXT, hearing TEXT NOT NULL DEFAULT '', conversation TEXT NOT NULL DEFAULT '', transcript TEXT NOT NULL DEFAULT '', gone_because TEXT NOT NULL DEFAULT '', started_at INTEGER, heir_of TEXT, restart TEXT NOT NULL DEFAULT 'no', failures INTEGER NOT NULL DEFAULT 0, restart_at INTEGER, has_given_up INTEGER NOT NULL DEFAULT 0) STRICT;

-- AUTOINCREMENT: a place in the order of arrival is never given twice, even when messages are removed.
CREATE TABLE messages (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    target_session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    sender_session_id TEXT,
    sender_name TEXT,
    text TEXT NOT NULL,
    delivery_mode TEXT NOT NULL,
    status TEXT NOT NULL,
    hold_reason TEXT,
    held_since INTEGER,
    queued_at INTEGER NOT NULL,
    timeout_at INTEGER,
    staged_at INTEGER,
    delivered_at INTEGER,
    acknowledged_at INTEGER,
    completed_at INTEGER,
    ended_at INTEGER,
    attempts INTEGER NOT NULL,
    attempted_at INTEGER,
    channel TEXT,
    carrier TEXT,
    is_raw INTEGER NOT NULL,
    batch_id TEXT,
    idempotency_key TEXT,
    notify_on_delivery INTEGER NOT NULL,
    notify_after_seconds REAL,
    notify_on_stop INTEGER NOT NULL,
    notify_on_failure INTEGER NOT NULL,
    is_inbox INTEGER NOT NULL DEFAULT 0,
    interrupted_at INTEGER,
    authority TEXT,
    is_as_user INTEGER NOT NULL DEFAULT 0,
    in_reply_to TEXT,
    thread_id TEXT,
    hops INTEGER NOT NULL DEFAULT 0,
    is_alone INTEGER NOT NULL DEFAULT 0,
    is_kept_back INTEGER NOT NULL DEFAULT 0,
    CHECK ((status = 'held') = (hold_reason IS NOT NULL))
) STRICT;

CREATE INDEX messages_of_session ON messages (target_session_id, sequence);

CREATE INDEX messages_pending ON messages (sequence)
WHERE status IN ('queued', 'held', 'staged');

CREATE INDEX messages_pending_of_session ON messages (target_session_id, sequence)
WHERE status IN ('queued', 'held', 'staged');

-- Holds all that decides the order, so that a position is counted without touching the messages.
CREATE INDEX messages_position ON messages (target_session_id, delivery_mode, status, sequence, is_inbox, is_kept_back)
WHERE status IN ('queued', 'held', 'staged') AND is_inbox = 0 AND is_kept_back = 0;

CREATE INDEX messages_inbox ON messages (target_session_id, sequence)
WHERE is_inbox = 1 AND status = 'queued';

CREATE INDEX messages_timeout ON messages (timeout_at)
WHERE status IN ('queued', 'held', 'staged') AND timeout_at IS NOT NULL;

-- Retention looks for the oldest.
CREATE INDEX messages_by_age ON messages (queued_at);

CREATE INDEX messages_with_notices ON messages (sequence)
WHERE sender_session_id IS NOT NULL
  AND (notify_on_delivery = 1 OR notify_on_failure = 1 OR notify_on_stop = 1 OR notify_after_seconds IS NOT NULL);

CREATE INDEX messages_batch ON messages (batch_id)
WHERE batch_id IS NOT NULL;

CREATE INDEX messages_of_thread ON messages (thread_id, sequence)
WHERE thread_id IS NOT NULL;

CREATE UNIQUE INDEX messages_idempotency ON messages (target_session_id, idempotency_key)
WHERE idempotency_key IS NOT NULL;

CREATE TABLE answers (
    message_id TEXT PRIMARY KEY REFERENCES messages (id) ON DELETE CASCADE,
    text TEXT NOT NULL,
    source TEXT NOT NULL,
    is_cut INTEGER NOT NULL,
    reason TEXT NOT NULL,
    at INTEGER NOT NULL
) STRICT;

-- queue/lifecycle.py as rows: a receipt that tells of an illegal change cannot be stored.
CREATE TABLE transitions (
    previous_status TEXT NOT NULL,
    status TEXT NOT NULL,
    PRIMARY KEY (previous_status, status)
) STRICT;

CREATE TABLE receipts (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    message_id TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    previous_status TEXT NOT NULL,
    status TEXT NOT NULL,
    at INTEGER NOT NULL,
    reason TEXT,
    detail TEXT NOT NULL,
    channel TEXT,
    carrier TEXT,
    authority TEXT,
    had_draft INTEGER,
    FOREIGN KEY (previous_status, status) REFERENCES transitions (previous_status, status)
) STRICT;

CREATE INDEX receipts_of_message ON receipts (message_id, sequence);

-- No references: events outlive what they tell of. AUTOINCREMENT: a client resumes by seq, so none may come twice.
CREATE TABLE events (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    session_id TEXT,
    message_id TEXT,
    data TEXT NOT NULL
) STRICT;

-- A released lease keeps its row without an owner, so that the fence keeps growing.
CREATE TABLE leases (
    session_id TEXT PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
    owner TEXT,
    fence INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;

CREATE TABLE drafts (
    session_id TEXT PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
    message_id TEXT NOT NULL,
    text TEXT NOT NULL,
    cursor INTEGER NOT NULL,
    taken_at INTEGER NOT NULL,
    carrier TEXT NOT NULL
) STRICT;

CREATE TABLE reminders (
    id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    text TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    fire_at INTEGER NOT NULL,
    repeat TEXT,
    fired_at INTEGER,
    cancelled_at INTEGER,
    kind TEXT NOT NULL DEFAULT 'reminder',
    sender_session_id TEXT,
    sender_name TEXT,
    is_elapsed INTEGER NOT NULL DEFAULT 0,
    failures INTEGER NOT NULL DEFAULT 0,
    failure TEXT,
    set_aside_at INTEGER
) STRICT;

CREATE INDEX reminders_of_session ON reminders (session_id);

CREATE INDEX reminders_waiting ON reminders (fire_at)
WHERE fired_at IS NULL AND cancelled_at IS NULL;

CREATE TABLE signal_memories (
    session_id TEXT PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
    memory TEXT NOT NULL
) STRICT;

CREATE INDEX events_signals ON events (seq) WHERE kind = 'signal';

CREATE INDEX events_names ON events (seq) WHERE kind IN ('session.created', 'session.renamed');

CREATE TABLE requests (
    key TEXT PRIMARY KEY,
    digest TEXT NOT NULL,
    session_id TEXT NOT NULL,
    answer TEXT,
    begun_at INTEGER NOT NULL
) STRICT;

CREATE INDEX requests_by_age ON requests (begun_at);

-- Clocks of the daemon that outlive it, such as the one by which things are forgotten.
CREATE TABLE clocks (
    name TEXT PRIMARY KEY,
    at INTEGER NOT NULL
) STRICT;

-- What agents ask their humans.
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
