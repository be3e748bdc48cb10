"""Hears what agents say: their output, records and screens become signals and turns, and people are told about these."""
