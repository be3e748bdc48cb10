"""Every signal alerts exactly once: over reloads, tabs, devices, restarts of the daemon, and browsers that block sound.

A silence is proved by a later alert of another session: when that one is heard, everything before it was decided."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Playwright

from tests.browser.conftest import Dashboard, find_chromium
from tests.browser.ears import ATTENTION, COMPLETION, DEADLINE_S, Ears
from tests.browser.pages import open_session, reports, signal, stored, wait_live, wait_report, wait_stored
from tests.integration.end_to_end.running import RunningHark
from tests.support.terminals import wait_until

Start = Callable[[str], str]


def outcomes(hark: RunningHark) -> list[tuple[str, str]]:
    """What became of alerts, read without a browser."""
    listed = hark.api("GET", "/dashboard/notifications").json["notifications"]
    return [(report["outcome"], report["reason"]) for report in listed]


@pytest.fixture
def device(dashboard: Dashboard) -> tuple[Page, Ears]:
    context = dashboard.device()
    ears = Ears(context)
    return wait_live(dashboard.sign_in(context)), ears


def test_a_signal_sounds_once_and_a_reload_is_silent(
    hark: RunningHark, session: Start, device: tuple[Page, Ears]
) -> None:
    a, b = session("a"), session("b")
    page, ears = device

    seq = signal(hark, a, "needs_input", "Which one?")
    ears.wait(page, ATTENTION)
    wait_stored(page, f"schmux:ack:{a}", str(seq))
    wait_live(page).reload()
    wait_live(page)
    signal(hark, b, "completed")

    ears.wait(page, ATTENTION + COMPLETION)


def test_a_new_signal_after_a_reload_sounds(hark: RunningHark, session: Start, device: tuple[Page, Ears]) -> None:
    a = session("a")
    page, ears = device
    first = signal(hark, a, "needs_input", "Which one?")
    wait_stored(page, f"schmux:ack:{a}", str(first))
    page.reload()
    wait_live(page)

    second = signal(hark, a, "error", "It broke.")

    assert second > first
    ears.wait(page, ATTENTION + ATTENTION)


def test_two_tabs_sound_each_signal_once(
    hark: RunningHark, session: Start, dashboard: Dashboard, device: tuple[Page, Ears]
) -> None:
    a = session("a")
    page, ears = device
    second = dashboard.page(page.context)
    second.goto(page.url)
    wait_live(second)

    for number in range(5):
        seq = signal(hark, a, "needs_input", f"Question {number}")
        wait_stored(second, f"schmux:ack:{a}", str(seq))

    ears.wait(second, ATTENTION * 5)


def test_when_the_tab_that_sounds_is_closed_another_one_sounds(
    hark: RunningHark, session: Start, dashboard: Dashboard, device: tuple[Page, Ears]
) -> None:
    a = session("a")
    page, ears = device
    second = dashboard.page(page.context)
    second.goto(page.url)
    wait_live(second)
    page.close()

    signal(hark, a, "needs_input", "Which one?")

    ears.wait(second, ATTENTION)


def test_a_signal_that_came_while_every_tab_was_closed_sounds_when_one_is_opened(
    hark: RunningHark, session: Start, dashboard: Dashboard, device: tuple[Page, Ears]
) -> None:
    a = session("a")
    page, ears = device
    address, context = page.url, page.context
    page.close()
    signal(hark, a, "needs_input", "Is anybody there?")

    again = dashboard.page(context)
    again.goto(address)

    ears.wait(again, ATTENTION)


def test_a_restart_of_the_daemon_repeats_nothing_and_loses_nothing(
    hark: RunningHark, session: Start, device: tuple[Page, Ears]
) -> None:
    a, b = session("a"), session("b")
    page, ears = device
    seq = signal(hark, a, "needs_input", "Which one?")
    wait_stored(page, f"schmux:ack:{a}", str(seq))

    hark.kill_daemon()
    hark.ok("daemon", "start")
    signal(hark, b, "completed")

    ears.wait(page, ATTENTION + COMPLETION)
    assert stored(page, f"schmux:ack:{a}") == str(seq)


def test_the_entry_of_a_session_that_is_gone_is_removed(
    hark: RunningHark, session: Start, device: tuple[Page, Ears]
) -> None:
    a, b = session("a"), session("b")
    page, _ears = device
    wait_stored(page, f"schmux:ack:{a}", str(signal(hark, a, "completed")))
    kept = signal(hark, b, "completed")
    wait_stored(page, f"schmux:ack:{b}", str(kept))

    hark.ok("kill", "a")

    wait_stored(page, f"schmux:ack:{a}", None)
    assert stored(page, f"schmux:ack:{b}") == str(kept)


def test_unknown_entries_are_pruned_and_known_ones_survive_the_loading_of_the_page(
    hark: RunningHark, session: Start, device: tuple[Page, Ears]
) -> None:
    a, b = session("a"), session("b")
    page, ears = device
    seq = signal(hark, a, "needs_input", "Which one?")
    wait_stored(page, f"schmux:ack:{a}", str(seq))
    page.evaluate("localStorage.setItem('schmux:ack:0ddba11', '4')")

    page.reload()

    wait_stored(page, "schmux:ack:0ddba11", None)
    assert stored(page, f"schmux:ack:{a}") == str(seq)
    signal(hark, b, "completed")
    ears.wait(page, ATTENTION + COMPLETION)


def test_nothing_is_pruned_before_the_list_has_come(
    hark: RunningHark, session: Start, dashboard: Dashboard, device: tuple[Page, Ears]
) -> None:
    session("a")
    page, _ears = device
    page.evaluate("localStorage.setItem('schmux:ack:0ddba11', '4')")

    page.route_web_socket("**/live", lambda _socket: None)
    page.reload()
    page.wait_for_selector(".queue")

    assert stored(page, "schmux:ack:0ddba11") == "4"


def test_a_second_device_is_silent_about_what_was_seen_at_the_first(
    hark: RunningHark, session: Start, dashboard: Dashboard, device: tuple[Page, Ears]
) -> None:
    a, b = session("a"), session("b")
    page, ears = device
    wait_stored(page, f"schmux:ack:{a}", str(signal(hark, a, "needs_input", "Which one?")))
    page.bring_to_front()
    page.keyboard.press("Space")
    page.wait_for_selector("text=a is marked as seen")
    page.close()

    phone = dashboard.device(viewport={"width": 360, "height": 740})
    phone_ears = Ears(phone)
    second = wait_live(dashboard.sign_in(phone))
    signal(hark, b, "completed")

    phone_ears.wait(second, COMPLETION)
    assert ears.notes == ATTENTION


def test_each_device_sounds_once_while_nobody_has_looked(
    hark: RunningHark, session: Start, dashboard: Dashboard, device: tuple[Page, Ears]
) -> None:
    a = session("a")
    page, ears = device
    other = dashboard.device()
    other_ears = Ears(other)
    second = wait_live(dashboard.sign_in(other))

    for number in range(3):
        seq = signal(hark, a, "needs_input", f"Question {number}")
        wait_stored(page, f"schmux:ack:{a}", str(seq))
        wait_stored(second, f"schmux:ack:{a}", str(seq))

    assert ears.notes == ATTENTION * 3
    assert other_ears.notes == ATTENTION * 3


def test_a_blocked_sound_acknowledges_nothing_and_is_made_up_for_at_the_first_click(
    hark: RunningHark, session: Start, playwright: Playwright
) -> None:
    a = session("a")
    browser = playwright.chromium.launch(
        executable_path=find_chromium(),
        args=["--no-sandbox", "--disable-dev-shm-usage", "--autoplay-policy=document-user-activation-required"],
    )
    try:
        dashboard = Dashboard(hark, browser)
        context = dashboard.device()
        ears = Ears(context)
        page = dashboard.sign_in(context)
        seq = signal(hark, a, "needs_input", "Which one?")
        # Whatever Playwright evaluates in a page counts as a click, so the page is not touched until the sound has failed.
        wait_until(lambda: outcomes(hark), DEADLINE_S, "a report")

        assert outcomes(hark) == [("failed", "audio-blocked")]
        assert ears.notes == []
        assert f"schmux:ack:{a}" not in str(context.storage_state())
        page.mouse.click(5, 400)
        ears.wait(page, ATTENTION)
        wait_stored(page, f"schmux:ack:{a}", str(seq))
        wait_report(dashboard, page, a, "shown")
    finally:
        browser.close()


def test_a_signal_is_silent_while_the_human_looks_at_its_session(
    hark: RunningHark, session: Start, dashboard: Dashboard, device: tuple[Page, Ears]
) -> None:
    a, b = session("a"), session("b")
    page, ears = device
    page.bring_to_front()
    open_session(page, a)

    seq = signal(hark, a, "needs_input", "Which one?")
    wait_stored(page, f"schmux:ack:{a}", str(seq))
    wait_report(dashboard, page, a, "suppressed", "looking-at-it")
    signal(hark, b, "completed")

    ears.wait(page, COMPLETION)


@pytest.mark.parametrize(
    ("wish", "reason"),
    [
        ("{isMuted: true}", "everything-off"),
        ("{quietHours: '00:00-24:00'}", "quiet-hours"),
        ("{mutedStates: ['needs_input']}", "state-muted"),
        ("{mutedSessions: ['a']}", "session-muted"),
    ],
)
def test_what_the_human_has_silenced_stays_silent_and_says_why(
    hark: RunningHark, session: Start, dashboard: Dashboard, device: tuple[Page, Ears], wish: str, reason: str
) -> None:
    a = session("a")
    page, ears = device
    page.evaluate(f"localStorage.setItem('hark:preferences', JSON.stringify({wish}))")
    page.reload()
    wait_live(page)

    seq = signal(hark, a, "needs_input", "Which one?")

    wait_report(dashboard, page, a, "suppressed", reason)
    wait_stored(page, f"schmux:ack:{a}", str(seq))
    assert ears.notes == []


def test_the_title_counts_the_sessions_that_wait(hark: RunningHark, session: Start, device: tuple[Page, Ears]) -> None:
    a, b = session("a"), session("b")
    page, _ears = device

    signal(hark, a, "needs_input", "Which one?")
    signal(hark, b, "error", "It broke.")

    wait_until(lambda: page.title() == "(2) hark", DEADLINE_S, "the count in the title", page.title)
    assert "%3E2%3C%2Ftext" in (page.get_attribute("link[rel=icon]", "href") or "")


def test_every_alert_has_a_report(
    hark: RunningHark, session: Start, dashboard: Dashboard, device: tuple[Page, Ears]
) -> None:
    a = session("a")
    page, _ears = device

    seq = signal(hark, a, "completed")

    wait_report(dashboard, page, a, "shown")
    (report,) = reports(dashboard, page)
    assert (report["nudge_seq"], report["channel"]) == (seq, "sound")
