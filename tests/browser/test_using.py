"""A human uses the dashboard: by keyboard alone, on a phone, with an input method, with a screen reader."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import Dashboard
from tests.browser.fleet import Fleet
from tests.browser.pages import open_session, signal, wait_live
from tests.integration.end_to_end.running import RunningHark
from tests.support.terminals import wait_until

AXE = Path(__file__).parents[2] / "web/node_modules/axe-core/axe.min.js"
DEADLINE_S = 60.0
Start = Callable[..., str]


def messages(hark: RunningHark, session: str) -> list[dict[str, Any]]:
    return list(hark.api("GET", f"/sessions/{session}/messages").json["messages"])


def wait_texts(hark: RunningHark, session: str, texts: list[str]) -> None:
    def sent() -> list[str]:
        return [str(message["text"]) for message in messages(hark, session)]

    wait_until(lambda: len(sent()) >= len(texts), DEADLINE_S, f"the messages {texts}", lambda: str(sent()))
    assert sorted(sent()) == sorted(texts)


@pytest.fixture
def page(dashboard: Dashboard) -> Page:
    return wait_live(dashboard.sign_in())


def test_everything_in_the_queue_goes_by_keyboard(hark: RunningHark, session: Start, page: Page) -> None:
    a, b = session("a"), session("b")
    signal(hark, b, "needs_input", "Which one?")
    page.wait_for_selector("text=Which one?")

    page.keyboard.press("j")
    page.wait_for_selector(f"[data-session='{b}']:focus")
    page.keyboard.press("j")
    page.wait_for_selector(f"[data-session='{a}']:focus")
    page.keyboard.press("H")
    page.wait_for_selector("text=a is held")
    wait_until(lambda: hark.session("a")["do_not_disturb_since"], DEADLINE_S, "the hold")
    page.keyboard.press("m")
    page.keyboard.type("from the keyboard")
    page.keyboard.press("Enter")
    wait_texts(hark, a, ["from the keyboard"])
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    page.keyboard.type("which")
    page.keyboard.press("Enter")
    page.wait_for_selector(f"[data-session='{a}']", state="detached")
    page.keyboard.press("j")
    page.wait_for_selector(f"[data-session='{b}']:focus")
    page.keyboard.press("Space")
    page.wait_for_selector("text=b is marked as seen")
    page.keyboard.press("?")
    page.wait_for_selector("dialog[open]")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog[open]", state="detached")
    page.keyboard.press("Enter")
    page.wait_for_selector("h1:has-text('b')")


def test_the_composer_keeps_a_text_that_was_not_sent(
    hark: RunningHark, session: Start, dashboard: Dashboard, page: Page
) -> None:
    a = session("a")
    open_session(page, a)
    field = page.locator(f"textarea[data-composer='{a}']")
    field.fill("one line")
    field.press("Shift+Enter")
    field.press_sequentially("another")

    page.reload()
    wait_live(page)
    assert field.input_value() == "one line\nanother"
    page.route("**/send", lambda route: route.abort())
    field.press("Enter")
    page.wait_for_selector("text=Not sent, the text is kept")
    assert field.input_value() == "one line\nanother"
    page.unroute("**/send")
    field.press("Enter")

    wait_texts(hark, a, ["one line\nanother"])
    wait_until(lambda: field.input_value() == "", DEADLINE_S, "an empty composer")


def test_an_answer_that_was_lost_on_its_way_does_not_send_twice(hark: RunningHark, session: Start, page: Page) -> None:
    a = session("a")
    open_session(page, a)
    field = page.locator(f"textarea[data-composer='{a}']")
    field.fill("only once")

    def lose_the_answer(route: Any) -> None:
        route.fetch()
        route.abort()

    page.route("**/send", lose_the_answer)
    field.press("Enter")
    page.wait_for_selector("text=Not sent, the text is kept")
    page.unroute("**/send")
    field.press("Enter")

    wait_until(lambda: field.input_value() == "", DEADLINE_S, "an empty composer")
    wait_texts(hark, a, ["only once"])


def test_the_enter_of_an_input_method_never_sends(hark: RunningHark, session: Start, page: Page) -> None:
    a = session("a")
    open_session(page, a)
    field = page.locator(f"textarea[data-composer='{a}']")
    field.click()
    session_of_page = page.context.new_cdp_session(page)

    session_of_page.send("Input.imeSetComposition", {"text": "にほん", "selectionStart": 3, "selectionEnd": 3})
    session_of_page.send(
        "Input.dispatchKeyEvent", {"type": "rawKeyDown", "key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 229}
    )
    session_of_page.send("Input.insertText", {"text": "日本"})
    assert field.input_value() == "日本"
    field.press("Enter")

    wait_texts(hark, a, ["日本"])


def test_a_held_message_says_why_and_a_human_can_end_the_hold(hark: RunningHark, session: Start, page: Page) -> None:
    session("a")
    hark.ok("hold", "a")
    message = hark.ok("send", "a", "good news", "-q").strip()
    page.wait_for_selector("text=1 message held: do not disturb")

    page.locator(".row").get_by_role("button", name="End the hold").click()

    wait_until(lambda: hark.session("a")["do_not_disturb_since"] is None, DEADLINE_S, "the release")
    wait_until(lambda: hark.message(message)["reason"] != "do-not-disturb", DEADLINE_S, "another reason, or none")


def test_what_agents_and_senders_write_is_text(hark: RunningHark, session: Start, page: Page) -> None:
    a = session("a")
    hark.ok("send", "a", "<img src=x onerror=alert(1)>", "--from", "ci")
    signal(hark, a, "needs_input", "<b>bold</b><script>alert(1)</script>")

    page.wait_for_selector("text=<b>bold</b>")

    assert page.locator(".row b", has_text="bold").count() == 0
    open_session(page, a)
    page.wait_for_selector("text=<img src=x")
    assert page.locator("main img").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_has_a_defect_that_axe_finds_or_is_wider_than_a_phone(
    hark: RunningHark, dashboard: Dashboard, scheme: str
) -> None:
    Fleet(hark).start()
    phone = dashboard.device(color_scheme=scheme, viewport={"width": 360, "height": 740}, has_touch=True)
    page = wait_live(dashboard.sign_in(phone))
    page.wait_for_selector("text=Keep the old endpoint")
    asking = hark.session("infra/ci")["id"]

    for address in ("#/", f"#/sessions/{asking}", "#/overview", "#/away", "#/search?q=cache", "#/settings"):
        page.evaluate("(address) => { location.hash = address; }", address)
        page.wait_for_selector("main h1")
        if "sessions" in address:
            page.wait_for_selector(".terminal-box .xterm-screen")
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, address
        assert defects(page) == [], address


def defects(page: Page) -> list[str]:
    page.evaluate(AXE.read_text() + "; 1")
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
    return [f"{one['id']}: {node['target']} {node['failureSummary']}" for one in found for node in one["nodes"]]
