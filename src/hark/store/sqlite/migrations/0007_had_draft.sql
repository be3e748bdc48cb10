-- Whether a human's draft was carried out of the box for a message; null where nobody looked.

ALTER TABLE receipts ADD COLUMN had_draft INTEGER;
