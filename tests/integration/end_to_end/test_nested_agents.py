"""An agent that another agent runs with one of its tools: it inherits all that names the pane, and gets none of its messages."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest

from tests.integration.end_to_end.agents import PROGRAM
from tests.integration.end_to_end.running import DEADLINE_S, RunningHark
from tests.support.terminals import PrivateTmux, wait_until

HOOK = str(Path(sys.executable).with_name("hark-hook"))
# Called in place of the hook: where the file `nest` is there, it runs an agent in a shell, as a tool does, and then the hook.
WRAPPER = """
if mv {home}/nest {home}/nesting 2>/dev/null
then (cd {home} && {python} {home}/inner/hark-demo-agent)
fi
exec {hook} "$@"
"""
# It reports a whole turn of its own, offers to take messages, and writes down what it was given.
INNER = """
import json, os, subprocess
said = []
for event in ("session-started", "prompt-submitted", "tool-done", "stopped", "session-ended"):
    told = {"session_id": "inner", "prompt": "inner", "takes_answers": True}
    said.append(subprocess.run([%r, "demo", event], input=json.dumps(told).encode(), capture_output=True).stdout.decode())
given = %r
open(given + ".new", "w").write(json.dumps(said))
os.rename(given + ".new", given)
"""


def arm(hark: RunningHark) -> str:
    """The command for HARK_HOOK_COMMAND."""
    inner, wrapper = hark.home / "inner/hark-demo-agent", hark.home / "wrapper"
    inner.parent.mkdir()
    inner.write_text(INNER % (HOOK, str(hark.home / "given")))
    wrapper.write_text(WRAPPER.format(home=hark.home, python=sys.executable, hook=HOOK))
    return f"sh {wrapper}"


def send(hark: RunningHark, text: str) -> str:
    return hark.ok("send", "-q", "--", "a", text).strip()


@pytest.mark.parametrize("is_adopted", [False, True], ids=["started", "adopted"])
def test_a_nested_agent_gets_no_message_and_ends_no_turn(is_adopted: bool) -> None:
    with RunningHark() as hark, PrivateTmux() as tmux:
        command, log = arm(hark), hark.home / "a.log"
        settings = [f"HARK_HOOK_COMMAND={command}", f"HARK_HOME={hark.home}"]
        words = ["env", *settings, PROGRAM, "--log", str(log), "--take-answers"]
        if is_adopted:
            # The demo agent has hooks only where this is set; empty, it names no session.
            words.insert(1, "HARK_SESSION=")
            # A shell stays between the pane and the agent, as where a human has typed the command.
            pane = tmux.new(["bash", "--norc", "-mc", f"{shlex.join(words)}; true"], 100, 30)
            wait_until(lambda: log.exists() and "ready" in log.read_text(), DEADLINE_S, "the agent")
            hark.ok("adopt", "-S", str(tmux.socket), "-n", "a", "--agent", "demo", pane)
        else:
            hark.ok("new", "-d", "-n", "a", "--agent", "demo", "--", *words)
        first = send(hark, "[[tool=6]] [[busy=1]] first")
        hark.wait_reached(first, "acknowledged")
        second = send(hark, "second")
        hark.wait_status(second, "held", "busy")

        # At the next hook of the agent, the one after its tool, a whole turn of the nested agent goes by.
        (hark.home / "nest").touch()
        wait_until((hark.home / "given").exists, DEADLINE_S, "the nested agent", hark.log)

        hark.wait_status(second, "completed")
        assert json.loads((hark.home / "given").read_text()) == [""] * 5
        records = [json.loads(line) for line in log.read_text().splitlines()]
        assert [record["event"] for record in records if record["event"] in ("continued", "told")] == ["continued"]
        turned_away = [line for line in hark.log() if line["message"] == "hook of another agent in the pane"]
        assert [line["event"] for line in turned_away] == [
            "session-started",
            "prompt-submitted",
            "tool-done",
            "stopped",
            "session-ended",
        ]
