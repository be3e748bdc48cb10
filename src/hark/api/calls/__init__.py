"""The calls of the API, one file per subject. Each file ends with its part of the table of calls."""
