"""One outcome for one state of the code, wherever it runs.

Random tests draw the same cases every time, unless HARK_EXPLORE asks for new ones: `HARK_EXPLORE=1 make test` goes looking,
and what it finds becomes a test of its own. Files run in an order in which the long ones begin first and tests of the same kind are
spread, so that no worker is left alone at the end, and real agents do not all start at once. And a run that was started in the background, with signals ignored, must not
hand that on to the programs whose answer to these signals is tested."""

import os
import signal
from itertools import groupby
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.test_order import spread

# A busy machine draws examples slowly, which says nothing about the code.
_patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("same", _patient, derandomize=True)
settings.register_profile("quick", _patient, derandomize=True, max_examples=30)
settings.register_profile("explore", _patient)
settings.load_profile(
    "explore" if os.environ.get("HARK_EXPLORE") else "quick" if os.environ.get("HARK_QUICK") else "same"
)

for number, default in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, default)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    by_file = {path: list(found) for path, found in groupby(items, lambda item: item.path)}
    root = Path(__file__).parent
    order = spread([str(path.relative_to(root)) if root in path.parents else str(path) for path in by_file])
    items[:] = [item for name in order for item in by_file[root / name]]
