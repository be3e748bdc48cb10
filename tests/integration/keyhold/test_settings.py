"""A human's bindings and options are the same bytes after holds, and after daemons were killed in them."""

from tests.integration.keyhold.campaign import Campaign
from tests.support.terminals import PrivateTmux


def test_nothing_of_the_human_changes(tmux: PrivateTmux) -> None:
    assert Campaign(tmux).run(holds=60, kills=6) == {}
