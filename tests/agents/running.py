"""A real agent in a tmux server of its own, talking to a stand-in of its own; all of it gone when the block ends."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import msgspec

from tests.agents.launch import LAUNCHES, Launch
from tests.agents.marks import MARKS, Marks
from tests.agents.screen import Screen, look
from tests.support.stand_in import StandIn
from tests.support.terminals import PrivateTmux, wait_until

START_DEADLINE_S = 120.0
DEADLINE_S = 90.0
STOP_DEADLINE_S = 30.0
QUIET_S = 0.3
COLUMNS, ROWS = 100, 30


class Agent(msgspec.Struct, frozen=True):
    launch: Launch
    pane: str
    tmux: PrivateTmux
    stand_in: StandIn

    @property
    def marks(self) -> Marks:
        return MARKS[self.launch.kind]

    def screen(self) -> Screen:
        return look(self.tmux, self.pane)

    def wait_for(self, condition: Callable[[Screen], bool], what: str, deadline_s: float = DEADLINE_S) -> Screen:
        """The first screen that the condition holds for."""
        found = wait_until(
            lambda: [one for one in [self.screen()] if condition(one)], deadline_s, what, lambda: self.screen().text
        )
        return found[0]

    def wait_ready(self) -> Screen:
        return wait_ready(self.tmux, self.pane, self.launch.kind)

    def wait_quiet(self) -> Screen:
        """The screen, when it has stayed the same for a moment: what was written to the agent has been worked off."""
        last, since = self.screen(), time.monotonic()

        def is_quiet() -> bool:
            nonlocal last, since
            now = self.screen()
            if now != last:
                last, since = now, time.monotonic()
            return time.monotonic() - since >= QUIET_S

        wait_until(is_quiet, DEADLINE_S, "a quiet screen", lambda: last.text)
        return last

    def submit(self, text: str) -> None:
        """A bracketed paste, and Enter once the paste is on the screen and the screen is quiet.

        The quiet matters: Gemini CLI takes an Enter right behind a paste for a part of it.
        """
        before = self.screen()
        self.tmux.paste(self.pane, text)
        self.wait_for(lambda screen: screen.rows != before.rows, "the paste on the screen")
        self.wait_quiet()
        self.tmux.press(self.pane, "Enter")


def wait_ready(tmux: PrivateTmux, pane: str, kind: str, deadline_s: float = START_DEADLINE_S) -> Screen:
    """The first screen with the agent's own input box, empty."""
    has_empty_box = MARKS[kind].has_empty_box
    found = wait_until(
        lambda: [one for one in [look(tmux, pane)] if has_empty_box(one)],
        deadline_s,
        f"the empty box of {kind}",
        lambda: look(tmux, pane).text,
    )
    return found[0]


@contextmanager
def running(
    kind: str, root: Path | None = None, change: Callable[[Launch], Launch] | None = None, **options: object
) -> Iterator[Agent]:
    """`root` is where its home and project are made; without it, in a temporary directory. `change` may have the agent
    started otherwise, or put something into its home. Options are the launch's."""
    with ExitStack() as owned:
        if root is None:
            made = tempfile.TemporaryDirectory(prefix="hark-agent-", ignore_cleanup_errors=True)
            # Agents compare the directory that they are in with the one in their settings.
            root = Path(owned.enter_context(made)).resolve()
        stand_in = owned.enter_context(StandIn())
        launch = LAUNCHES[kind](root, stand_in.url, **options)
        launch = change(launch) if change else launch
        owned.callback(end_processes, root)
        tmux = owned.enter_context(PrivateTmux())
        pane = tmux.new(launch.words(), COLUMNS, ROWS)
        owned.callback(end_tree, int(tmux.read(pane, "#{pane_pid}")))
        # Until the agent sets a title, it would be the name of the machine.
        tmux.run("select-pane", "-t", pane, "-T", "terminal")
        yield Agent(launch, pane, tmux, stand_in)


def end_tree(root_pid: int) -> None:
    """Ends a process and all that it has started. An agent told only that its terminal is gone may take its time."""
    parents = {int(pid): int(parent) for pid, parent in (line.split() for line in processes("pid=,ppid="))}
    tree = [root_pid]
    for pid in tree:
        tree += [child for child, parent in parents.items() if parent == pid]
    end(tree)


def end_processes(root: Path) -> None:
    """Ends what has left the tree, such as a daemon that runs from the agent's home."""
    end([int(line.split()[0]) for line in processes("pid=,args=") if f"{root}/" in line])


def processes(columns: str) -> list[str]:
    return subprocess.run(
        ["ps", "-A", "-o", columns], capture_output=True, encoding="utf-8", errors="replace", check=True
    ).stdout.splitlines()


def end(pids: list[int]) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not any(is_running(pid) for pid in pids), STOP_DEADLINE_S, f"the end of {pids}")


def is_running(pid: int) -> bool:
    """A process that has ended and waits for its parent to notice is not running."""
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, encoding="utf-8", check=False)
    return state.stdout.strip()[:1] not in ("", "Z")
