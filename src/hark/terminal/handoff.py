"""This program runs as the command of pipe-pane: it hands its stdin, tmux's end of the pipe, to the daemon and exits. Stdlib only.

So a pane's output reaches the daemon with no process per pane in between.
"""

import socket
import sys


def main() -> None:
    path, token = sys.argv[1:3]
    with socket.socket(socket.AF_UNIX) as daemon:
        daemon.connect(path)
        socket.send_fds(daemon, [token.encode()], [0])
        daemon.recv(1)


if __name__ == "__main__":
    main()
