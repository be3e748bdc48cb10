"""The terminal in the page: it shows what tmux shows, changes nothing about it, and survives breaks and floods."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import Dashboard
from tests.browser.pages import open_session, wait_live
from tests.browser.terminals import Pane, wait_shown
from tests.integration.end_to_end.running import RunningHark
from tests.support.terminals import wait_until

DEADLINE_S = 60.0
Start = Callable[..., str]


def look_at(dashboard: Dashboard, session: str, width: int = 1200) -> Page:
    page = wait_live(dashboard.sign_in(dashboard.device(viewport={"width": width, "height": 800})))
    open_session(page, session)
    return page


@pytest.mark.parametrize("seed", [1, 3, 4])
def test_the_page_shows_what_tmux_shows_cell_by_cell(
    hark: RunningHark, session: Start, dashboard: Dashboard, seed: int
) -> None:
    a = session("a", sys.executable, "-m", "tests.browser.drawing", str(seed), "3")
    pane = Pane(hark, "a")
    page = look_at(dashboard, a)

    for part in range(3):
        pane.press("Enter")
        pane.wait_title(f"done {part}")
        pane.wait_same(page)

    again = look_at(dashboard, a)
    pane.wait_same(again)


def test_two_viewers_of_different_size_see_the_same_and_the_pane_keeps_its_size(
    hark: RunningHark, session: Start, dashboard: Dashboard
) -> None:
    a = session("a")
    pane = Pane(hark, "a")
    size = pane.fact("pane_width"), pane.fact("pane_height")

    wide, narrow = look_at(dashboard, a, 1400), look_at(dashboard, a, 360)
    pane.type("echo one two three")
    wait_shown(wide, "echo one two three")
    wait_shown(narrow, "echo one two three")

    for page in (wide, narrow):
        assert page.locator(".terminal-bar .facts").inner_text().startswith(f"{size[0]}×{size[1]}")
        pane.wait_same(page)
    assert (pane.fact("pane_width"), pane.fact("pane_height")) == size
    wide.wait_for_selector("text=2 viewers")


def test_a_break_in_mid_stream_loses_nothing(hark: RunningHark, session: Start, dashboard: Dashboard) -> None:
    a = session("a")
    pane = Pane(hark, "a")
    page = look_at(dashboard, a)
    pane.type("for i in $(seq 1 400); do echo line $i; sleep 0.005; done; echo the-$((1+1))nd-end")
    pane.press("Enter")
    wait_shown(page, "line 20")

    page.context.set_offline(True)
    pane.wait_text("the-2nd-end")
    page.context.set_offline(False)
    page.evaluate("dispatchEvent(new Event('online'))")

    wait_shown(page, "the-2nd-end")
    pane.wait_same(page)
    lines = page.evaluate(
        """() => {
          const {active} = document.querySelector('.terminal-box').terminal.buffer;
          return Array.from({length: active.length}, (_, y) => active.getLine(y).translateToString(true)).filter((line) => line.startsWith('line '));
        }"""
    )
    assert lines == [f"line {number}" for number in range(1, 401)]


def test_a_daemon_that_starts_again_is_found_again(hark: RunningHark, session: Start, dashboard: Dashboard) -> None:
    a = session("a")
    pane = Pane(hark, "a")
    page = look_at(dashboard, a)
    pane.type("echo before")
    wait_shown(page, "echo before")

    hark.kill_daemon()
    pane.type("; echo meanwhile")
    hark.ok("daemon", "start")

    wait_shown(page, "echo before; echo meanwhile")
    pane.wait_same(page)


def test_a_flood_harms_no_other_viewer(hark: RunningHark, session: Start, dashboard: Dashboard) -> None:
    a, b = session("a"), session("b")
    flooded, calm = look_at(dashboard, a), look_at(dashboard, b)
    flood, other = Pane(hark, "a"), Pane(hark, "b")

    flood.type("seq 1 10000; echo the-$((1+1))nd-end")
    flood.press("Enter")
    other.type("echo still here")
    wait_shown(calm, "echo still here")

    wait_shown(flooded, "the-2nd-end")
    flood.wait_same(flooded)
    other.wait_same(calm)


def test_keys_go_to_the_pane_only_after_the_keyboard_was_taken_and_others_see_who_has_it(
    hark: RunningHark, session: Start, dashboard: Dashboard
) -> None:
    a = session("a")
    pane = Pane(hark, "a")
    mine, other = look_at(dashboard, a), look_at(dashboard, a)
    pane.wait_text("bash-")

    mine.click(".terminal-box .xterm-screen")
    mine.keyboard.type("not yet")
    mine.get_by_role("button", name="Take the keyboard").click()
    mine.wait_for_selector("text=You have the keyboard")
    other.wait_for_selector("text=has the keyboard in another browser")
    mine.keyboard.type("echo jk?m")
    pane.wait_text("echo jk?m")

    assert "not yet" not in pane.capture()
    for _ in range(3):
        mine.keyboard.press("Escape")
    mine.wait_for_selector("button:has-text('Take the keyboard')")
    other.wait_for_selector("text=has the keyboard in another browser", state="detached")


def test_a_size_that_was_taken_is_given_back_when_the_page_is_left(
    hark: RunningHark, session: Start, dashboard: Dashboard
) -> None:
    a = session("a")
    pane = Pane(hark, "a")
    before = pane.fact("pane_width"), pane.fact("pane_height")
    page = look_at(dashboard, a, 1000)

    page.get_by_role("button", name="Take size").click()
    wait_until(lambda: (pane.fact("pane_width"), pane.fact("pane_height")) != before, DEADLINE_S, "another size")
    pane.wait_same(page)
    page.close()

    wait_until(
        lambda: (pane.fact("pane_width"), pane.fact("pane_height")) == before,
        DEADLINE_S,
        f"the size {before}",
        lambda: pane.fact("pane_width"),
    )


def test_older_lines_are_shown_on_demand_as_text(hark: RunningHark, session: Start, dashboard: Dashboard) -> None:
    a = session("a")
    pane = Pane(hark, "a")
    pane.type("seq 1 300; printf '\\e[31m<b>red</b>\\e[0m\\n'; echo the-$((1+1))nd-end")
    pane.press("Enter")
    pane.wait_text("the-2nd-end")
    page = look_at(dashboard, a)

    page.get_by_role("button", name="Scrollback").click()

    history = page.locator(".history")
    history.wait_for()
    lines = history.inner_text().splitlines()
    assert next(line for line in lines if line.isdigit()) == "1"
    assert "\x1b" not in history.inner_text()
    assert history.locator("b").count() == 0


def test_the_page_answers_no_question_of_a_program_about_its_terminal(
    hark: RunningHark, session: Start, dashboard: Dashboard
) -> None:
    # Without lines (-icanon), the program reads the answers of tmux as soon as they come.
    asking = (
        r"stty -echo -icanon; read; printf '\e[c\e[>c\e[6n\e]11;?\a\e[?2026$p\e[>q\eP$qm\e\\\e]52;c;aGk=\a'; cat -v"
    )
    a = session("a", "bash", "--norc", "-c", asking)
    pane = Pane(hark, "a")
    page = look_at(dashboard, a)
    page.get_by_role("button", name="Take the keyboard").click()
    page.wait_for_selector("text=You have the keyboard")

    page.keyboard.press("Enter")
    pane.wait_text("^[P>|tmux")
    page.keyboard.type("only-mine")
    page.keyboard.press("Enter")

    pane.wait_text("only-mine")
    assert pane.capture().count("^[[?1;2c") == 1
    assert "xterm.js" not in pane.capture()
