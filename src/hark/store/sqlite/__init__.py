"""The store in one SQLite file: `store.py` has the async methods, `writer.py` has the thread and the group commit."""
