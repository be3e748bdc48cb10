from collections.abc import Iterator

import pytest

from tests.terminals import PrivateTmux


@pytest.fixture
def tmux() -> Iterator[PrivateTmux]:
    with PrivateTmux() as server:
        yield server
