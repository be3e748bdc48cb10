from collections.abc import Iterator

import pytest

from hark.demo.human import Human
from tests.integration.keyhold.stage import DEADLINE_S, Recorder
from tests.support.terminals import PrivateTmux


@pytest.fixture
def tmux() -> Iterator[PrivateTmux]:
    with PrivateTmux() as server:
        yield server


@pytest.fixture
def recorder(tmux: PrivateTmux) -> Recorder:
    return Recorder(tmux)


@pytest.fixture
def human(recorder: Recorder) -> Iterator[Human]:
    with Human(recorder.pane.socket, recorder.pane.pane_id) as person:
        person.wait_attached(DEADLINE_S)
        yield person
