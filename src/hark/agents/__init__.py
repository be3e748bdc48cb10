"""What hark knows about agents: a folder for each of them, what such a folder may offer (`protocol.py`), and who finds it (`registry.py`)."""
