-- Which session's queue a session has taken over. When hark starts the agent of a session again by itself, how often the agent has failed in a row, and when it starts again.

ALTER TABLE sessions ADD COLUMN heir_of TEXT;

ALTER TABLE sessions ADD COLUMN restart TEXT NOT NULL DEFAULT 'no';

ALTER TABLE sessions ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;

ALTER TABLE sessions ADD COLUMN restart_at INTEGER;

ALTER TABLE sessions ADD COLUMN has_given_up INTEGER NOT NULL DEFAULT 0;

INSERT INTO transitions (previous_status, status)
VALUES
    ('queued', 'queued');

-- Questions, which go alone, and messages that wait for a human to release them, which keep no other message waiting.

ALTER TABLE messages ADD COLUMN is_alone INTEGER NOT NULL DEFAULT 0;

ALTER TABLE messages ADD COLUMN is_kept_back INTEGER NOT NULL DEFAULT 0;

DROP INDEX messages_position;

CREATE INDEX messages_position ON messages (target_session_id, delivery_mode, status, sequence, is_inbox, is_kept_back)
WHERE status IN ('queued', 'held', 'staged') AND is_inbox = 0 AND is_kept_back = 0;
