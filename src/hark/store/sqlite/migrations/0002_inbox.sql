-- Messages that are never typed: they wait until the session's agent asks for them.

ALTER TABLE messages ADD COLUMN is_inbox INTEGER NOT NULL DEFAULT 0;

-- They have no place in the order of deliveries.
DROP INDEX messages_position;

CREATE INDEX messages_position ON messages (target_session_id, delivery_mode, status, sequence)
WHERE status IN ('queued', 'held', 'staged') AND is_inbox = 0;

CREATE INDEX messages_inbox ON messages (target_session_id, sequence)
WHERE is_inbox = 1 AND status = 'queued';

-- Handed to the agent without a box in between.
INSERT INTO transitions (previous_status, status) VALUES ('queued', 'submitted');
