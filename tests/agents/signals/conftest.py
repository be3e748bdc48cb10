"""The campaign is collected by `make agents` only; `make signals` runs it too, in every way, and writes what it has found."""

import os

collect_ignore = [] if os.environ.get("HARK_TEST_MATRIX") else ["test_signals.py"]
