"""Runs `make demo`: a human types a prompt of two lines, a message arrives in the middle of it, and neither harms the other.

Everything is real: a daemon in a throw-away HARK_HOME, a tmux server of its own, an attached client with somebody typing.
The program prints a timeline, and ends with exit status 1 if anything differs from what it should be.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from hark.demo.human import Human, wait_for

PROGRAMS = Path(sys.executable).parent
FIRST = "Please look at the failing test,"
SECOND = "and do not touch anything else before you know why it fails."
TEXT = "The build on main is green again."
DEADLINE_S = 30.0


class Differs(Exception):
    pass


class Show:
    def __init__(self, home: Path) -> None:
        self.home = home
        self.log = home / "agent.jsonl"
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(("HARK_", "TMUX"))}
        self.environment |= {"HARK_HOME": str(home), "HARK_TMUX_CONFIG": "/dev/null"}
        self.started = time.monotonic()

    def say(self, words: str) -> None:
        print(f"{(time.monotonic() - self.started) * 1000:8.0f} ms  {words}", flush=True)

    def hark(self, *words: str) -> str:
        done = subprocess.run(
            [PROGRAMS / "hark", *words], env=self.environment, capture_output=True, text=True, timeout=60, check=False
        )
        if done.returncode != 0:
            raise Differs(f"hark {' '.join(words)} ended with {done.returncode}: {done.stderr.strip()}")
        return done.stdout.strip()

    def wait(self, what: str, condition: Callable[[], bool]) -> None:
        if not wait_for(condition, DEADLINE_S):
            raise Differs(f"waited {DEADLINE_S:g} s in vain for {what}; the screen:\n{self.screen()}")

    def screen(self) -> str:
        return self.hark("output", "demo", "-n", "40")

    def prompts(self) -> list[str]:
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        return [entry["text"] for entry in map(json.loads, lines) if entry["event"] == "prompt"]

    def queue(self) -> list[dict[str, Any]]:
        waiting: list[dict[str, Any]] = json.loads(self.hark("queue", "demo", "--json"))["pending_messages"]
        return waiting

    def run(self) -> None:
        self.hark("new", "-d", "-n", "demo", "--", str(PROGRAMS / "hark-demo-agent"), "--log", str(self.log))
        self.wait("the agent's input box", lambda: "❯" in self.screen())
        self.say("an agent runs in a tmux pane; its input box is empty")
        with Human(self.home / "run" / "tmux", "demo", columns=100, rows=30) as human:
            human.wait_attached(DEADLINE_S)
            self.interrupted_sentence(human)
        self.say("every word arrived where it belongs: 1 prompt of the human, 1 message, 0 characters mixed")

    def interrupted_sentence(self, human: Human) -> None:
        typist = threading.Thread(target=self.type_prompt, args=(human,))
        typist.start()
        self.wait("half a prompt", lambda: FIRST in self.screen() and SECOND[:8] in self.screen())
        message_id = self.hark("send", "demo", TEXT, "--from", "ci", "-q")
        self.say(f"a message arrives  : {TEXT}  ({message_id})")
        self.wait(
            "the message to be submitted", lambda: self.status(message_id) in ("submitted", "acknowledged", "completed")
        )
        is_typing = typist.is_alive()
        self.say("it is delivered    : while the human " + ("goes on typing" if is_typing else "has stopped typing"))
        typist.join()
        shown = self.screen()
        self.expect(
            f"❯ {FIRST}" in shown and f"  {SECOND}" in shown,
            f"the human's draft is not in the box as it was typed:\n{shown}",
        )
        self.say(f"in the box, intact : {FIRST} ⏎ {SECOND}")
        human.press("Enter")
        self.wait(
            "both prompts at the agent", lambda: len(self.prompts()) == 2 and self.status(message_id) == "completed"
        )
        story = json.loads(self.hark("show", message_id, "--json"))
        self.check(message_id, story)
        self.say(f"the message's way  : {self.trail(story)}")

    def type_prompt(self, human: Human) -> None:
        self.say(f"a human types      : {FIRST} ⏎ {SECOND[:20]}…  (12 keys a second, no pause)")
        human.type(FIRST, keys_per_second=12)
        human.press("C-j")
        human.type(SECOND, keys_per_second=12)

    def status(self, message_id: str) -> str:
        status: str = json.loads(self.hark("show", message_id, "--json"))["status"]
        return status

    def check(self, message_id: str, story: dict[str, Any]) -> None:
        expected = [f"[Input from: ci via hark send · {message_id}]\n{TEXT}", f"{FIRST}\n{SECOND}"]
        self.expect(self.prompts() == expected, f"the agent received {self.prompts()!r} instead of {expected!r}")
        statuses = [receipt["status"] for receipt in story["receipts"]]
        self.expect(
            statuses[-4:] == ["staged", "submitted", "acknowledged", "completed"], f"its receipts are {statuses}"
        )

    def trail(self, story: dict[str, Any]) -> str:
        """Write each receipt's status with the milliseconds since the first receipt."""
        times = [datetime.fromisoformat(receipt["at"]) for receipt in story["receipts"]]
        words = [r["status"] + (f"({r['reason']})" if r["reason"] else "") for r in story["receipts"]]
        return (
            " → ".join(
                f"{word} {(at - times[0]).total_seconds() * 1000:.0f}" for word, at in zip(words, times, strict=True)
            )
            + " ms"
        )

    def expect(self, is_so: bool, otherwise: str) -> None:
        if not is_so:
            raise Differs(otherwise)

    def clean(self) -> None:
        subprocess.run(
            [PROGRAMS / "hark", "daemon", "stop"], env=self.environment, capture_output=True, timeout=30, check=False
        )
        subprocess.run(
            ["tmux", "-S", self.home / "run" / "tmux", "kill-server"],
            env=self.environment,
            capture_output=True,
            timeout=30,
            check=False,
        )
        shutil.rmtree(self.home, ignore_errors=True)


def main() -> int:
    show = Show(Path(tempfile.mkdtemp(prefix="hk", dir="/tmp")))
    try:
        show.run()
        print("\nTo look at your own agents in a browser: hark dashboard")
    except Differs as difference:
        print(f"demo failed: {difference}", file=sys.stderr)
        return 1
    finally:
        show.clean()
    return 0


if __name__ == "__main__":
    sys.exit(main())
