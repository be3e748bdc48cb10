-- Replies: what a message replies to, the first message of its thread, and how many replies lead there.

ALTER TABLE messages ADD COLUMN in_reply_to TEXT;

ALTER TABLE messages ADD COLUMN thread_id TEXT;

ALTER TABLE messages ADD COLUMN hops INTEGER NOT NULL DEFAULT 0;

CREATE INDEX messages_of_thread ON messages (thread_id, sequence)
WHERE thread_id IS NOT NULL;
