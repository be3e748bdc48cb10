"""Qwen Code: its data file, and where its instructions are."""
