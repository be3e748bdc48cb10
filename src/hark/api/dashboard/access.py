"""Calls about who may look at the dashboard: one-time addresses, and the browsers that were let in."""

from datetime import datetime
from typing import Annotated

from msgspec import Meta, Struct
from starlette.requests import HTTPConnection
from starlette.requests import Request as HttpRequest
from starlette.responses import Response as HttpResponse

from hark import __version__
from hark.api.access.sign_in import is_secure
from hark.api.dashboard.entrance import Entrance
from hark.api.route import Call
from hark.api.service import service_of
from hark.api.shapes.foundation import Nothing, Request, Response
from hark.daemon.viewing.browsers import own_user
from hark.model.viewer import Browser


class NewLink(Request, frozen=True, kw_only=True):
    is_read_only: bool = False
    """True to make an address for somebody who may only look."""
    user: Annotated[str, Meta(min_length=1, max_length=64)] | None = None
    """The person who will look: acknowledgements are kept for each person. By default the owner of the daemon."""
    seconds: Annotated[float, Meta(ge=1, le=3600)] = 120.0
    """How long the address can be opened."""


class LinkInfo(Response, frozen=True, kw_only=True):
    url: str
    """The address. It works once."""
    address: str
    """The address of the dashboard itself, for browsers that are let in already."""
    seconds: float
    is_built: bool
    """False if this installation of hark lacks the built dashboard."""


class Me(Response, frozen=True, kw_only=True):
    user: str
    """The person whose acknowledgements the caller sets."""
    browser_id: str | None
    """The caller's browser; null over the unix socket and with the token."""
    is_read_only: bool
    version: str
    instance: str
    """An id of the running daemon, which is different after every start."""


class BrowserInfo(Response, frozen=True, kw_only=True):
    id: str
    user: str
    is_read_only: bool
    user_agent: str
    created_at: datetime
    last_seen_at: datetime
    expires_at: datetime
    is_connected: bool
    """True if a page of this browser is open now."""
    is_this: bool
    """True if this browser asks."""


class BrowserList(Response, frozen=True, kw_only=True):
    browsers: list[BrowserInfo]


class Viewer(Struct, frozen=True):
    """Whoever makes a request: a browser, or a program with all rights."""

    user: str
    browser: Browser | None

    @property
    def is_read_only(self) -> bool:
        return self.browser is not None and self.browser.is_read_only


def viewer_of(connection: HTTPConnection) -> Viewer:
    browser: Browser | None = connection.scope.get("hark_browser")
    return Viewer(browser.user if browser else own_user(), browser)


def me_info(connection: HTTPConnection) -> Me:
    viewer = viewer_of(connection)
    return Me(
        user=viewer.user,
        browser_id=viewer.browser.id if viewer.browser else None,
        is_read_only=viewer.is_read_only,
        version=__version__,
        instance=service_of(connection).instance,
    )


async def make_link(request: HttpRequest, body: NewLink) -> LinkInfo:
    from hark.api.dashboard.pages import STATIC

    entrance: Entrance = request.app.state.entrance
    address = entrance.open()
    code = service_of(request).browsers.make_link(user=body.user, is_read_only=body.is_read_only, seconds=body.seconds)
    is_built = (STATIC / "index.html").is_file()
    return LinkInfo(url=f"{address}/open/{code}", address=f"{address}/", seconds=body.seconds, is_built=is_built)


async def close_dashboard(request: HttpRequest, _: None) -> Nothing:
    """Close the port, and revoke all browsers."""
    browsers = service_of(request).browsers
    for browser in browsers.all():
        await browsers.revoke(browser.id)
    entrance: Entrance = request.app.state.entrance
    entrance.close()
    return Nothing()


async def get_me(request: HttpRequest, _: None) -> Me:
    return me_info(request)


async def leave(request: HttpRequest, _: None) -> HttpResponse:
    viewer = viewer_of(request)
    if viewer.browser:
        await service_of(request).browsers.revoke(viewer.browser.id)
    response = HttpResponse(b"{}", media_type="application/json")
    if sign_in := request.scope.get("hark_sign_in"):
        secure = is_secure(request.headers)
        response.delete_cookie(sign_in.cookie_name(is_secure=secure), secure=secure, httponly=True, samesite="strict")
    return response


async def list_browsers(request: HttpRequest, _: None) -> BrowserList:
    browsers, viewer = service_of(request).browsers, viewer_of(request)
    return BrowserList(
        browsers=[
            BrowserInfo(
                id=one.id,
                user=one.user,
                is_read_only=one.is_read_only,
                user_agent=one.user_agent,
                created_at=one.created_at,
                last_seen_at=one.last_seen_at,
                expires_at=one.expires_at,
                is_connected=browsers.is_connected(one.id),
                is_this=viewer.browser is not None and viewer.browser.id == one.id,
            )
            for one in browsers.all()
        ]
    )


async def revoke_browser(request: HttpRequest, _: None) -> Nothing:
    browsers, wanted = service_of(request).browsers, request.path_params["browser"]
    for browser_id in [one.id for one in browsers.all()] if wanted == "all" else [wanted]:
        await browsers.revoke(browser_id)
    return Nothing()


CALLS = (
    Call(
        method="POST",
        path="/dashboard/links",
        summary="Make a one-time address of the dashboard, and open its port. For the unix socket and the token only.",
        handler=make_link,
        body=NewLink,
        response=LinkInfo,
        status=201,
        errors=("config-invalid", "loop-limit", "not-for-browsers"),
    ),
    Call(
        method="POST",
        path="/dashboard/close",
        summary="Revoke all browsers, and close the dashboard's port unless the setting `listen` opens it.",
        handler=close_dashboard,
        response=Nothing,
        errors=("not-for-browsers",),
    ),
    Call(
        method="GET",
        path="/dashboard/me",
        summary="Say who asks: the user, and whether the caller may only look.",
        handler=get_me,
        response=Me,
        errors=("not-signed-in",),
    ),
    Call(
        method="POST",
        path="/dashboard/leave",
        summary="End the browser session of the caller.",
        handler=leave,
        response=Nothing,
        errors=("not-signed-in",),
    ),
    Call(
        method="GET",
        path="/dashboard/browsers",
        summary="List the browsers that may look at the dashboard.",
        handler=list_browsers,
        response=BrowserList,
    ),
    Call(
        method="DELETE",
        path="/dashboard/browsers/{browser}",
        summary="Revoke a browser by its id, or all of them with `all`; their connections are closed at once.",
        handler=revoke_browser,
        response=Nothing,
        errors=("browser-not-found", "read-only"),
    ),
)
