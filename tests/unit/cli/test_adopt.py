import os

import click
import pytest

from hark.cli.starting_agents.adopt import adopted_pane

INSIDE = {"TMUX": "/tmp/tmux-0/work,12,0", "TMUX_PANE": "%7"}
DIRECTORY = f"tmux-{os.getuid()}"


@pytest.mark.parametrize(
    ("target", "name", "path", "environment", "expected"),
    [
        # outside tmux: the default server
        ("work:1.0", None, None, {}, {"target": "work:1.0", "socket_name": "default"}),
        # which lies where the caller's TMUX_TMPDIR says
        (
            "%1",
            None,
            None,
            {"TMUX_TMPDIR": "/nowhere"},
            {"target": "%1", "socket_path": f"/nowhere/{DIRECTORY}/default"},
        ),
        # inside: the server one is in
        ("work:1.0", None, None, INSIDE, {"target": "work:1.0", "socket_path": "/tmp/tmux-0/work"}),
        # the pane one is in
        (".", None, None, INSIDE, {"target": "%7", "socket_path": "/tmp/tmux-0/work"}),
        # a server that is named wins
        ("%1", "mine", None, INSIDE, {"target": "%1", "socket_name": "mine"}),
        ("%1", None, "/s", INSIDE, {"target": "%1", "socket_path": "/s"}),
    ],
)
def test_the_pane_and_its_server(
    target: str, name: str | None, path: str | None, environment: dict[str, str], expected: dict[str, str]
) -> None:
    assert adopted_pane(target, name, path, environment) == expected


@pytest.mark.parametrize(
    ("name", "environment"),
    [
        (None, {}),  # not inside tmux
        ("mine", INSIDE),  # inside, but of another server
    ],
)
def test_this_pane_needs_a_tmux_around_it(name: str | None, environment: dict[str, str]) -> None:
    with pytest.raises(click.UsageError):
        adopted_pane(".", name, None, environment)
