"""A real agent in a session of a real hark, talking to a stand-in: what the tests of deliveries and the storm drive."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec

from hark.demo.human import Human
from tests.agents.launch import LAUNCHES, Launch
from tests.agents.marks import MARKS
from tests.agents.running import COLUMNS, DEADLINE_S, ROWS, START_DEADLINE_S, end_processes, end_tree, wait_ready
from tests.agents.screen import Screen, look
from tests.integration.end_to_end.running import RunningHark
from tests.support.stand_in import StandIn
from tests.support.terminals import PrivateTmux, wait_until

SAME = 8
HARK = str(Path(sys.executable).with_name("hark"))


class OtherTmux(PrivateTmux):
    """A tmux server that somebody else has started and ends."""

    def __init__(self, socket: Path) -> None:
        self.directory = socket.parent
        self.socket = socket


class Delivering(msgspec.Struct, frozen=True):
    launch: Launch
    hark: RunningHark
    stand_in: StandIn
    tmux: PrivateTmux
    pane: str

    def screen(self) -> Screen:
        return look(self.tmux, self.pane)

    def wait_ready(self) -> None:
        wait_ready(self.tmux, self.pane, self.launch.kind)

    def wait_draft(self, draft: str) -> None:
        """Until the end of the draft has stood at the cursor for a moment: a key in an empty box may do anything, and while
        the agent draws, the cursor is everywhere."""
        end, seen = draft.split()[-1], [self.screen()]

        def is_there() -> bool:
            seen.append(self.screen())
            return end in seen[-1].cursor_row and len(seen) > SAME and len(set(seen[-SAME:])) == 1

        wait_until(is_there, DEADLINE_S, "the draft", lambda: self.screen().text)

    def wait_dialog(self) -> None:
        dialog = MARKS[self.launch.kind].dialog
        wait_until(
            lambda: dialog in self.screen().text, DEADLINE_S, "the permission dialog", lambda: self.screen().text
        )

    def send(self, text: str, *options: str) -> str:
        return self.hark.ok("send", "-q", *options, "--", "a", text).strip()

    def deliver(self, text: str) -> str:
        """The same, when it is submitted. Says what is in the way if it is not."""
        message_id = self.send(text)
        try:
            self.hark.wait_reached(message_id, "submitted")
        except AssertionError as late:
            raise AssertionError(f"{late}\n{self.screen().text}") from late
        return message_id

    def restart(self) -> dict[str, Any]:
        """Start the agent again, with the environment that it was started with. The agent is in another pane then."""
        settings = {name: value for name, value in self.hark.environment.items() if name.startswith("HARK_")}
        finished = subprocess.run(
            [HARK, "restart", "--json", "a"],
            env=self.launch.environment | settings,
            check=True,
            capture_output=True,
            timeout=START_DEADLINE_S,
        )
        return dict(json.loads(finished.stdout))

    def human(self) -> Human:
        return Human(self.tmux.socket, self.pane, COLUMNS, ROWS)

    def bodies(self) -> list[str]:
        """What came from hark, without its header."""
        return [text.partition("\n")[2].strip() for text in self.stand_in.submitted() if text.startswith("[Input from")]

    def arrivals(self, message_id: str) -> list[str]:
        """Every text in which a message has reached the model, as a prompt or in what the agent was told beside one."""
        mark = f"via hark send · {message_id}]"
        turns = [one for one in self.stand_in.received() if not one.is_side]
        beside = [text for one in turns for text in one.context if mark in text]
        return [text for text in self.stand_in.submitted() if mark in text] + beside

    def prompts(self) -> list[str]:
        """What came from the human."""
        return [text.strip() for text in self.stand_in.submitted() if not text.startswith("[Input from")]

    def wait_bodies(self, *bodies: str, deadline_s: float = DEADLINE_S) -> None:
        wait_until(lambda: self.bodies() == list(bodies), deadline_s, f"{bodies} at the model", self.stand_in.submitted)


@contextmanager
def delivering(
    kind: str,
    *,
    is_adopted: bool = False,
    is_native: bool = False,
    by_hook: bool = False,
    is_woken: bool = False,
    answers: bool = False,
    policy: Path | None = None,
    change: Callable[[Launch], Launch] | None = None,
    describe: Callable[[str], str] | None = None,
    max_batch_size: int = 1,
    stale_after_s: float = 120.0,
    thinks_s: tuple[float, float] = (0.0, 0.0),
    **options: object,
) -> Iterator[Delivering]:
    """The agent behind an airlock; or in a pane that somebody has started and hark has adopted. By its terminal, unless it
    shall be reached by its own API, or while it is busy by its hooks. `change` may have it started otherwise, or put something into
    its home; `describe` may change what hark knows of such agents. Each message goes by itself, for what is looked at is mostly what becomes of one. Options are the launch's."""
    with ExitStack() as owned:
        made = tempfile.TemporaryDirectory(prefix="hk", dir="/tmp", ignore_cleanup_errors=True)
        root = Path(owned.enter_context(made)).resolve()
        stand_in = owned.enter_context(StandIn(thinks_s))
        settings = {"native": str(is_native).lower(), "hook_messages": str(by_hook).lower()}
        settings["rewake"] = str(is_woken).lower()
        settings["answers"] = str(answers).lower()
        settings |= {"answer_policy": str(policy)} if policy else {}
        settings["input_stale_timeout"] = str(stale_after_s)
        hark = owned.enter_context(RunningHark(max_batch_size=str(max_batch_size), **settings))
        # The tmux server gives the daemon's environment to every pane, and some agents do not talk to people in CI.
        hark.environment.pop("CI", None)
        if describe:
            known = (resources.files("hark.agents") / kind / "kind.toml").read_text()
            (hark.home / "config/agents").mkdir(parents=True)
            (hark.home / f"config/agents/{kind}.toml").write_text(describe(known))
        launch = LAUNCHES[kind](root, stand_in.url, **options)
        launch = change(launch) if change else launch
        owned.callback(end_processes, root)
        tmux, pane = _adopted(owned, hark, launch) if is_adopted else _started(hark, launch)
        owned.callback(end_tree, int(tmux.read(pane, "#{pane_pid}")))
        tmux.run("select-pane", "-t", pane, "-T", "terminal")
        running = Delivering(launch, hark, stand_in, tmux, pane)
        running.wait_ready()
        yield running


def _started(hark: RunningHark, launch: Launch) -> tuple[PrivateTmux, str]:
    """The agent's environment is all that it gets, as everywhere; hark's own is added by hark."""
    hark.ok("daemon", "start")
    settings = {name: value for name, value in hark.environment.items() if name.startswith("HARK_")}
    command = [HARK, "new", "-d", "-n", "a", "--agent", launch.kind, "-C", str(launch.directory), "--", *launch.command]
    subprocess.run(
        command, env=launch.environment | settings, check=True, capture_output=True, timeout=START_DEADLINE_S
    )
    tmux = OtherTmux(hark.tmux_socket)
    [pane] = [line for line in tmux.run("list-panes", "-s", "-t", "a", "-F", "#{pane_id}").split() if line]
    tmux.run("resize-window", "-t", pane, "-x", str(COLUMNS), "-y", str(ROWS))
    return tmux, pane


def _adopted(owned: ExitStack, hark: RunningHark, launch: Launch) -> tuple[PrivateTmux, str]:
    """Its user has the same HARK_HOME in all terminals."""
    tmux = owned.enter_context(PrivateTmux())
    environment = launch.environment | {"HARK_HOME": str(hark.home)}
    pane = tmux.new(msgspec.structs.replace(launch, environment=environment).words(), COLUMNS, ROWS)
    hark.ok("adopt", "-S", str(tmux.socket), "-n", "a", "--agent", launch.kind, pane)
    return tmux, pane
