-- The names that sessions were ever given are read at every start.

CREATE INDEX events_names ON events (seq) WHERE kind IN ('session.created', 'session.renamed');
