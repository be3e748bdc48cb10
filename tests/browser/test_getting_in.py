"""A one-time address leads to the dashboard, and only once."""

from __future__ import annotations

import http.client
from urllib.parse import urlsplit

from playwright.sync_api import Response

from tests.browser.conftest import Dashboard
from tests.browser.neighbour import neighbour
from tests.browser.pages import ask, wait_live


def test_an_address_becomes_a_cookie_that_scripts_cannot_read(dashboard: Dashboard) -> None:
    page = dashboard.sign_in()

    assert urlsplit(page.url).path == "/"
    assert page.evaluate("document.cookie") == ""
    assert ask(page, "/dashboard/me")["status"] == 200


def test_a_second_browser_does_not_get_in_by_the_same_address(dashboard: Dashboard) -> None:
    url = dashboard.link()
    first, second = dashboard.page(dashboard.device()), dashboard.page(dashboard.device())
    first.goto(url)
    refused = second.goto(url)

    assert refused is not None
    assert refused.status == 403
    assert "run hark dashboard" in second.inner_text("body").replace("`", "")
    second.goto(f"http://{urlsplit(url).netloc}/")
    assert ask(second, "/dashboard/me")["status"] == 401


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


def test_the_cookie_that_a_server_on_another_port_sees_is_worth_nothing(dashboard: Dashboard) -> None:
    page = wait_live(dashboard.sign_in())
    netloc = urlsplit(page.url).netloc
    with neighbour() as other:
        dashboard.page(page.context).goto(other.address)

        [seen] = other.cookies
        assert seen.startswith("hark_")
        connection = http.client.HTTPConnection(netloc)
        forged = {"Cookie": seen, "Origin": f"http://{netloc}", "Host": netloc, "Sec-Fetch-Site": "same-origin"}
        connection.request("GET", "/sessions", headers=forged)
        assert connection.getresponse().status == 401
        connection.close()
    assert ask(page, "/dashboard/me")["status"] == 200


def test_a_server_on_another_port_that_overwrites_the_cookie_only_signs_the_browser_out(dashboard: Dashboard) -> None:
    victim, attacker = dashboard.device(), dashboard.device()
    page = wait_live(dashboard.sign_in(victim))
    dashboard.sign_in(attacker, user="attacker")
    [own], [foreign] = victim.cookies(), attacker.cookies()
    with neighbour() as other:
        other.sets = f"{own['name']}={foreign['value']}; Path=/"
        dashboard.page(victim).goto(other.address)

    assert ask(page, "/dashboard/me")["status"] == 401
    page.reload()
    page.wait_for_selector("text=This browser is not signed in")
    page.get_by_label("One-time address").fill(dashboard.link())
    assert ask(wait_live(page), "/dashboard/me")["user"] != "attacker"


def test_the_key_leaves_the_address_at_once(dashboard: Dashboard) -> None:
    page = wait_live(dashboard.sign_in())

    assert urlsplit(page.url).fragment == ""
    page.reload()
    wait_live(page)


def test_the_first_paint_takes_less_than_30_kb(dashboard: Dashboard) -> None:
    page = dashboard.page(dashboard.device())
    loaded: list[Response] = []
    page.on("response", lambda response: loaded.append(response))
    page.goto(dashboard.link())
    page.wait_for_selector(".queue-bar")

    sizes = {
        urlsplit(one.url).path: one.request.sizes()["responseBodySize"]
        for one in loaded
        if urlsplit(one.url).path.endswith((".js", ".css")) and "sw.js" not in one.url
    }
    assert len(sizes) >= 2
    assert sum(sizes.values()) < 30_000, sizes
    assert not any("view" in path or "xterm" in path for path in sizes)
