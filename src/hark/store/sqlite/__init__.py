"""The store in one SQLite file: see `store.py` for the face, `writer.py` for the thread and group commit."""
