"""Keeps the list of sessions: sessions are started, adopted, found by name, watched, and marked as gone here."""
