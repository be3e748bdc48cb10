"""Who gets in, from where, and what they may do."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.integration.dashboard.calling import WebBrowser
from tests.integration.end_to_end.calling import Answer
from tests.integration.end_to_end.running import RunningHark

WRITES = [
    ("POST", "/send", {"to": ["*"], "text": "hi"}),
    ("POST", "/sessions", {"command": ["sleep", "1000"]}),
    ("POST", "/sessions/nobody/hold", None),
    ("DELETE", "/sessions/nobody", None),
    ("PATCH", "/sessions/nobody", {"name": "x"}),
    ("PUT", "/dashboard/acknowledgements", {"subject": "away", "seq": 1}),
    ("DELETE", "/dashboard/browsers/all", None),
    ("POST", "/mcp", {}),
    ("POST", "/shutdown", None),
    ("POST", "/no/such/call", None),
]
FOREIGN = ["http://evil.example", "http://127.0.0.1:1", "http://localhost.evil.example", "https://127.0.0.1", "null"]


def check_refused(answer: Answer, status: int, code: str) -> None:
    assert (answer.status, answer.json["code"]) == (status, code), answer.body
    assert answer.json["hint"]


def test_an_address_lets_one_browser_in_and_only_once(hark: RunningHark, browser: WebBrowser) -> None:
    again = browser.ask("GET", urlsplit(browser.url).path, origin=None)

    assert again.status == 403
    assert b"code-used" in again.body
    assert "set-cookie" not in again.headers
    assert browser.ask("GET", "/dashboard/me").json["is_read_only"] is False
    for attribute in ("HttpOnly", "SameSite=strict", "Path=/"):
        assert attribute in browser.cookie_line


def test_an_unknown_address_lets_nobody_in(browser: WebBrowser) -> None:
    answer = browser.ask("GET", "/open/%3Cscript%3Ealert(1)", origin=None)

    assert answer.status == 403
    assert b"<script" not in answer.body
    assert "set-cookie" not in answer.headers


def test_a_browser_that_only_looks_ahead_does_not_use_an_address_up(hark: RunningHark, browser: WebBrowser) -> None:
    link = urlsplit(hark.api("POST", "/dashboard/links", {}).json["url"]).path

    assert browser.ask("HEAD", link, origin=None).status == 204
    assert browser.ask("GET", link, origin=None, Sec_Purpose="prefetch;prerender").status == 204
    assert browser.ask("GET", link, origin=None).status == 303


@pytest.mark.parametrize(
    "cookie", [None, "", "hark_1=x", "{name}=", "{name}=wrong", '{name}="wrong"', ";;;==", "{name}"]
)
def test_without_its_cookie_a_browser_is_turned_away(browser: WebBrowser, cookie: str | None) -> None:
    given = cookie and cookie.replace("{name}", browser.cookie.key)
    for path in ("/sessions", "/dashboard/snapshot", "/dashboard/me", "/events", "/metrics", "/openapi.json"):
        assert browser.ask("GET", path, Cookie=given).status in (400, 401)
    with pytest.raises(InvalidStatus), browser.socket(Cookie=given or ""):
        pass


def test_the_cookie_alone_opens_nothing(hark: RunningHark, browser: WebBrowser) -> None:
    other = WebBrowser(hark)
    for key in (None, "", "0" * 64, other.key, browser.key + "0", "é"):
        check_refused(browser.ask("GET", "/sessions", Hark_Page_Key=key), 401, "not-signed-in")
        check_refused(browser.ask("POST", "/send", {}, Hark_Page_Key=key), 401, "not-signed-in")
    for protocols in ([], ["hark"], ["hark", f"hark-key.{other.key}"], [f"hark-key.{browser.key}x"]):
        for path in ("/live", "/events"):
            with pytest.raises(InvalidStatus), browser.socket(path, protocols=protocols):
                pass


def test_a_key_alone_opens_nothing(browser: WebBrowser) -> None:
    assert browser.ask("GET", "/sessions", Cookie=None).status == 401
    assert browser.ask("GET", "/sessions", Cookie=f"{browser.cookie.key}={browser.key}").status == 401


def test_two_installations_on_one_machine_have_cookies_of_their_own(browser: WebBrowser) -> None:
    with RunningHark(dashboard_port="0") as another:
        other = WebBrowser(another)

        assert other.cookie.key.rpartition("_")[2] != browser.cookie.key.rpartition("_")[2]
        assert str(other.port) in other.cookie.key
        both = f"{browser.cookie_header}; {other.cookie_header}"
        assert browser.ask("GET", "/sessions", Cookie=both).status == 200
        assert other.ask("GET", "/sessions", Cookie=both).status == 200


@pytest.mark.parametrize("origin", FOREIGN)
def test_a_page_of_another_origin_is_turned_away_even_with_the_cookie(browser: WebBrowser, origin: str) -> None:
    check_refused(browser.ask("GET", "/sessions", origin=origin), 403, "origin-refused")
    check_refused(browser.ask("POST", "/send", {}, origin=origin), 403, "origin-refused")
    for path in ("/live", "/events"):
        with pytest.raises(InvalidStatus), browser.socket(path, Origin=origin):
            pass


def test_a_change_and_a_websocket_need_an_origin_when_a_cookie_lets_them_in(browser: WebBrowser) -> None:
    check_refused(browser.ask("POST", "/send", {}, origin=None), 403, "origin-refused")
    with pytest.raises(InvalidStatus), browser.socket(Origin=""):
        pass


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_page_of_another_port_cannot_even_read(browser: WebBrowser, site: str) -> None:
    check_refused(browser.ask("GET", "/sessions", origin=None, Sec_Fetch_Site=site), 403, "origin-refused")
    assert browser.ask("GET", "/", origin=None, Sec_Fetch_Site=site).status in (200, 503)


@pytest.mark.parametrize("host", ["evil.example", "evil.example:{port}", "127.0.0.1.evil.example", "127.0.0.1:1", ""])
def test_a_name_that_was_pointed_at_us_is_refused_for_everything(browser: WebBrowser, host: str) -> None:
    named = host.replace("{port}", str(browser.port))
    for path in ("/", "/sessions", "/assets/x.js", "/open/x"):
        check_refused(browser.ask("GET", path, origin=None, Host=named), 403, "host-refused")
    if named:
        with pytest.raises(InvalidStatus), browser.socket(host=named):
            pass
    with pytest.raises(InvalidStatus), browser.socket(Host=named):
        pytest.fail("a second Host was let in")


@pytest.mark.parametrize(("method", "path", "body"), WRITES)
def test_a_browser_that_may_only_look_changes_nothing(reader: WebBrowser, method: str, path: str, body: object) -> None:
    check_refused(reader.ask(method, path, body), 403, "read-only")


def test_a_browser_that_may_only_look_can_look_and_leave(reader: WebBrowser) -> None:
    assert reader.ask("GET", "/dashboard/me").json["is_read_only"] is True
    assert reader.ask("GET", "/sessions").status == 200
    with reader.live() as live:
        assert live.snapshot["me"]["is_read_only"] is True

    left = reader.ask("POST", "/dashboard/leave")

    assert left.status == 200
    assert "Max-Age=0" in left.headers["set-cookie"]
    assert reader.ask("GET", "/sessions").status == 401


@pytest.mark.parametrize(
    "frame",
    [
        {"type": "acknowledge", "subject": "away", "seq": 1},
        {"type": "notified", "session_id": "x", "nudge_seq": 1, "channel": "sound", "outcome": "shown", "reason": ""},
        {"type": "take-size", "terminal": 1, "columns": 80, "rows": 24},
        {"type": "take-keyboard", "terminal": 1},
        {"type": "keys", "terminal": 1, "data": "x"},
    ],
)
def test_a_browser_that_may_only_look_changes_nothing_over_the_websocket(
    reader: WebBrowser, frame: dict[str, object]
) -> None:
    with reader.live() as live:
        live.say(**frame)
        refusal = live.refusal()

    assert (refusal["re"], refusal["code"]) == (frame["type"], "read-only")


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/dashboard/links"),
        ("POST", "/dashboard/close"),
        ("POST", "/shutdown"),
        ("POST", "/restart"),
        ("POST", "/hooks"),
        ("POST", "/mcp"),
        ("POST", "/sessions/a/b/signal"),
        ("POST", "/sessions/run"),
    ],
)
def test_a_page_cannot_do_what_belongs_to_programs(browser: WebBrowser, method: str, path: str) -> None:
    check_refused(browser.ask(method, path, {}), 403, "not-for-browsers")


def test_revoking_a_browser_cuts_its_pages_off_at_once(hark: RunningHark, browser: WebBrowser) -> None:
    other = WebBrowser(hark)
    me = browser.ask("GET", "/dashboard/me").json["browser_id"]
    with browser.live() as live, other.live() as bystander:
        listed = {one["id"]: one for one in hark.json("dashboard", "sessions")["browsers"]}
        assert listed[me]["is_connected"]

        hark.ok("dashboard", "revoke", me)

        assert live.wait_for("bye")["reason"] == "revoked"
        with pytest.raises(ConnectionClosed) as closed:
            live.receive()
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 4001
        bystander.ping()
    assert browser.ask("GET", "/sessions").status == 401
    assert other.ask("GET", "/sessions").status == 200
    assert hark.refused("dashboard", "revoke", me).code == "browser-not-found"


def test_browsers_and_the_port_outlive_the_daemon(hark: RunningHark, browser: WebBrowser) -> None:
    hark.ok("daemon", "restart")

    assert browser.ask("GET", "/dashboard/me").status == 200


def test_closing_the_dashboard_lets_nobody_in_any_more() -> None:
    with RunningHark(dashboard_port="0") as hark:
        browser = WebBrowser(hark)
        hark.ok("dashboard", "close")

        with pytest.raises(OSError, match=r"refused|reset"):
            browser.ask("GET", "/")
        hark.ok("daemon", "restart")
        with pytest.raises(OSError, match=r"refused|reset"):
            browser.ask("GET", "/")
        assert WebBrowser(hark).ask("GET", "/sessions").status == 200
        assert hark.json("dashboard", "sessions")["browsers"][0]["is_connected"] is False


def test_a_reverse_proxy_is_let_in_by_its_name() -> None:
    with RunningHark(dashboard_port="0", dashboard_hosts="box.example.ts.net, dash.example:8443") as hark:
        browser = WebBrowser(hark)
        through = {"Host": "box.example.ts.net", "origin": "https://box.example.ts.net"}

        assert browser.ask("POST", "/send", {"to": ["*"], "text": "x"}, **through).status != 403
        own = "https://dash.example:8443"
        assert browser.ask("GET", "/sessions", Host="dash.example:8443", origin=own).status == 200
        with browser.live(host="box.example.ts.net", Origin="https://box.example.ts.net") as live:
            live.ping()
        check_refused(browser.ask("GET", "/sessions", Host="dash.example:1"), 403, "host-refused")
        check_refused(browser.ask("GET", "/sessions", origin="https://other.example"), 403, "origin-refused")
        link = urlsplit(hark.api("POST", "/dashboard/links", {}).json["url"]).path
        opened = browser.ask("GET", link, origin=None, Host="box.example.ts.net", X_Forwarded_Proto="https")
        assert "Secure" in opened.headers["set-cookie"]
        assert opened.headers["set-cookie"].startswith(f"__Host-{browser.cookie.key}=")
        safe, key = opened.headers["set-cookie"].partition(";")[0], opened.headers["location"].partition("=")[2]
        assert browser.ask("GET", "/sessions", Cookie=safe, Hark_Page_Key=key, **through).status == 200


def test_every_answer_keeps_a_page_in_its_place(browser: WebBrowser) -> None:
    for path in ("/", "/sessions", "/no/such/page", "/open/x"):
        headers = browser.ask("GET", path, origin=None).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self';" in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize(
    "path", ["/assets/../server.py", "/assets/..%2f..%2fserver.py", "/icons/%2e%2e/x", "/sw.js/.."]
)
def test_only_files_of_the_dashboard_are_served(browser: WebBrowser, path: str) -> None:
    answer = browser.ask("GET", path, origin=None)

    assert answer.status in (401, 404)
    assert b"import" not in answer.body


def test_the_command_opens_a_browser_without_showing_the_address_to_others(hark: RunningHark, tmp_path: Path) -> None:
    script = tmp_path / "browser"
    script.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/said\n')
    script.chmod(0o755)

    told = hark.run("dashboard", environment={"BROWSER": str(script)})

    said = (tmp_path / "said").read_text().strip()
    page = Path(urlsplit(said).path)
    assert told.returncode == 0
    assert told.stdout == ""
    assert "/open/" not in said
    assert os.stat(page).st_mode & 0o777 == 0o600
    assert "/open/" in page.read_text()


def test_without_a_browser_the_command_prints_the_address(hark: RunningHark) -> None:
    printed = hark.run("dashboard", environment={"BROWSER": "", "DISPLAY": "", "WAYLAND_DISPLAY": ""})

    assert printed.stdout.startswith("http://127.0.0.1:")
    assert "ssh -L" in printed.stderr
