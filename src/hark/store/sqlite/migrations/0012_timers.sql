-- Reminders that follow elapsed time, reminders that failed, the clock by which things are forgotten, and all notices.

-- 1: it is due so much time after it was asked for, whatever the wall clock is set to; 0: it is due when the wall clock says so.
ALTER TABLE reminders ADD COLUMN is_elapsed INTEGER NOT NULL DEFAULT 0;

UPDATE reminders SET is_elapsed = 1 WHERE kind = 'follow-up' OR repeat LIKE 'every %';

ALTER TABLE reminders ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;

ALTER TABLE reminders ADD COLUMN failure TEXT;

ALTER TABLE reminders ADD COLUMN set_aside_at INTEGER;

CREATE TABLE clocks (
    name TEXT PRIMARY KEY,
    at INTEGER NOT NULL
) STRICT;

DROP INDEX messages_with_notices;

CREATE INDEX messages_with_notices ON messages (sequence)
WHERE sender_session_id IS NOT NULL
  AND (notify_on_delivery = 1 OR notify_on_failure = 1 OR notify_on_stop = 1 OR notify_after_seconds IS NOT NULL);
