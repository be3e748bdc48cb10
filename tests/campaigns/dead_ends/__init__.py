"""Agents are killed in the middle of a turn, again and again, while somebody waits for their messages."""
