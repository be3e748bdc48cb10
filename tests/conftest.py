"""One outcome for one state of the code, wherever it runs.

Random tests draw the same cases every time, unless HARK_EXPLORE asks for new ones: `HARK_EXPLORE=1 make test` goes looking,
and what it finds becomes a test of its own. And a run that was started in the background, with signals ignored, must not
hand that on to the programs whose answer to these signals is tested."""

import os
import signal

from hypothesis import settings

settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("explore", deadline=None)
settings.load_profile("explore" if os.environ.get("HARK_EXPLORE") else "same")

for number, default in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, default)
