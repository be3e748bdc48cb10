-- Urgent messages, notices to senders, and the end of what is old.

ALTER TABLE messages ADD COLUMN interrupted_at INTEGER;

ALTER TABLE reminders ADD COLUMN kind TEXT NOT NULL DEFAULT 'reminder';

CREATE INDEX messages_by_age ON messages (queued_at);

CREATE INDEX messages_with_notices ON messages (sequence)
WHERE sender_session_id IS NOT NULL
  AND (notify_on_delivery = 1 OR notify_on_failure = 1 OR notify_after_seconds IS NOT NULL);

CREATE INDEX messages_batch ON messages (batch_id)
WHERE batch_id IS NOT NULL;

-- An agent that is interrupted before it has answered puts the prompt back into its box.
INSERT INTO transitions (previous_status, status)
VALUES ('submitted', 'queued'), ('acknowledged', 'queued'), ('completed', 'queued');
