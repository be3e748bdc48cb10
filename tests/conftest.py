"""One outcome for one state of the code: random tests draw the same cases every time, unless HARK_EXPLORE asks for new ones.

`HARK_EXPLORE=1 make test` goes looking; what it finds becomes a test of its own."""

import os

from hypothesis import settings

settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("explore", deadline=None)
settings.load_profile("explore" if os.environ.get("HARK_EXPLORE") else "same")
