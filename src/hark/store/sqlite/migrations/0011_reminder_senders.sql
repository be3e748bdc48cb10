-- Who has asked for a reminder: a session, or somebody with a name.

ALTER TABLE reminders ADD COLUMN sender_session_id TEXT;

ALTER TABLE reminders ADD COLUMN sender_name TEXT;
