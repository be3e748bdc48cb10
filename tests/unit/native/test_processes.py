from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

from hark.agents.native import processes
from tests.support.terminals import wait_until

DEADLINE_S = 10.0


def test_a_process_and_what_comes_from_it() -> None:
    with subprocess.Popen(["sh", "-c", "sleep 60 & wait"]) as child:
        try:
            found = wait_until(
                lambda: [tree for tree in [processes.tree(child.pid)] if len(tree) == 2], DEADLINE_S, "the grandchild"
            )
            assert found[0][0] == child.pid
            assert set(found[0]) <= set(processes.tree(os.getpid()))
            os.kill(found[0][1], 15)
        finally:
            child.kill()


def test_a_process_is_known_by_the_environment_that_it_was_given() -> None:
    command = [sys.executable, "-c", "input()"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, env={"HARK_SESSION": "5e551011"}) as child:
        assert wait_until(
            lambda: processes.has_environment(child.pid, "HARK_SESSION", "5e551011"), DEADLINE_S, "the environment"
        )
        assert not processes.has_environment(child.pid, "HARK_SESSION", "5e55101")
        child.communicate(b"\n")
    assert not processes.has_environment(child.pid, "HARK_SESSION", "5e551011")


def test_ports_of_the_loopback_are_found_with_the_process_that_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as ours, socket.create_server(("0.0.0.0", 0)) as open_to_all:
        ports = processes.loopback_ports(os.getpid())

        assert ours.getsockname()[1] in ports
        assert open_to_all.getsockname()[1] not in ports
        assert ours.getsockname()[1] not in processes.loopback_ports(os.getppid())


def test_a_socket_has_a_client_while_one_is_connected(tmp_path: Path) -> None:
    path = tmp_path / "socket"
    link = tmp_path / "link"
    link.symlink_to(path)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen()
        assert not processes.has_client(link)

        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(path))
            accepted, _ = server.accept()
            with accepted:
                assert processes.has_client(link)

    assert not processes.has_client(link)


def test_what_is_not_there_has_nothing() -> None:
    gone = 2**22 + 1

    assert processes.tree(gone) == [gone]
    assert processes.loopback_ports(gone) == []
