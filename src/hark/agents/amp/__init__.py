"""Amp: its data file, and where its instructions are."""
