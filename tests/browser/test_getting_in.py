"""A one-time address leads to the dashboard, and only once."""

from __future__ import annotations

from urllib.parse import urlsplit

from tests.browser.conftest import Dashboard


def test_an_address_becomes_a_cookie_that_scripts_cannot_read(dashboard: Dashboard) -> None:
    page = dashboard.sign_in()

    assert urlsplit(page.url).path == "/"
    assert page.evaluate("document.cookie") == ""
    assert page.evaluate("fetch('/dashboard/me').then((answer) => answer.status)") == 200


def test_a_second_browser_does_not_get_in_by_the_same_address(dashboard: Dashboard) -> None:
    url = dashboard.link()
    first, second = dashboard.page(dashboard.device()), dashboard.page(dashboard.device())
    first.goto(url)
    refused = second.goto(url)

    assert refused is not None
    assert refused.status == 403
    assert "run hark dashboard" in second.inner_text("body").replace("`", "")
    second.goto(f"http://{urlsplit(url).netloc}/")
    assert second.evaluate("fetch('/dashboard/me').then((answer) => answer.status)") == 401


def test_a_page_of_another_local_server_reaches_nothing(dashboard: Dashboard) -> None:
    page = dashboard.sign_in()
    netloc = urlsplit(page.url).netloc
    other = dashboard.page(page.context)
    other.route("http://127.0.0.1:9/**", lambda route: route.fulfill(body="<p>evil</p>", content_type="text/html"))
    other.goto("http://127.0.0.1:9/")

    script = """async (netloc) => {
      const read = await fetch(`http://${netloc}/sessions`, {credentials: "include", mode: "no-cors"})
        .then((answer) => answer.type, () => "failed");
      const socket = await new Promise((done) => {
        const channel = new WebSocket(`ws://${netloc}/live`);
        channel.onopen = () => done("open");
        channel.onerror = () => done("refused");
      });
      return {read, socket};
    }"""
    told = other.evaluate(script, netloc)

    assert told["socket"] == "refused"
    assert told["read"] in ("opaque", "failed")
    dashboard.complaints.clear()
