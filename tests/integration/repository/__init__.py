"""Tests of the repository itself: its documents and its patterns."""
