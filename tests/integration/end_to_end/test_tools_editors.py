"""An editor that a tool of the agent's opens, such as that of `git commit`, is the human's, also while hark has asked for one."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.integration.end_to_end.agents import PROGRAM
from tests.integration.end_to_end.running import DEADLINE_S, RunningHark
from tests.support.terminals import wait_until

BIN = Path(sys.executable).parent
# Called in place of the agent's hook: opens an editor, as a tool does.
TOOL = "{bin}/hark-editor {home}/COMMIT_EDITMSG\n"
HUMANS = """#!/bin/sh
echo "$1" > {home}/edited.new; mv {home}/edited.new {home}/edited
"""


def test_it_takes_no_ticket(hark: RunningHark) -> None:
    home = hark.home
    hark.ok("daemon", "start")
    (home / "tool").write_text(TOOL.format(bin=BIN, home=home))
    (home / "mine").write_text(HUMANS.format(home=home))
    (home / "mine").chmod(0o700)
    (home / "COMMIT_EDITMSG").write_text("subject\n")
    settings = [f"HARK_HOOK_COMMAND=sh {home}/tool", f"HARK_EDITOR={home}/mine", "HARK_VISUAL="]
    session = hark.json("new", "-d", "-n", "a", "--agent", "demo", "--", "env", *settings, PROGRAM)
    ticket = home / "run/editors" / session["id"]
    ticket.parent.mkdir(exist_ok=True)
    ticket.touch()

    hark.ok("send", "a", "use your tool")

    wait_until((home / "edited").exists, DEADLINE_S, "the human's editor", hark.log)
    assert (home / "edited").read_text().strip() == f"{home}/COMMIT_EDITMSG"
    assert (home / "COMMIT_EDITMSG").read_text() == "subject\n"
    assert ticket.exists()
