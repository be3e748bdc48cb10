"""A fleet of demo agents in every state that the dashboard shows: for its screenshots, and for tests that want a full page."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.integration.end_to_end.running import DEADLINE_S, RunningHark
from tests.support.terminals import wait_until

AGENT = str(Path(sys.executable).with_name("hark-demo-agent"))
WORK = {
    "api/payments": "Move the retry logic into the client. [[say=Rewrote 4 call sites; the tests pass.]]",
    "web/checkout": "Make the form work with a keyboard. [[say=All fields have labels now.]]",
    "docs": "Describe the new settings. [[say=docs/configuration.md has a table of them.]]",
    "infra/ci": "Find out why the cache misses. [[say=The key held the date.]]",
    "search": "Profile the slow query. [[say=An index is missing on created_at.]]",
    "mobile": "Update the icons. [[say=Replaced 12 icons.]]",
    "release": "Draft the notes of the release. [[say=Drafted 9 entries.]]",
    "triage": "Label the new issues. [[say=Labelled 31 issues.]]",
}


class Fleet:
    def __init__(self, hark: RunningHark) -> None:
        self.hark = hark

    def start(self) -> None:
        """Start the sessions, let each of them work, and bring each into its state."""
        folder = self.hark.home / "shop"
        folder.mkdir(exist_ok=True)
        for name in WORK:
            self.hark.ok("new", "-d", "-n", name, "-C", str(folder), "--", AGENT)
        for name, task in WORK.items():
            self._completed(name, task)
        self._ask_and_announce()
        self._hold_messages()
        self._work()

    def signal(self, name: str, state: str, text: str) -> None:
        answer = self.hark.api("POST", f"/sessions/{name.replace('/', '%2F')}/signal", {"state": state, "text": text})
        assert answer.status == 200, answer.json

    def send(self, name: str, text: str, sender: str = "ci") -> str:
        return self.hark.ok("send", name, text, "--from", sender, "-q").strip()

    def _completed(self, name: str, task: str) -> None:
        assert self.hark.wait_end(self.send(name, task, "lead")) == "completed"

    def _ask_and_announce(self) -> None:
        self.send("infra/ci", "Clear the cache. [[ask=gh cache delete --all --repo acme/shop]]", "lead")
        wait_until(
            lambda: self.hark.session("infra/ci")["need"] == "permission", DEADLINE_S, "infra/ci to ask for permission"
        )
        self.signal("api/payments", "needs_input", "Keep the old endpoint until March, or remove it now?")
        self.signal("search", "error", "The staging database refuses connections since 14:02.")
        self.signal(
            "web/checkout", "needs_testing", "Checkout works with a keyboard; please try it with a screen reader."
        )
        self.signal("mobile", "completed", "Icons are replaced; the pull request is open.")

    def _hold_messages(self) -> None:
        self.hark.ok("hold", "docs")
        held = self.send("docs", "The build on main is green again.")
        self.hark.wait_status(held, "held", "do-not-disturb")
        self.send("docs", "Two links in the guide are broken.", "link-check")

    def _work(self) -> None:
        for name, task in (
            ("release", "Sort the entries by topic. [[busy=3600]]"),
            ("triage", "Close duplicates. [[busy=3600]]"),
        ):
            self.hark.wait_reached(self.send(name, task, "lead"), "acknowledged")
