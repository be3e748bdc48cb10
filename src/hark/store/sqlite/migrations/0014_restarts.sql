-- Why a session is gone and when its agent was last started, so that sessions can come back.

ALTER TABLE sessions ADD COLUMN gone_because TEXT NOT NULL DEFAULT '';

ALTER TABLE sessions ADD COLUMN started_at INTEGER;
