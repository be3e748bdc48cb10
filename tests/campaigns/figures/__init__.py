"""Figures of the source: how large folders, functions and signatures are, and where agents' names stand."""
