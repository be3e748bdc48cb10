"""The demo agent of this package: its data file, and what its hooks mean."""
