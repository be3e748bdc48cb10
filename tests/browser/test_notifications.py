"""Desktop notifications go through the service worker, say what they should, lead to their session, and go away when it was seen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, Worker

from tests.browser.conftest import Dashboard
from tests.browser.ears import ATTENTION, Ears
from tests.browser.pages import ask, reports, signal, stored, wait_live, wait_report, wait_stored
from tests.integration.end_to_end.running import RunningHark
from tests.support.terminals import wait_until

DEADLINE_S = 60.0
Start = Callable[..., str]
# Tests that polled Chromium's list of notifications found it empty now and then, although Chromium had accepted the notification; the cause
# is not known. So the tests note what the page does.
_NOTE = """
const {showNotification} = ServiceWorkerRegistration.prototype;
ServiceWorkerRegistration.prototype.showNotification = async function (title, options) {
  await showNotification.call(this, title, options);
  displayed({title, ...options});
};
const {close} = Notification.prototype;
Notification.prototype.close = function () {
  withdrawn(this.tag);
  return close.call(this);
};
"""
# No program can click on a notification of Chromium, so the worker gets an event that says the same.
_CLICK = """
(notification) => {
  self.closed = false;
  const close = () => { self.closed = true; };
  self.dispatchEvent(Object.assign(new ExtendableEvent("notificationclick"), {notification: {...notification, close}}));
}
"""


class Desk:
    """A device that shows notifications: what was shown, and the tags of what was taken back."""

    def __init__(self, dashboard: Dashboard, *, is_granted: bool = True) -> None:
        self.context = dashboard.device()
        self.shown: list[dict[str, Any]] = []
        self.withdrawn: list[str] = []
        self.context.expose_binding("displayed", lambda _source, one: self.shown.append(one))
        self.context.expose_binding("withdrawn", lambda _source, tag: self.withdrawn.append(tag))
        self.context.add_init_script(_NOTE)
        if is_granted:
            self.context.grant_permissions(["notifications"], origin=dashboard.link().partition("/open/")[0])
        self.page = wait_live(dashboard.sign_in(self.context))

    def switch_on(self) -> None:
        """Switch notifications on and sound off, as a human does."""
        self.page.evaluate("location.hash = '#/settings'")
        self.page.locator("[aria-label=Notifications] button").click()
        self.page.wait_for_selector("[aria-label=Notifications] button[aria-pressed=true]")
        self.page.get_by_role("button", name="Sound on").click()
        self.page.evaluate("location.hash = '#/'")

    def wait_shown(self, tags: list[str]) -> None:
        wait_until(
            lambda: self.page.evaluate("1") and [one["tag"] for one in self.shown] == tags,
            DEADLINE_S,
            f"notifications with the tags {tags}",
            lambda: (self.shown, ask(self.page, "/dashboard/notifications")),
        )


def worker_of(page: Page) -> Worker:
    page.evaluate("navigator.serviceWorker.ready.then(() => 1)")
    wait_until(lambda: page.evaluate("1") and page.context.service_workers, DEADLINE_S, "a service worker")
    return page.context.service_workers[0]


@pytest.fixture
def desk(dashboard: Dashboard) -> Desk:
    desk = Desk(dashboard)
    desk.switch_on()
    return desk


def test_a_signal_is_shown_once_with_its_words_and_is_reported(
    hark: RunningHark, session: Start, dashboard: Dashboard, desk: Desk
) -> None:
    a = session("a")
    seq = signal(hark, a, "needs_input", "Which one, <b>left</b> or right?")

    desk.wait_shown([a])
    [notification] = desk.shown
    assert notification["title"] == "a: needs input"
    assert notification["body"] == "Which one, <b>left</b> or right?"
    assert notification["silent"] is True
    assert notification["data"] == {"open": f"#/sessions/{a}"}
    wait_report(dashboard, desk.page, a, "shown")
    [report] = reports(dashboard, desk.page)
    assert (report["channel"], report["nudge_seq"]) == ("desktop", seq)
    wait_stored(desk.page, f"schmux:ack:{a}", str(seq))


def test_a_reload_and_a_second_tab_show_nothing_again(
    hark: RunningHark, session: Start, dashboard: Dashboard, desk: Desk
) -> None:
    a, b = session("a"), session("b")
    wait_stored(desk.page, f"schmux:ack:{a}", str(signal(hark, a, "error", "It broke.")))

    desk.page.reload()
    second = dashboard.page(desk.context)
    second.goto(desk.page.url)
    wait_live(second)
    wait_stored(second, f"schmux:ack:{b}", str(signal(hark, b, "completed")))

    desk.wait_shown([a, b])


def test_a_newer_signal_of_a_session_replaces_its_notification(hark: RunningHark, session: Start, desk: Desk) -> None:
    a = session("a")
    signal(hark, a, "needs_input", "First?")
    desk.wait_shown([a])

    signal(hark, a, "needs_input", "Second?")

    # A browser shows only the newest notification of a tag.
    desk.wait_shown([a, a])
    assert [one["body"] for one in desk.shown] == ["First?", "Second?"]


def test_a_notification_goes_away_when_its_session_was_looked_at_on_any_device(
    hark: RunningHark, session: Start, dashboard: Dashboard, desk: Desk
) -> None:
    a, b = session("a"), session("b")
    signal(hark, a, "needs_input", "Which one?")
    desk.wait_shown([a])
    signal(hark, b, "needs_input", "And which one here?")
    desk.wait_shown([a, b])

    other = wait_live(dashboard.sign_in())
    other.bring_to_front()
    other.evaluate("(id) => { location.hash = `#/sessions/${id}`; }", a)

    wait_until(
        lambda: desk.page.evaluate("1") and a in desk.withdrawn, DEADLINE_S, "a withdrawal", lambda: desk.withdrawn
    )
    assert b not in desk.withdrawn


def test_a_click_opens_the_session_in_the_page_that_is_there(hark: RunningHark, session: Start, desk: Desk) -> None:
    a = session("a")
    signal(hark, a, "needs_input", "Which one?")
    desk.wait_shown([a])
    worker = worker_of(desk.page)

    worker.evaluate(_CLICK, {"data": desk.shown[0]["data"]})

    desk.page.wait_for_selector("h1:has-text('a')")
    assert desk.page.evaluate("location.hash") == f"#/sessions/{a}"
    assert worker.evaluate("self.closed") is True


def test_a_click_opens_a_page_if_none_is_there(desk: Desk) -> None:
    worker = worker_of(desk.page)
    # Only a click of a human may open a window; so the worker is asked which one it would open.
    worker.evaluate(
        """() => {
          self.clients.matchAll = async () => [];
          self.clients.openWindow = async (address) => { self.opened = address; return null; };
        }"""
    )

    worker.evaluate(_CLICK, {"data": {"open": "#/sessions/abc"}})

    wanted = f"{desk.page.url.partition('#')[0]}#/sessions/abc"
    wait_until(
        lambda: worker.evaluate("self.opened") == wanted,
        DEADLINE_S,
        "the window",
        lambda: worker.evaluate("self.opened"),
    )


def test_a_browser_that_forbids_notifications_says_so_and_loses_nothing(
    hark: RunningHark, session: Start, dashboard: Dashboard
) -> None:
    a = session("a")
    desk = Desk(dashboard, is_granted=False)
    ears = Ears(desk.context)
    page = desk.page
    page.evaluate("localStorage.setItem('hark:preferences', JSON.stringify({wantsNotifications: true, isMuted: true}))")
    page.reload()
    wait_live(page)

    seq = signal(hark, a, "needs_input", "Which one?")

    wait_until(
        lambda: [(one["channel"], one["outcome"]) for one in reports(dashboard, page)] == [("desktop", "failed")],
        DEADLINE_S,
        "a failed notification",
        lambda: reports(dashboard, page),
    )
    assert reports(dashboard, page)[0]["reason"].startswith("permission-")
    assert stored(page, f"schmux:ack:{a}") is None
    page.get_by_role("button", name="Sound off").click()
    ears.wait(page, ATTENTION)
    wait_stored(page, f"schmux:ack:{a}", str(seq))


def test_the_page_can_be_installed(desk: Desk) -> None:
    page = desk.page
    manifest = page.evaluate("fetch(document.querySelector('link[rel=manifest]').href).then((answer) => answer.json())")
    devtools = page.context.new_cdp_session(page)
    found = devtools.send("Page.getAppManifest")

    assert found["errors"] == []
    assert manifest["display"] == "standalone"
    assert manifest["start_url"]
    for icon in manifest["icons"]:
        assert page.evaluate("(address) => fetch(address).then((answer) => answer.status)", icon["src"]) == 200
    # Contexts of Playwright are private windows, in which nothing can be installed; the page itself has no fault.
    faults = [one["errorId"] for one in devtools.send("Page.getInstallabilityErrors")["installabilityErrors"]]
    assert faults == ["in-incognito"]
    assert page.evaluate("navigator.serviceWorker.ready.then((worker) => worker.active.state)") in (
        "activating",
        "activated",
    )
