"""The dashboard's own files, and the one-time addresses that lead to it."""

import gzip
import html
import mimetypes
import os
from functools import lru_cache
from pathlib import Path
from typing import Any

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from hark.api.access.sign_in import SignIn, is_secure
from hark.api.service import service_of
from hark.daemon.viewing.browsers import COOKIE_S
from hark.model.errors import HarkError

STATIC = Path(__file__).parent.parent / "static"
FILES = ("manifest.webmanifest", "sw.js", "favicon.ico")
COMPRESSIBLE = frozenset({".js", ".css", ".svg"})
mimetypes.add_type("application/manifest+json", ".webmanifest")

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>hark</title></head>
<body><h1>{title}</h1><p>{words}</p><p>{hint}</p></body></html>
"""


class Assets(StaticFiles):
    """The files whose names hold a hash of their content: a browser need never ask for one twice."""

    def file_response(
        self, full_path: Any, stat_result: os.stat_result, scope: Scope, status_code: int = 200
    ) -> Response:
        response = super().file_response(full_path, stat_result, scope, status_code)
        if Path(full_path).suffix in COMPRESSIBLE and "gzip" in Headers(scope=scope).get("accept-encoding", ""):
            kind = mimetypes.guess_type(full_path)[0]
            response = Response(_compressed(full_path), media_type=kind, headers={"content-encoding": "gzip"})
        response.headers["cache-control"] = "public, max-age=31536000, immutable"
        response.headers["vary"] = "accept-encoding"
        return response


@lru_cache(maxsize=64)
def _compressed(path: str) -> bytes:
    """Return the content of a file in gzip form. A file never changes under its name, so it is compressed once."""
    return gzip.compress(Path(path).read_bytes(), compresslevel=9)


async def front_page(request: Request) -> Response:
    index = STATIC / "index.html"
    if not index.is_file():
        words = "The dashboard has not been built in this installation of hark."
        hint = "In a checkout of hark run <code>scripts/web-build</code> (it needs Node 20 or newer), then load this page again."
        return HTMLResponse(_PAGE.format(title="hark", words=words, hint=hint), 503)
    return FileResponse(index, headers={"cache-control": "no-cache"})


async def plain_file(request: Request) -> Response:
    path = STATIC / request.url.path.lstrip("/")
    if path.name not in FILES or not path.is_file():
        return Response(status_code=404)
    return FileResponse(path, headers={"cache-control": "no-cache"})


async def open_link(request: Request) -> Response:
    """Exchange a one-time code for a cookie and for the key of the browser's pages. The key stands behind the # of an address, which
    browsers send to nobody. A browser that only looks ahead does not use the code up."""
    if request.method == "HEAD" or "prefetch" in request.headers.get("sec-purpose", request.headers.get("purpose", "")):
        return Response(status_code=204)
    if "hark_sign_in" not in request.scope:
        return _refusal_page(HarkError("not-for-browsers", "one-time addresses are for browsers", "use TCP"))
    browsers = service_of(request).browsers
    try:
        browser, secret = await browsers.exchange(request.path_params["code"], request.headers.get("user-agent", ""))
    except HarkError as refusal:
        return _refusal_page(refusal)
    sign_in: SignIn = request.scope["hark_sign_in"]
    secure = is_secure(request.headers)
    response = RedirectResponse(f"/#key={sign_in.key_of(browser)}", 303)
    name = sign_in.cookie_name(is_secure=secure)
    response.set_cookie(name, secret, max_age=COOKIE_S, httponly=True, samesite="strict", secure=secure)
    return response


def _refusal_page(refusal: HarkError) -> Response:
    words, hint = html.escape(refusal.detail), html.escape(refusal.hint)
    return HTMLResponse(_PAGE.format(title="hark", words=f"{words} ({refusal.code}).", hint=hint), refusal.http_status)


def routes() -> list[Route | Mount]:
    folders = [Mount(f"/{name}", Assets(directory=STATIC / name, check_dir=False)) for name in ("assets", "icons")]
    return [
        Route("/", front_page),
        Route("/open/{code}", open_link),
        *(Route(f"/{name}", plain_file) for name in FILES),
        *folders,
    ]
