"""python -m tests.support.stand_in --log FILE: serves on a free port of 127.0.0.1, and says where in its first line."""

from __future__ import annotations

import argparse
import socket
from pathlib import Path

import uvicorn

from tests.support.stand_in.service import application


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.support.stand_in", description=__doc__)
    parser.add_argument("--log", type=Path, required=True, help="where to write what is received, as JSON lines")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument(
        "--thinks", type=float, nargs=2, default=(0.0, 0.0), help="seconds before each answer, from and to"
    )
    arguments = parser.parse_args()
    with socket.create_server(("127.0.0.1", arguments.port)) as listening:
        print(f"http://127.0.0.1:{listening.getsockname()[1]}", flush=True)
        config = uvicorn.Config(
            application(arguments.log, (arguments.thinks[0], arguments.thinks[1])),
            log_level="warning",
            timeout_graceful_shutdown=1,
        )
        uvicorn.Server(config).run(sockets=[listening])


if __name__ == "__main__":
    main()
