-- What a session's agent tells us about its turns, and which conversation its pane shows: known again after a restart.

ALTER TABLE sessions ADD COLUMN hearing TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN conversation TEXT NOT NULL DEFAULT '';
