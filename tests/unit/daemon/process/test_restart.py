"""What takes the daemon's place must be a program, and gets the locks that the daemon holds."""

import sys

import pytest

from hark.daemon.process.restart import check_command, own_command, parse_descriptors
from tests.integration.contract.samples import refused


def test_the_daemons_own_command_can_take_its_place() -> None:
    check_command(own_command())


@pytest.mark.parametrize("command", [["/no/such/hark", "serve"], [sys.executable, "a\0b"]])
def test_what_cannot_be_run_is_refused_while_the_daemon_still_runs(command: list[str]) -> None:
    with refused("request-invalid"):
        check_command(command)


def test_the_descriptors_of_both_locks_are_read() -> None:
    assert parse_descriptors("3,14") == (3, 14)


@pytest.mark.parametrize("text", ["", "3", "3,", ",4", "3,4,5", "-1,4", "a,b", "3, 4"])
def test_anything_else_is_refused(text: str) -> None:
    with refused("request-invalid"):
        parse_descriptors(text)
