-- As what an agent gets a message: as its user's prompt, or as a notice beside one; and whether only the first will do.

ALTER TABLE messages ADD COLUMN authority TEXT;

ALTER TABLE messages ADD COLUMN is_as_user INTEGER NOT NULL DEFAULT 0;

ALTER TABLE receipts ADD COLUMN authority TEXT;
