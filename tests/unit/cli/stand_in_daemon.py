"""Stands in for `hark serve` where only the way it reports is under test: stand_in_daemon.py HOW [COUNT] --ready-fd N."""

import fcntl
import os
import socket
import sys
import time

from hark import paths


def main(how: str, count: int, ready: int) -> int:
    if how == "silent":
        return 1
    if how == "mute":
        time.sleep(3)
        return 1
    if how == "failing":
        os.write(ready, b"error tmux-missing\tthere is no tmux\tinstall it\n")
        return 1
    return serve(count, ready)


def serve(count: int, ready: int) -> int:
    """Under the lock, as the real one: the socket appears some time after the lock was taken."""
    paths.make_private(paths.runtime_dir())
    lock = os.open(paths.make_private(paths.state_dir()) / "hark.lock", os.O_CREAT | os.O_RDWR, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.write(ready, b"error already-running\ta daemon is running\t\n")
        return 1
    time.sleep(0.2)
    paths.socket_path().unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(paths.socket_path()))
        listener.listen()
        listener.settimeout(20)
        os.write(ready, b"ready\n")
        for _ in range(count):
            answer(listener.accept()[0])
    return 0


def answer(connection: socket.socket) -> None:
    with connection:
        connection.settimeout(20)
        connection.recv(65536)
        body = b'{"pid": %d}' % os.getpid()
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]) if sys.argv[2].isdigit() else 0, int(sys.argv[-1])))
