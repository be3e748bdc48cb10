"""What a browser may ask for, over HTTP. A browser with full rights may do what its human may do, except what belongs to programs."""

import re

from hark.model.errors import HarkError
from hark.model.viewer import Browser

OF_READERS = frozenset({("POST", "/dashboard/leave")})
"""What a browser that may only look may do beyond looking: it may go."""

NOT_FOR_BROWSERS = re.compile(
    r"/(mcp|hooks|editor|shutdown|restart|dashboard/(links|close)|sessions/(run|adopt)|sessions/.*/(inbox|near-miss|signal))",
)
"""The calls that agents, hooks and commands make, and never a page. A stolen cookie cannot make another link either."""


def check_browser(browser: Browser, method: str, path: str) -> None:
    """Raise the refusal if the browser may not make this call."""
    if method in ("GET", "HEAD"):
        return
    if browser.is_read_only and (method, path) not in OF_READERS:
        raise HarkError("read-only", "this link may only look", "run `hark dashboard` without --read-only")
    if NOT_FOR_BROWSERS.fullmatch(path):
        raise HarkError("not-for-browsers", "this call is not for web pages", "use the command line")
