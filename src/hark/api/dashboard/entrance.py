"""The TCP port at which browsers and other programs reach the daemon. It is opened by the setting `listen`, or by `hark dashboard`; a
daemon that starts again opens the port that was open before, so that a page that is still open finds it."""

import contextlib
import os
import socket
from pathlib import Path

from starlette.applications import Starlette

from hark.api.access.guard import Guard, Names
from hark.api.listening import Doors, tcp_socket
from hark.daemon.process.log import logger
from hark.daemon.process.tokens import kept_secret
from hark.daemon.viewing.browsers import Browsers
from hark.model.errors import HarkError
from hark.model.settings.config import Config, parse_hosts, parse_listen

TRIES = 10
"""How many ports to try, one after the other, before any free port will do."""


class Entrance:
    def __init__(self, api: Starlette, doors: Doors, config: Config, browsers: Browsers, state: Path) -> None:
        """`state` is the directory that holds the token and the memory of the open port."""
        self._api = api
        self._doors = doors
        self._config = config
        self._browsers = browsers
        self._token_path = state / "token"
        self._memory = state / "dashboard-port"
        self._address: tuple[str, int] | None = None

    def open_at_start(self) -> None:
        """Open the port of the setting `listen`, or the port that was open when the last daemon ended."""
        if self._config.listen:
            self._listen(tcp_socket(*parse_listen(self._config.listen)))
        elif port := self._remembered():
            try:
                self._listen(tcp_socket("127.0.0.1", port))
            except HarkError as taken:
                logger.warning("the dashboard's port is taken", extra={"port": port, "detail": taken.detail})

    def open(self) -> str:
        """Open the port if it is closed, and return the address at which the dashboard is."""
        if self._address is None:
            self._listen(self._free_socket())
            self._remember()
        return self.address

    def close(self) -> None:
        """Close the port, unless the setting `listen` opens it."""
        self._memory.unlink(missing_ok=True)
        if self._config.listen is None and self._address is not None:
            self._doors.close_tcp()
            self._address = None

    @property
    def is_open(self) -> bool:
        return self._address is not None

    @property
    def address(self) -> str:
        assert self._address is not None
        host, port = self._address
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"

    def _listen(self, listener: socket.socket) -> None:
        host, port = listener.getsockname()[:2]
        names = Names(port, parse_hosts(self._config.dashboard_hosts))
        self._doors.add_tcp(Guard(self._api, kept_secret(self._token_path), names, self._browsers), listener)
        self._address = (host, port)

    def _free_socket(self) -> socket.socket:
        first = self._remembered() or self._config.dashboard_port
        for port in range(first, min(first + TRIES, 65536)) if first else ():
            with contextlib.suppress(HarkError):
                return tcp_socket("127.0.0.1", port)
        return tcp_socket("127.0.0.1", 0)

    def _remembered(self) -> int | None:
        try:
            return int(self._memory.read_text())
        except (OSError, ValueError):
            return None

    def _remember(self) -> None:
        assert self._address is not None
        with open(os.open(self._memory, os.O_CREAT | os.O_WRONLY | os.O_TRUNC | os.O_NOFOLLOW, 0o600), "w") as file:
            file.write(f"{self._address[1]}\n")
