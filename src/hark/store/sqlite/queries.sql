-- Named queries: each has a line `-- name`, one line that says what the query does, and the SQL. {messages} and the like stand for all
-- columns of that table, in the order in which rows.py reads them. The SQL is plain, with named parameters, so that other databases can
-- take it.

-- name: find-session
-- Find one session by its id.
SELECT {sessions} FROM sessions WHERE id = :session_id;

-- name: find-session-by-name
-- Find the session that has a name.
SELECT {sessions} FROM sessions WHERE name = :name;

-- name: list-sessions
-- List all sessions in order of creation.
SELECT {sessions} FROM sessions ORDER BY created_at, sequence;

-- name: insert-session
-- Add a new session.
INSERT INTO sessions (
    id, name, agent, host, pane, command, directory, created_at, is_adopted, state, gone_at, airlock, do_not_disturb_since,
    nudge_seq, last_signal_at, signal_state, signal_text, signal_source, hearing, conversation, transcript,
    gone_because, started_at, heir_of, restart, failures, restart_at, has_given_up
) VALUES (
    :id, :name, :agent, :host, :pane, :command, :directory, :created_at, :is_adopted, :state, :gone_at, :airlock,
    :do_not_disturb_since, :nudge_seq, :last_signal_at, :signal_state, :signal_text, :signal_source, :hearing, :conversation, :transcript,
    :gone_because, :started_at, :heir_of, :restart, :failures, :restart_at, :has_given_up
);

-- name: update-session
-- Set everything about a session but its id.
UPDATE sessions SET
    name = :name, agent = :agent, host = :host, pane = :pane, command = :command, directory = :directory,
    created_at = :created_at, is_adopted = :is_adopted, state = :state, gone_at = :gone_at, airlock = :airlock,
    do_not_disturb_since = :do_not_disturb_since, nudge_seq = :nudge_seq, last_signal_at = :last_signal_at,
    signal_state = :signal_state, signal_text = :signal_text, signal_source = :signal_source, hearing = :hearing,
    conversation = :conversation, transcript = :transcript, gone_because = :gone_because, started_at = :started_at,
    heir_of = :heir_of, restart = :restart, failures = :failures, restart_at = :restart_at, has_given_up = :has_given_up
WHERE id = :id;

-- name: delete-session
-- Delete a session, with its messages, receipts, reminders, draft and lease.
DELETE FROM sessions WHERE id = :session_id;

-- name: enqueue-message
-- Add a new message, and return its place in the order of arrival.
INSERT INTO messages (
    id, target_session_id, sender_session_id, sender_name, text, delivery_mode, status, hold_reason, held_since, queued_at,
    timeout_at, staged_at, delivered_at, acknowledged_at, completed_at, ended_at, attempts, attempted_at, interrupted_at, channel, carrier, authority,
    is_as_user, is_inbox,
    is_raw, is_alone, is_kept_back, batch_id, idempotency_key, notify_on_delivery, notify_after_seconds, notify_on_stop, notify_on_failure,
    in_reply_to, thread_id, hops
) VALUES (
    :id, :target_session_id, :sender_session_id, :sender_name, :text, :delivery_mode, :status, :hold_reason, :held_since,
    :queued_at, :timeout_at, :staged_at, :delivered_at, :acknowledged_at, :completed_at, :ended_at, :attempts, :attempted_at, :interrupted_at, :channel,
    :carrier, :authority, :is_as_user, :is_inbox, :is_raw, :is_alone, :is_kept_back, :batch_id, :idempotency_key, :notify_on_delivery, :notify_after_seconds, :notify_on_stop,
    :notify_on_failure, :in_reply_to, :thread_id, :hops
) RETURNING sequence;

-- name: move-message
-- Set the columns of a message that a change of its status changes.
UPDATE messages SET
    target_session_id = :target_session_id, status = :status, hold_reason = :hold_reason, held_since = :held_since, staged_at = :staged_at,
    delivered_at = :delivered_at, acknowledged_at = :acknowledged_at, completed_at = :completed_at, ended_at = :ended_at,
    timeout_at = :timeout_at, attempts = :attempts, attempted_at = :attempted_at, interrupted_at = :interrupted_at,
    batch_id = :batch_id, channel = :channel, carrier = :carrier, authority = :authority, is_kept_back = :is_kept_back
WHERE id = :id;

-- name: save-answer
-- Store the answer to a message, in the place of an earlier one.
INSERT INTO answers (message_id, text, source, is_cut, reason, at)
VALUES (:message_id, :text, :source, :is_cut, :reason, :at)
ON CONFLICT (message_id) DO UPDATE SET
    text = excluded.text, source = excluded.source, is_cut = excluded.is_cut, reason = excluded.reason, at = excluded.at;

-- name: find-answer
-- Find the answer to a message.
SELECT {answers} FROM answers WHERE message_id = :message_id;

-- name: find-last-answered
-- Find the newest message of a session that has an answer.
SELECT id FROM messages
WHERE target_session_id = :session_id AND EXISTS (SELECT 1 FROM answers WHERE message_id = messages.id)
ORDER BY sequence DESC LIMIT 1;

-- name: find-last-words
-- Find the beginning of the answer to the newest message of a session that has one.
SELECT substr(answers.text, 1, :length) FROM messages JOIN answers ON answers.message_id = messages.id
WHERE target_session_id = :session_id
ORDER BY sequence DESC LIMIT 1;

-- name: find-message
-- Find one message by its id.
SELECT {messages} FROM messages WHERE id = :message_id;

-- name: find-message-by-key
-- Find the message that was stored under an idempotency key.
SELECT {messages} FROM messages WHERE target_session_id = :session_id AND idempotency_key = :idempotency_key;

-- name: find-messages-by-prefix
-- Find the message ids that start with a text. The bounds let the index help; the comparison with substr decides.
SELECT id FROM messages
WHERE id >= :prefix AND id <= :prefix_end AND substr(id, 1, length(:prefix)) = :prefix
ORDER BY sequence LIMIT :limit;

-- name: count-pending-before
-- Count the pending messages of a session that are delivered before this one. The order is that of queue/ordering.py.
SELECT count(*) FROM messages
WHERE target_session_id = :session_id AND status IN ('queued', 'held', 'staged') AND is_inbox = 0 AND is_kept_back = 0
  AND (
    CASE WHEN status = 'staged' THEN 0 ELSE 1 END,
    CASE delivery_mode WHEN 'urgent' THEN 0 WHEN 'important' THEN 1 ELSE 2 END,
    sequence
  ) < (
    CASE WHEN :status = 'staged' THEN 0 ELSE 1 END,
    CASE :delivery_mode WHEN 'urgent' THEN 0 WHEN 'important' THEN 1 ELSE 2 END,
    :sequence
  );

-- name: count-pending-before-new
-- Count the pending messages of a session that are delivered before one that has just arrived, which is the last of its mode.
SELECT count(*) FROM messages
WHERE target_session_id = :session_id AND status IN ('queued', 'held', 'staged') AND is_inbox = 0 AND is_kept_back = 0
  AND sequence <> :sequence
  AND (:delivery_mode = 'sequential' OR delivery_mode IN (:delivery_mode, 'urgent') OR status = 'staged');

-- name: list-pending
-- List all pending messages, in order of arrival.
SELECT {messages} FROM messages WHERE status IN ('queued', 'held', 'staged') ORDER BY sequence;

-- name: list-pending-of-session
-- List the pending messages of one session, in order of arrival.
SELECT {messages} FROM messages
WHERE target_session_id = :session_id AND status IN ('queued', 'held', 'staged')
ORDER BY sequence;

-- name: find-some-pending
-- Find any two of the messages that wait for a session. If only one waits, nobody need ask for the order.
SELECT {messages} FROM messages
WHERE target_session_id = :session_id AND status IN ('queued', 'held', 'staged') AND is_inbox = 0 AND is_kept_back = 0 LIMIT 2;

-- name: find-first-pending-of-kind
-- Find the oldest message of a session with that status and mode. It takes one step down the index, however many messages wait.
SELECT MIN(sequence) FROM messages
WHERE target_session_id = :session_id AND delivery_mode = :delivery_mode AND status = :status
  AND status IN ('queued', 'held', 'staged') AND is_inbox = 0 AND is_kept_back = 0;

-- name: list-next-pending
-- List the messages of a session that are delivered next. The order is that of queue/ordering.py.
SELECT {messages} FROM messages
WHERE target_session_id = :session_id AND status IN ('queued', 'held', 'staged') AND is_inbox = 0 AND is_kept_back = 0
ORDER BY
    CASE WHEN status = 'staged' THEN 0 ELSE 1 END,
    CASE delivery_mode WHEN 'urgent' THEN 0 WHEN 'important' THEN 1 ELSE 2 END,
    sequence
LIMIT :limit;

-- name: list-batch
-- List the messages that went in one payload.
SELECT {messages} FROM messages WHERE batch_id = :batch_id ORDER BY sequence;

-- name: list-replies
-- List the messages of a thread behind its first one, in order of arrival.
SELECT {messages} FROM messages WHERE thread_id = :thread_id ORDER BY sequence LIMIT :limit;

-- name: list-inbox
-- List the messages that wait until a session's agent asks for them.
SELECT {messages} FROM messages WHERE target_session_id = :session_id AND is_inbox = 1 AND status = 'queued'
ORDER BY sequence;

-- name: find-message-by-sequence
-- Find one message by its place in the order of arrival.
SELECT {messages} FROM messages WHERE sequence = :sequence;

-- name: list-messages-of-session
-- List the newest messages of a session. :statuses is a list such as ,queued,held, with a comma at both ends.
SELECT {messages} FROM messages
WHERE target_session_id = :session_id AND :statuses LIKE '%,' || status || ',%'
ORDER BY sequence DESC LIMIT :limit;

-- name: list-expired
-- List the pending messages whose time is over.
SELECT {messages} FROM messages
WHERE status IN ('queued', 'held', 'staged') AND timeout_at IS NOT NULL AND timeout_at <= :now
ORDER BY timeout_at, sequence;

-- name: find-next-timeout
-- Find the time at which the next pending message expires.
SELECT min(timeout_at) FROM messages WHERE status IN ('queued', 'held', 'staged') AND timeout_at IS NOT NULL;

-- name: list-old-messages
-- List messages that ended long ago, or were delivered long ago to a session that is gone, and that nothing waits for (store/rules.py).
SELECT id FROM messages AS old
WHERE queued_at < :before AND coalesce(ended_at, delivered_at, queued_at) < :before
  AND (
    status IN ('completed', 'interrupted', 'failed', 'expired', 'cancelled', 'uncertain', 'dead')
    OR status IN ('submitted', 'acknowledged')
      AND EXISTS (SELECT 1 FROM sessions WHERE sessions.id = old.target_session_id AND sessions.state = 'gone')
  )
  AND NOT EXISTS (
    SELECT 1 FROM reminders
    WHERE reminders.kind = 'follow-up' AND reminders.text = old.id AND fired_at IS NULL AND cancelled_at IS NULL
  )
  AND NOT EXISTS (
    SELECT 1 FROM messages AS mate
    WHERE mate.batch_id = old.batch_id AND mate.status IN ('queued', 'held', 'staged')
  )
ORDER BY queued_at LIMIT :limit;

-- name: delete-message
-- Delete a message with its receipts.
DELETE FROM messages WHERE id = :message_id;

-- name: delete-old-events
-- Delete the events from which nobody resumes any more. The last event stays, so that seq keeps growing from it.
DELETE FROM events WHERE at < :before AND seq < (SELECT max(seq) FROM events);

-- name: delete-old-reminders
-- Delete the reminders that fired or were cancelled long ago.
DELETE FROM reminders WHERE coalesce(fired_at, cancelled_at) < :before;

-- name: list-messages-with-notices
-- List the messages whose senders wanted to be told what becomes of them, newest first.
SELECT {messages} FROM messages
WHERE sender_session_id IS NOT NULL AND status NOT IN ('queued', 'held', 'staged')
  AND (notify_on_delivery = 1 OR notify_on_failure = 1 OR notify_on_stop = 1 OR notify_after_seconds IS NOT NULL)
ORDER BY sequence DESC LIMIT :limit;

-- name: count-messages-by-status
-- Count the messages of each status.
SELECT status, count(*) FROM messages GROUP BY status;

-- name: insert-receipt
-- Add a receipt. An illegal change of status fails, because it breaks the reference to the table of transitions.
INSERT INTO receipts (message_id, previous_status, status, at, reason, detail, channel, carrier, authority, had_draft)
VALUES (:message_id, :previous_status, :status, :at, :reason, :detail, :channel, :carrier, :authority, :had_draft);

-- name: list-receipts
-- List the receipts of a message, in the order in which they were written.
SELECT {receipts} FROM receipts WHERE message_id = :message_id ORDER BY sequence;

-- name: find-lease
-- Find the lease of a session. A lease without an owner has been released.
SELECT owner, fence, expires_at FROM leases WHERE session_id = :session_id;

-- name: save-lease
-- Grant or prolong the lease of a session.
INSERT INTO leases (session_id, owner, fence, expires_at) VALUES (:session_id, :owner, :fence, :expires_at)
ON CONFLICT (session_id) DO UPDATE
SET owner = excluded.owner, fence = excluded.fence, expires_at = excluded.expires_at;

-- name: release-leases
-- End the leases of all owners of a group.
UPDATE leases SET owner = NULL
WHERE owner = :owner_group OR substr(owner, 1, length(:owner_group) + 1) = :owner_group || ':';

-- name: release-lease
-- End a lease if it is still the current lease of its session.
UPDATE leases SET owner = NULL WHERE session_id = :session_id AND owner = :owner AND fence = :fence;

-- name: insert-event
-- Add one event, and return its seq.
INSERT INTO events (at, kind, session_id, message_id, data) VALUES (:at, :kind, :session_id, :message_id, :data)
RETURNING seq;

-- name: list-signals
-- List the newest signals, of one session or of all.
SELECT {events} FROM events
WHERE kind = 'signal' AND (:session_id IS NULL OR session_id = :session_id) ORDER BY seq DESC LIMIT :limit;

-- name: list-used-names
-- List the names that sessions had when they were made, and before and after they were renamed.
SELECT data ->> '$.name' AS name, data ->> '$.from' AS former, data ->> '$.to' AS later FROM events
WHERE kind IN ('session.created', 'session.renamed');

-- name: list-events
-- List the events after a seq.
SELECT {events} FROM events WHERE seq > :after ORDER BY seq LIMIT :limit;

-- name: find-last-event-seq
-- Find the seq of the last event; 0 if there is no event.
SELECT coalesce(max(seq), 0) FROM events;

-- name: save-draft
-- Store the draft of a session, in the place of an earlier one.
INSERT INTO drafts (session_id, message_id, text, cursor, taken_at, carrier)
VALUES (:session_id, :message_id, :text, :cursor, :taken_at, :carrier)
ON CONFLICT (session_id) DO UPDATE
SET message_id = excluded.message_id, text = excluded.text, cursor = excluded.cursor, taken_at = excluded.taken_at,
    carrier = excluded.carrier;

-- name: find-draft
-- Find the draft that was taken out of a session's box and is not back yet.
SELECT {drafts} FROM drafts WHERE session_id = :session_id;

-- name: list-drafts
-- List all drafts that are not back in their boxes.
SELECT {drafts} FROM drafts ORDER BY taken_at;

-- name: delete-draft
-- Delete the draft of a session, after it was seen to be back in the box.
DELETE FROM drafts WHERE session_id = :session_id;

-- name: insert-reminder
-- Add a new reminder.
INSERT INTO reminders (
    id, session_id, text, created_at, fire_at, repeat, fired_at, cancelled_at, kind, sender_session_id, sender_name, is_elapsed,
    failures, failure, set_aside_at
) VALUES (
    :id, :session_id, :text, :created_at, :fire_at, :repeat, :fired_at, :cancelled_at, :kind, :sender_session_id, :sender_name,
    :is_elapsed, :failures, :failure, :set_aside_at
);

-- name: update-reminder
-- Set everything about a reminder but its id.
UPDATE reminders SET
    session_id = :session_id, text = :text, created_at = :created_at, fire_at = :fire_at, repeat = :repeat,
    fired_at = :fired_at, cancelled_at = :cancelled_at, kind = :kind, sender_session_id = :sender_session_id,
    sender_name = :sender_name, is_elapsed = :is_elapsed, failures = :failures, failure = :failure, set_aside_at = :set_aside_at
WHERE id = :id;

-- name: find-reminder
-- Find one reminder by its id.
SELECT {reminders} FROM reminders WHERE id = :reminder_id;

-- name: list-reminders
-- List the reminders that are neither fired nor cancelled, earliest first.
SELECT {reminders} FROM reminders WHERE fired_at IS NULL AND cancelled_at IS NULL ORDER BY fire_at, created_at, id;

-- name: save-signal-memory
-- Store what a session has announced, in the place of what was stored before.
INSERT INTO signal_memories (session_id, memory) VALUES (:session_id, :memory)
ON CONFLICT (session_id) DO UPDATE SET memory = excluded.memory;

-- name: find-signal-memory
-- Find what a session has announced.
SELECT memory FROM signal_memories WHERE session_id = :session_id;

-- name: find-request
-- Find a request by its key.
SELECT digest, session_id, answer FROM requests WHERE key = :key;

-- name: insert-request
-- Add a request that has begun.
INSERT INTO requests (key, digest, session_id, begun_at) VALUES (:key, :digest, :session_id, :begun_at);

-- name: answer-request
-- Store the answer to a request.
UPDATE requests SET answer = :answer WHERE key = :key;

-- name: delete-request
-- Delete a request that has done nothing.
DELETE FROM requests WHERE key = :key;

-- name: forget-requests
-- Delete the requests that nobody repeats any more.
DELETE FROM requests WHERE begun_at < :before;

-- name: find-clock
-- Find the time of one of the daemon's clocks.
SELECT at FROM clocks WHERE name = :name;

-- name: save-clock
-- Set one of the daemon's clocks.
INSERT INTO clocks (name, at) VALUES (:name, :at) ON CONFLICT (name) DO UPDATE SET at = excluded.at;

-- name: list-empty-gone-sessions
-- List the sessions that were gone before a time, that no stored message is for, and that have no draft.
SELECT id FROM sessions AS gone
WHERE state = 'gone' AND gone_at < :before
  AND NOT EXISTS (SELECT 1 FROM messages WHERE target_session_id = gone.id)
  AND NOT EXISTS (SELECT 1 FROM drafts WHERE drafts.session_id = gone.id)
ORDER BY gone_at LIMIT :limit;

-- name: insert-question
-- Add a question that an agent asks.
INSERT INTO questions ({questions})
VALUES (:id, :session_id, :kind, :text, :channel, :agents_id, :tool, :is_command, :is_cut, :detail, :directory, :parts, :asked_at,
    :ended_at, :how_ended, :answer, :answered_by, :answered_as);

-- name: end-question
-- Set how a question has ended.
UPDATE questions SET
    ended_at = :ended_at, how_ended = :how_ended, answer = :answer, answered_by = :answered_by, answered_as = :answered_as
WHERE id = :id;

-- name: find-question
-- Find one question by its id.
SELECT {questions} FROM questions WHERE id = :question_id;

-- name: list-open-questions
-- List the questions that have not ended, oldest first.
SELECT {questions} FROM questions WHERE ended_at IS NULL ORDER BY asked_at, rowid;

-- name: list-questions
-- List the newest questions of all sessions, newest first.
SELECT {questions} FROM questions ORDER BY asked_at DESC, rowid DESC LIMIT :limit;

-- name: list-questions-of-session
-- List the newest questions of a session, newest first.
SELECT {questions} FROM questions WHERE session_id = :session_id ORDER BY asked_at DESC, rowid DESC LIMIT :limit;

-- name: delete-old-questions
-- Delete the questions that ended before a time.
DELETE FROM questions WHERE ended_at < :before;

-- name: save-browser
-- Store a browser that may look at the dashboard, or what has changed about it.
INSERT INTO browsers (id, user, digest, is_read_only, user_agent, created_at, last_seen_at, expires_at)
VALUES (:id, :user, :digest, :is_read_only, :user_agent, :created_at, :last_seen_at, :expires_at)
ON CONFLICT (id) DO UPDATE SET last_seen_at = excluded.last_seen_at, expires_at = excluded.expires_at;

-- name: list-browsers
-- List the browsers that may look at the dashboard, the oldest first.
SELECT {browsers} FROM browsers ORDER BY created_at, id;

-- name: delete-browser
-- Delete a browser: its cookie is worth nothing from now on.
DELETE FROM browsers WHERE id = :id;

-- name: acknowledge
-- Store how far a user has seen a subject; the number never falls.
INSERT INTO acknowledgements (user, subject, seq, at) VALUES (:user, :subject, :seq, :at)
ON CONFLICT (user, subject) DO UPDATE SET at = excluded.at, seq = excluded.seq WHERE excluded.seq > acknowledgements.seq;

-- name: list-acknowledgements
-- List how far a user has seen each subject.
SELECT subject, seq FROM acknowledgements WHERE user = :user;

-- name: forget-acknowledgements
-- Delete what users have seen of a subject that is no longer on record.
DELETE FROM acknowledgements WHERE subject = :subject;

-- name: insert-notification
-- Store what became of an alert, and return its number.
INSERT INTO notifications (at, user, browser_id, session_id, nudge_seq, channel, outcome, reason)
VALUES (:at, :user, :browser_id, :session_id, :nudge_seq, :channel, :outcome, :reason) RETURNING sequence;

-- name: forget-notifications
-- Delete all reports of alerts but the newest.
DELETE FROM notifications WHERE sequence <= (SELECT max(sequence) FROM notifications) - :kept;

-- name: list-notifications
-- List the newest reports of alerts, newest first.
SELECT {notifications} FROM notifications ORDER BY sequence DESC LIMIT :limit;

-- name: list-unsettled
-- List the newest messages that have not arrived or of which nobody knows whether they have, newest first.
SELECT {messages} FROM messages
WHERE status IN ('uncertain', 'dead', 'failed', 'expired')
ORDER BY sequence DESC LIMIT :limit;

-- name: search-messages
-- Find messages by their text or their sender, newest first.
SELECT queued_at, target_session_id, id, text FROM messages
WHERE (text LIKE :pattern ESCAPE '\' OR sender_name LIKE :pattern ESCAPE '\')
  AND (:session_id IS NULL OR target_session_id = :session_id)
ORDER BY sequence DESC LIMIT :limit;

-- name: search-answers
-- Find answers by their text, newest first.
SELECT answers.at, messages.target_session_id, messages.id, answers.text FROM answers
JOIN messages ON messages.id = answers.message_id
WHERE answers.text LIKE :pattern ESCAPE '\' AND (:session_id IS NULL OR messages.target_session_id = :session_id)
ORDER BY messages.sequence DESC LIMIT :limit;

-- name: search-signals
-- Find signals by their text or state, newest first.
SELECT at, session_id, message_id, json_extract(data, '$.state') || ': ' || coalesce(json_extract(data, '$.text'), '') AS said
FROM events
WHERE kind = 'signal' AND said LIKE :pattern ESCAPE '\' AND (:session_id IS NULL OR session_id = :session_id)
ORDER BY seq DESC LIMIT :limit;
