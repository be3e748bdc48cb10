"""The page's policy allows no inline code and no inline styles, and the page itself never breaks it; hostile words stay words."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, WebSocketRoute

from tests.browser.conftest import Dashboard
from tests.browser.fleet import Fleet
from tests.browser.pages import ask, open_session, wait_live
from tests.browser.terminals import Pane, wait_shown
from tests.integration.end_to_end.running import RunningHark
from tests.support.terminals import wait_until

DEADLINE_S = 60.0
Start = Callable[..., str]
_NO_WEBGL = """
const getContext = HTMLCanvasElement.prototype.getContext;
HTMLCanvasElement.prototype.getContext = function (kind, ...more) {
  return kind.startsWith("webgl") ? null : getContext.call(this, kind, ...more);
};
"""
_WATCH = """
addEventListener("securitypolicyviolation", (event) => violated(`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`));
"""
SCRIPT = "<img src=x onerror=ran()><script>ran()</script>\"'><svg onload=ran()>"


def watch(context: BrowserContext) -> list[str]:
    """Return a list that gets every break of the policy in pages of the device."""
    violations: list[str] = []
    context.expose_binding("violated", lambda _source, words: violations.append(words))
    context.add_init_script(_WATCH)
    return violations


def test_the_policy_forbids_everything_inline(dashboard: Dashboard) -> None:
    context = dashboard.device()
    violations = watch(context)
    page = wait_live(dashboard.sign_in(context))

    policy = page.evaluate("fetch('/').then((answer) => answer.headers.get('content-security-policy'))")
    assert "unsafe" not in policy
    page.evaluate(
        """() => {
          document.body.insertAdjacentHTML('beforeend', '<p id=proof style="position: fixed">x</p>');
          const style = document.createElementNS('http://www.w3.org/1999/xhtml', 'style');
          style.textContent = 'body { opacity: 0.5 }';
          document.head.append(style);
          const script = document.createElement('script');
          script.textContent = 'window.ranInline = true';
          document.head.append(script);
        }"""
    )

    assert page.evaluate("getComputedStyle(document.getElementById('proof')).position") == "static"
    assert page.evaluate("getComputedStyle(document.body).opacity") == "1"
    assert page.evaluate("window.ranInline") is None
    wait_until(lambda: page.evaluate("1") and len(violations) >= 3, DEADLINE_S, "three violations", lambda: violations)
    dashboard.complaints.clear()


@pytest.mark.parametrize("drawing", ["webgl", "html"])
def test_no_page_breaks_the_policy_with_a_terminal_open(hark: RunningHark, dashboard: Dashboard, drawing: str) -> None:
    Fleet(hark).start()
    context = dashboard.device()
    violations = watch(context)
    if drawing == "html":
        context.add_init_script(_NO_WEBGL)
    page = wait_live(dashboard.sign_in(context))
    message = hark.api("GET", "/sessions/docs/messages").json["messages"][0]["id"]
    asking = hark.session("infra/ci")["id"]

    for address in ("#/", "#/overview", "#/away", "#/search?q=cache", "#/settings", f"#/messages/{message}"):
        open_session(page, asking)
        wait_shown(page, "Run gh cache delete")
        page.evaluate("(address) => { location.hash = address; }", address)
        page.wait_for_selector(".xterm-screen", state="detached")
        page.wait_for_selector("main h1, main .queue-bar")
        if address == "#/overview":
            page.wait_for_selector(".plot canvas")

    assert violations == []


def test_colours_are_right_without_webgl(hark: RunningHark, session: Start, dashboard: Dashboard) -> None:
    a = session("a")
    context = dashboard.device()
    context.add_init_script(_NO_WEBGL)
    page = wait_live(dashboard.sign_in(context))
    open_session(page, a)
    Pane(hark, "a").type(r"printf '\e[38;2;1;2;3mcoloured\e[0m\n'")
    Pane(hark, "a").press("Enter")

    letters = page.locator(".xterm-rows span", has_text="coloured").last
    wait_until(
        lambda: letters.evaluate("(one) => getComputedStyle(one).color") == "rgb(1, 2, 3)",
        DEADLINE_S,
        "letters in their colour",
        lambda: page.locator(".xterm-rows").inner_html()[:2000],
    )


def test_hostile_words_run_nothing_and_change_no_page(hark: RunningHark, session: Start, dashboard: Dashboard) -> None:
    folder = hark.home / SCRIPT.replace("/", "∕")
    folder.mkdir()
    made = hark.json("new", "-d", "-n", "hostile", "-C", str(folder), "--", "bash", "--norc")
    a = str(made["id"])
    context = dashboard.device()
    ran: list[str] = []
    context.expose_binding("ran", lambda _source: ran.append("ran"))
    context.route_web_socket("**/live", rename)
    page = wait_live(dashboard.sign_in(context))
    refused = hark.api("POST", f"/sessions/{a}/signal", {"state": "needs_input", "text": SCRIPT})
    assert refused.status == 200
    assert hark.api("PATCH", f"/sessions/{a}", {"name": SCRIPT}).json["code"] == "name-invalid"
    hark.ok("send", "hostile", SCRIPT, "--from", "ci")
    pane = Pane(hark, "hostile")
    pane.type(
        f"printf '\\e]2;%s\\a%s\\n' \"$0\" ' {SCRIPT.replace(chr(39), '')}'; touch '{SCRIPT.replace('/', '').replace(chr(39), '')}'; ls"
    )
    pane.press("Enter")

    page.wait_for_selector(".name:has-text('<img src=x onerror=ran()>')")
    page.wait_for_selector(".need:has-text('<img src=x onerror=ran()>')")
    open_session(page, a)
    page.wait_for_selector("h1:has-text('<img src=x onerror=ran()>')")
    wait_shown(page, "onerror=ran()")
    for address in ("#/away", f"#/search?q={'onerror'}", "#/", "#/settings"):
        page.evaluate("(address) => { location.hash = address; }", address)
        page.wait_for_selector("main h1, main .queue-bar")
        if address == "#/away" or address.startswith("#/search"):
            page.wait_for_selector("main :text('<img src=x onerror=ran()>')")
        assert injected(page) == 0, address

    assert ran == []
    assert ask(page, "/dashboard/me")["status"] == 200


def rename(channel: WebSocketRoute) -> None:
    """Stand between page and daemon, and give the session a name that no daemon would accept."""
    daemon = channel.connect_to_server()

    def pass_on(message: str | bytes) -> None:
        hostile = json.dumps({"name": SCRIPT})[1:-1].replace('": "', '":"', 1)
        channel.send(message.replace('"name":"hostile"', hostile) if isinstance(message, str) else message)

    daemon.on_message(pass_on)


def injected(page: Page) -> int:
    count: int = page.evaluate(
        "document.querySelectorAll('main img, main script, main svg[onload], [onerror], [onload]').length"
    )
    return count
