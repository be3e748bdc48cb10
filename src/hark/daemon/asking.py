"""One HTTP request to somewhere else: a webhook, a model. In a thread, with a deadline; nothing of it is kept open."""

import asyncio
import urllib.error
import urllib.request
from collections.abc import Mapping

from hark.model.errors import HarkError

LONGEST_ANSWER = 1_000_000


async def post(url: str, body: bytes, headers: Mapping[str, str], deadline_s: float) -> bytes:
    return await asyncio.to_thread(_post, url, body, dict(headers), deadline_s)


def _post(url: str, body: bytes, headers: dict[str, str], deadline_s: float) -> bytes:
    request = urllib.request.Request(
        url, data=body, headers={"Content-Type": "application/json", "User-Agent": "hark"} | headers, method="POST"
    )
    try:
        with urllib.request.urlopen(request, timeout=deadline_s) as answer:
            data: bytes = answer.read(LONGEST_ANSWER)
            return data
    except (urllib.error.URLError, OSError, ValueError) as failure:
        raise HarkError("not-available", f"{url} has not taken it: {failure}", "check the address") from failure
