-- Where a session's agent keeps its conversation: after a restart it tells which messages the agent has got.

ALTER TABLE sessions ADD COLUMN transcript TEXT NOT NULL DEFAULT '';
