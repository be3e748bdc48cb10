"""Takes the pictures of the dashboard for the README and docs/dashboard.md, from a fleet of demo agents: `scripts/screenshots`."""

from __future__ import annotations

import sys
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tests.browser.conftest import Dashboard, find_chromium
from tests.browser.fleet import Fleet
from tests.browser.pages import open_session, wait_live
from tests.browser.terminals import wait_shown
from tests.integration.end_to_end.running import RunningHark

DESKTOP = {"width": 1280, "height": 760}
PHONE = {"width": 360, "height": 740}


def visit(dashboard: Dashboard, scheme: str, viewport: dict[str, int]) -> Page:
    device = dashboard.device(color_scheme=scheme, viewport=viewport, reduced_motion="reduce")
    page = wait_live(dashboard.sign_in(device))
    page.wait_for_selector("text=Keep the old endpoint")
    page.wait_for_selector("text=Replaced 12 icons")
    return page


def take(dashboard: Dashboard, folder: Path) -> None:
    for scheme in ("light", "dark"):
        page = visit(dashboard, scheme, DESKTOP)
        page.wait_for_selector(".peek .screen:not(:empty)")
        page.screenshot(path=folder / f"dashboard-{scheme}.png")
    visit(dashboard, "light", PHONE).screenshot(path=folder / "dashboard-phone.png")
    page = visit(dashboard, "dark", DESKTOP)
    open_session(page, dashboard.hark.session("infra/ci")["id"])
    wait_shown(page, "Run gh cache delete")
    page.wait_for_selector(".receipts")
    page.screenshot(path=folder / "dashboard-session.png")


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with RunningHark(dashboard_port="0") as hark, sync_playwright() as playwright:
        Fleet(hark).start()
        browser = playwright.chromium.launch(
            executable_path=find_chromium(), args=["--no-sandbox", "--disable-dev-shm-usage", "--mute-audio"]
        )
        take(Dashboard(hark, browser), folder)
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
