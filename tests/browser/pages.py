"""What tests do with a page of the dashboard, as a human would."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page

from tests.browser.conftest import Dashboard
from tests.integration.end_to_end.running import RunningHark
from tests.support.terminals import wait_until

DEADLINE_S = 60.0


def signal(hark: RunningHark, session: str, state: str, text: str = "") -> int:
    """Let the session's agent announce something, and return the number of the signal."""
    answer = hark.api("POST", f"/sessions/{session}/signal", {"state": state, "text": text})
    assert answer.status == 200, answer.json
    return int(answer.json["nudge_seq"])


def wait_live(page: Page) -> Page:
    """Wait until the page is connected and has the list of sessions."""
    page.wait_for_selector(".link-state[data-state=open]")
    return page


def open_session(page: Page, session: str) -> None:
    page.evaluate("(id) => { location.hash = `#/sessions/${id}`; }", session)
    page.wait_for_selector(".terminal-box .xterm-screen")


def stored(page: Page, key: str) -> str | None:
    value: str | None = page.evaluate("(key) => localStorage.getItem(key)", key)
    return value


def wait_stored(page: Page, key: str, value: str | None) -> None:
    wait_until(lambda: stored(page, key) == value, DEADLINE_S, f"{key} to be {value}", lambda: str(stored(page, key)))


_ASK = """
([path, method, body]) => fetch(path, {method, body, headers: {"Hark-Page-Key": localStorage.getItem("hark:key"), "Content-Type": "application/json"}})
  .then(async (answer) => ({status: answer.status, ...await answer.json()}))
"""


def ask(page: Page, path: str, method: str = "GET", body: str | None = None) -> dict[str, Any]:
    """Let the page's own script call the daemon, and return the answer with its `status`."""
    answer: dict[str, Any] = page.evaluate(_ASK, [path, method, body])
    return answer


def reports(dashboard: Dashboard, page: Page) -> list[dict[str, Any]]:
    """What became of alerts, as the daemon has it, the oldest first."""
    return list(reversed(ask(page, "/dashboard/notifications?limit=100")["notifications"]))


def wait_report(dashboard: Dashboard, page: Page, session: str, outcome: str, reason: str = "") -> None:
    def is_there() -> bool:
        wanted = (session, outcome, reason)
        return any(
            (report["session_id"], report["outcome"], report["reason"]) == wanted for report in reports(dashboard, page)
        )

    wait_until(is_there, DEADLINE_S, f"a report {outcome} {reason}", lambda: str(reports(dashboard, page)))
