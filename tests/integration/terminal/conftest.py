from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from tests.support.terminals import PrivateTmux

# An example may take as long as it takes: a busy machine is no failure.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")


@pytest.fixture
def tmux() -> Iterator[PrivateTmux]:
    with PrivateTmux() as server:
        yield server
