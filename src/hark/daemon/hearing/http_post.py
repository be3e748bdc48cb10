"""Sends one HTTP request to somewhere else, such as a webhook or a model. It runs in a thread with a deadline, and keeps no connection
open.

A redirect is never followed: keys and what agents show go to the address that the user has written, and to no other. Error messages
never show a full address, because its path may be a secret, as with most webhooks.
"""

import asyncio
import http.client
import urllib.error
import urllib.request
from collections.abc import Mapping
from urllib.parse import urlsplit

from hark.model.errors import HarkError

LONGEST_ANSWER = 1_000_000


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *args: object) -> None:
        """Return None, which turns every redirect into an error."""


_OPENER = urllib.request.build_opener(_NoRedirects)


async def post(url: str, body: bytes, headers: Mapping[str, str], deadline_s: float) -> bytes:
    return await asyncio.to_thread(_post, url, body, dict(headers), deadline_s)


def _post(url: str, body: bytes, headers: dict[str, str], deadline_s: float) -> bytes:
    sent = {"Content-Type": "application/json", "User-Agent": "hark"} | headers
    try:
        request = urllib.request.Request(url, data=body, headers=sent, method="POST")
        with _OPENER.open(request, timeout=deadline_s) as answer:
            data: bytes = answer.read(LONGEST_ANSWER)
            return data
    except urllib.error.HTTPError as failure:
        with failure:
            told = f"{_host(url)} answered {failure.code}"
            hint = "check the address"
            if failure.headers.get("Location") and 300 <= failure.code < 400:
                hint = f"it redirects to {_host(failure.headers['Location'])}: write that address, if you trust it"
        raise HarkError("not-available", told, hint) from None
    except (urllib.error.URLError, http.client.HTTPException, OSError, ValueError) as failure:
        raise HarkError(
            "not-available", f"{_host(url)} did not accept the request: {failure}", "check the address"
        ) from failure


def _host(url: str) -> str:
    """Return an address without its path, its query and its credentials."""
    try:
        parts = urlsplit(url)
        return f"{parts.scheme}://{parts.hostname}" + (f":{parts.port}" if parts.port else "")
    except ValueError:
        return "the address"
