-- Two ends of a message that its agent has: the turn was interrupted, or the agent ended before the turn did.

INSERT INTO transitions (previous_status, status)
VALUES
    ('submitted', 'interrupted'), ('acknowledged', 'interrupted'), ('uncertain', 'interrupted'), ('interrupted', 'queued'),
    ('submitted', 'failed'), ('acknowledged', 'failed');
