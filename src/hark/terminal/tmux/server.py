"""One tmux server, its panes, and what hark can do to them. It has one control client, which connects when it is needed, and connects
again with backoff."""

import asyncio
import contextlib
import itertools
import os
import re
import shutil
import time
from collections.abc import Callable, Sequence

from hark.delivery.carriers.rest import PastHold
from hark.delivery.screen.capture import Screen
from hark.model.errors import HarkError
from hark.model.session import Pane
from hark.signals.ink import read_drawn
from hark.terminal.tmux.client import ControlClient, clean_environment, tmux_gone
from hark.terminal.tmux.commands import Line, act_if, command, line, paste_if, press, question
from hark.terminal.tmux.control import Notice, Output, Reply
from hark.terminal.tmux.expansion import Format, all_of, equals, not_
from hark.terminal.tmux.facts import (
    CLIENT_FORMAT,
    PANE_FORMAT,
    SCREEN_FORMAT,
    ClientFacts,
    PaneFacts,
    ServerFacts,
    parse_clients,
    parse_pane,
)
from hark.terminal.tmux.landing import LAST_FORMAT, SESSIONS_FORMAT, parse_sessions, way_on
from hark.terminal.tmux.orphans import HIDDEN_SESSION
from hark.terminal.tmux.rendering import RENDERING_FORMAT, Rendering, read_screen
from hark.terminal.tmux.socket_paths import check_owner
from hark.terminal.tmux.version import check_version, features, widths_of

CONNECT_DEADLINE_S = 10.0
TYPIST_S = 600.0
"""Seconds for which a human who has typed in a browser counts as somebody in front of the pane."""
BACKOFF_S = (0.0, 0.2, 0.5, 1.0, 2.0, 5.0)

# After each of these notifications the set of panes may have changed.
_STRUCTURAL = {
    "sessions-changed",
    "unlinked-window-close",
    "unlinked-window-add",
    "window-close",
    "session-closed",
    "layout-change",
}


_ESCAPED_DOLLAR = re.compile(r"\\\$(?=[A-Za-z_{])")

STARTED_FORMAT = Format("#{pane_id} #{pane_pid} #{pane_start_command}")
NEW_PANE_FORMAT = Format("#{pane_id} #{pane_pid}")


IS_AT_HOME = not_(equals("session_name", HIDDEN_SESSION))
"""The condition that is true for panes where their own session shows them, and false for them in our hidden session."""


class TmuxServer:
    def __init__(
        self, socket: str, on_change: Callable[["TmuxServer"], None], program: str = "tmux", config: Sequence[str] = ()
    ) -> None:
        """`config` has the configuration files that a server is started with, in this order; by default tmux chooses."""
        self.socket = socket
        self.version = (0, 0)
        self.features: frozenset[str] = frozenset()
        self._tmux = [program, "-u", "-S", socket]
        self._config = [word for file in config for word in ("-f", file)]
        self._on_change = on_change
        self.past_holds: dict[str, PastHold] = {}
        """The last hold of each pane's keys, by the pane's id."""
        self._client: ControlClient | None = None
        self._connecting = asyncio.Lock()
        self._failures = 0
        self._retry_at = 0.0
        self._buffers = itertools.count(1)
        self._is_closed = False
        self._used_at_s = 0.0
        self._moves: set[asyncio.Task[None]] = set()
        self._typed_at: dict[str, int] = {}

    @property
    def _cells(self) -> tuple[str, ...]:
        """The options with which `capture-pane` prints all cells that were written, with their attributes, and no others where tmux can
        leave the others out (3.4 and newer)."""
        return ("-p", "-e", "-N", "-T") if "used-cells" in self.features else ("-p", "-e", "-N")

    @property
    def command_line(self) -> list[str]:
        """The words by which a shell calls this server, whatever the shell's PATH is."""
        program, *options = self._tmux
        return [shutil.which(program) or program, *options]

    async def connect(self, may_start: bool = False) -> ControlClient:
        """Return the control client, connected. Start the server if there is none and `may_start` is true; raise `tmux-gone` if there is
        none and `may_start` is false."""
        loop = asyncio.get_running_loop()
        async with self._connecting:
            self._used_at_s = loop.time()
            if self._client and not self._client.is_lost:
                return self._client
            if self._is_closed or (not may_start and loop.time() < self._retry_at):
                raise tmux_gone()
            try:
                self._client = await self._attach(may_start)
            except HarkError:
                self._failures = min(self._failures + 1, len(BACKOFF_S) - 1)
                self._retry_at = loop.time() + BACKOFF_S[self._failures]
                raise
            self._failures = 0
            return self._client

    async def _attach(self, may_start: bool) -> ControlClient:
        check_owner(self.socket)
        # With -N tmux starts no server: a server that is gone must not come back as an empty one.
        options = self._config if may_start else ["-N"]
        client = await ControlClient.connect(
            [*self._tmux, *options], clean_environment(), self._notice, self._lost, CONNECT_DEADLINE_S
        )
        try:
            [version] = _text(await client.run(line(command("display-message", "-p", Format("#{version}")))))
            self.version = check_version(version)
        except HarkError:
            await client.close()
            raise
        self.features = features(self.version)
        return client

    async def open_output(
        self, on_output: Callable[[Output], None], on_notice: Callable[[Notice], None], on_lost: Callable[[], None]
    ) -> ControlClient:
        """Return another control client, which is told what the panes of the hidden session print. The first client must be there, too: it
        keeps tmux from waiting for the other one."""
        await self.connect()
        tmux = [*self._tmux, "-N"]
        return await ControlClient.connect(tmux, clean_environment(), on_notice, on_lost, CONNECT_DEADLINE_S, on_output)

    def note_typed(self, pane_id: str) -> None:
        """Take note that a human has typed into the pane without a terminal, in a browser."""
        self._typed_at[pane_id] = int(time.time())

    def _typists(self) -> list[ClientFacts]:
        """Return the humans who type in browsers, as if each had a terminal. They have no name."""
        now = time.time()
        self._typed_at = {pane_id: at for pane_id, at in self._typed_at.items() if now - at < TYPIST_S}
        return [ClientFacts(name="", pane_id=pane_id, activity_at=at) for pane_id, at in self._typed_at.items()]

    async def close(self) -> None:
        self._is_closed = True
        for move in list(self._moves):
            move.cancel()
        if self._client:
            await self._client.close()

    async def leave_if_unused(self, unused_s: float) -> None:
        """Disconnect if nobody has asked anything for `unused_s` seconds. Our hidden session ends with the connection, and so does the
        server if the hidden session was its last."""
        async with self._connecting:
            client, is_used = self._client, asyncio.get_running_loop().time() - self._used_at_s < unused_s
            if client is None or is_used or client.is_busy:
                return
            self._client = None
            await client.close()

    async def run(self, line: Line, deadline_s: float = 5.0) -> list[Reply]:
        return await (await self.connect()).run(line, deadline_s)

    def text(self, reply: Reply) -> list[str]:
        """Return the lines that a command printed. Do not use this for `capture-pane`, which prints cells as they are."""
        lines = _text([reply])
        return [_ESCAPED_DOLLAR.sub("$", row) for row in lines] if "escaped-dollars" in self.features else lines

    async def facts(self) -> ServerFacts:
        panes_asked = question("list-panes", "-a", "-f", IS_AT_HOME, "-F", PANE_FORMAT)
        asked = line(panes_asked, question("list-clients", "-F", CLIENT_FORMAT))
        panes, clients = await self.run(asked)
        parsed = (parse_pane(text) for text in self.text(panes))
        humans = parse_clients(self.text(clients)) + self._typists()
        return ServerFacts({facts.pane_id: facts for facts in parsed}, humans)

    async def pane_facts(self, pane: Pane) -> ServerFacts:
        """Return the facts of one pane and of the clients. A delivery asks for them right before it starts."""
        asked = line(
            question("display-message", "-p", "-t", pane.pane_id, PANE_FORMAT),
            question("list-clients", "-F", CLIENT_FORMAT),
        )
        head, clients = await self.run(asked)
        facts = parse_pane(self.text(head)[0])
        return ServerFacts({facts.pane_id: facts}, parse_clients(self.text(clients)) + self._typists())

    async def resolve(self, target: str) -> PaneFacts:
        """Find a pane by any target that tmux understands: a pane id, session:window.pane, a name. A relative target is relative to our
        own hidden session, so it finds no pane."""
        shown = Format("#{pane_id}")
        # display-message shows the current window if a session lacks the wanted window; capture-pane refuses then.
        strict = command("capture-pane", "-p", "-S", "0", "-E", "0", "-t", target)
        try:
            _, head = await self.run(line(strict, command("display-message", "-p", "-t", target, shown)))
            [pane_id] = self.text(head)
            facts = parse_pane(await self.show_at_home(pane_id, PANE_FORMAT))
        except (HarkError, ValueError) as unknown:
            if isinstance(unknown, HarkError) and unknown.code != "tmux-failed":
                raise
            raise HarkError(
                "pane-not-found", f"tmux knows no pane {target!r}", "`tmux list-panes -a` shows them all"
            ) from unknown
        if not facts.pane_id.startswith("%"):
            raise HarkError("pane-not-found", f"tmux knows no pane {target!r}", "`tmux list-panes -a` shows them all")
        return facts

    async def screen(self, pane: Pane) -> Screen:
        """Return cursor, mode and content of one instant. One command line asks for all of them, so nothing can happen in between."""
        await self.connect()
        asked = line(
            question("display-message", "-p", "-t", pane.pane_id, SCREEN_FORMAT),
            question("capture-pane", *self._cells, "-t", pane.pane_id),
        )
        head, body = await self.run(asked)
        return read_screen(pane, self.text(head)[0], _text([body]), widths_of(self.version))

    async def rendering(self, pane: Pane, lines: int) -> Rendering:
        """Return the screen of one instant, with the last `lines` lines that have scrolled off its top."""
        await self.connect()
        asked = line(
            question("display-message", "-p", "-t", pane.pane_id, RENDERING_FORMAT),
            command("capture-pane", *self._cells, "-S", str(-lines), "-t", pane.pane_id),
        )
        head, body = await self.run(asked)
        history, height, rest = self.text(head)[0].split(" ", 2)
        rows = _text([body])
        screen = read_screen(pane, rest, rows[-int(height) :], widths_of(self.version))
        return Rendering(rows=read_drawn(rows), screen=screen, history=int(history))

    async def history(self, pane_id: str, lines: int) -> list[str]:
        """Return the last rendered lines. Wrapped lines are joined, and trailing blank lines are dropped."""
        reply = await self.run(line(command("capture-pane", "-p", "-J", "-S", str(-lines), "-t", pane_id)))
        text = [row.rstrip() for row in _text(reply)]
        while text and not text[-1]:
            text.pop()
        return text[-lines:]

    async def scrollback(self, pane: Pane, before: int, lines: int) -> tuple[int, int, list[str]]:
        """Return lines that have scrolled off the top, with their colours: the number of the first of them, the number of lines that tmux
        keeps, and the lines. Lines count from the oldest; the last one returned is the one before `before`, or the newest if it is 0."""
        total = int(await self.show(pane.pane_id, Format("#{history_size}")))
        end = min(before, total) if before else total
        first = max(0, end - lines)
        if first == end:
            return first, total, []
        rows = ("-S", str(first - total), "-E", str(end - 1 - total))
        reply = await self.run(line(command("capture-pane", "-p", "-e", "-N", *rows, "-t", pane.pane_id)))
        return first, total, _text(reply)

    async def paste(
        self,
        pane: Pane,
        text: str,
        foreground: str | None = None,
        also: str | None = None,
        only_if: Format | None = None,
    ) -> bool:
        """Paste only if, in that very moment, the pane is the same process, in no mode, and its foreground is the program `foreground`:
        a shell that has come in its place would run what is pasted. Return True if the text was pasted. `also` is a command that runs in
        the same instant; `only_if` is one more condition."""
        buffer = f"hark-{os.getpid()}-{next(self._buffers)}"
        condition = _and(is_running(pane, foreground), only_if)
        try:
            replies = await self.run(paste_if(pane.pane_id, condition, text, buffer, self.features, also))
        except HarkError as failure:
            if failure.code == "tmux-failed":
                await self.run(line(command("delete-buffer", "-b", buffer)))
            raise
        return _text([replies[-1]]) == ["done"]

    async def announce(self, pane: Pane, words: str) -> None:
        """Show the words in the status line of the terminals that show the pane. A key of the human's ends the display and is not lost,
        because -N is not given."""
        facts = await self.pane_facts(pane)
        for client in facts.clients:
            if client.pane_id == pane.pane_id and client.name:
                await self.run(line(command("display-message", "-d", "4000", "-c", client.name, words)))

    async def press(
        self,
        pane: Pane,
        keys: tuple[str, ...],
        foreground: str | None = None,
        also: str | None = None,
        only_if: Format | None = None,
    ) -> bool:
        """Press the keys on the same conditions on which `paste` pastes; return True if they were pressed."""
        condition = _and(is_running(pane, foreground), only_if)
        return await self._act_if(pane.pane_id, condition, press(pane.pane_id, *keys), also)

    async def report_focus(self, pane: Pane, foreground: str) -> bool:
        """Tell the program that it has the focus, if it still runs in the foreground of the pane and no client shows the pane: what a
        terminal has reported counts for more. Return True if the program was told."""
        is_shown = all_of(equals("pane_active", 1), not_(equals("window_active_clients", 0)))
        report = command("send-keys", "-t", pane.pane_id, "-H", "1b", "5b", "49")
        return await self._act_if(pane.pane_id, all_of(is_running(pane, foreground), not_(is_shown)), report)

    async def press_if_unmoved(
        self,
        pane: Pane,
        key: str,
        screen: Screen,
        proof: str,
        also: str | None = None,
        only_if: Format | None = None,
    ) -> bool:
        """Press the key only if, in that very moment, the pane is the same process, in no mode, its cursor stands where
        `screen` had it, and the pane still shows `proof` (letters and digits). Return True if the key was pressed."""
        conditions = [equals("pane_pid", pane.pid), equals("pane_in_mode", 0)]
        conditions += [equals("cursor_x", screen.cursor_x), equals("cursor_y", screen.cursor_y)]
        condition = _and(all_of(*conditions, *([_shows(proof)] if proof else [])), only_if)
        return await self._act_if(pane.pane_id, condition, press(pane.pane_id, key), also)

    async def option_of(self, pane: Pane, option: str) -> str:
        """Return the value of an option of the pane itself, or an empty text if the option is not set."""
        words = command("show-options", "-p", "-q", "-v", "-t", pane.pane_id, option)
        return "".join(_text(await self.run(line(words))))

    async def create(self, name: str, *given: str, may_start: bool = False) -> Pane:
        """Run a tmux command that makes a pane (`new-session`, `new-window`, `split-window`), and return that pane."""
        client = await self.connect(may_start)
        made = line(command(name, "-P", "-F", NEW_PANE_FORMAT, *given))
        [text] = _text(await client.run(made, CONNECT_DEADLINE_S))
        pane_id, pid = text.split(" ")
        return Pane(socket=self.socket, pane_id=pane_id, pid=int(pid))

    async def started(self) -> list[tuple[Pane, str]]:
        """Return all panes, each with the command that it was started with."""
        asked = line(command("list-panes", "-a", "-F", STARTED_FORMAT))
        [panes] = await self.run(asked)
        parts = (text.split(" ", 2) for text in self.text(panes))
        return [(Pane(socket=self.socket, pane_id=p[0], pid=int(p[1] or 0)), p[2]) for p in parts]

    async def show(self, target: str, wanted: Format) -> str:
        [shown] = await self.run(line(command("display-message", "-p", "-t", target, wanted)))
        [text] = self.text(shown)
        return text

    async def show_at_home(self, pane_id: str, wanted: Format) -> str:
        """Return the format as the pane's own session shows it. While somebody looks at a pane, its window is in our hidden session too, and
        tmux may take that for the pane's session. The text is empty if no other session has the pane."""
        own = all_of(equals("pane_id", pane_id), IS_AT_HOME)
        [listed] = await self.run(line(command("list-panes", "-a", "-f", own, "-F", wanted)))
        return next(iter(self.text(listed)), "")

    async def act_if(self, pane: Pane, condition: Format, action: str, also: str | None = None) -> bool:
        """Run the action only if the pane still is that process and the condition is true. Return True if the action was run."""
        return await self._act_if(pane.pane_id, all_of(equals("pane_pid", pane.pid), condition), action, also)

    async def hide_status(self, pane: Pane) -> None:
        await self.run(line(command("set-option", "-t", pane.pane_id, "status", "off")))

    async def kill_pane(self, pane: Pane) -> bool:
        """Kill the pane only if it still is that process; return True if it was killed."""
        return await self._act_if(pane.pane_id, equals("pane_pid", pane.pid), command("kill-pane", "-t", pane.pane_id))

    async def pipe(self, pane: Pane, shell_command: str) -> bool:
        """Send what the pane prints to a command, unless the pane has a pipe already, which may be the human's own. Return True if the
        pipe was opened.

        With -I tmux also listens to the pipe: whoever has its other end must not write. When the other end is closed, tmux knows at
        once, not only when the pane prints again."""
        opened = command("pipe-pane", "-I", "-O", "-t", pane.pane_id, shell_command)
        return await self._act_if(pane.pane_id, not_(Format("#{pane_pipe}")), opened)

    async def _act_if(self, pane_id: str, condition: Format, action: str, also: str | None = None) -> bool:
        replies = await self.run(act_if(pane_id, condition, action, also=also))
        return _text([replies[-1]]) == ["done"]

    def _notice(self, notice: Notice) -> None:
        if notice.name in _STRUCTURAL:
            self._on_change(self)
        client, _, session = notice.arguments.partition(" ")
        if notice.name == "client-session-changed" and session.partition(" ")[2] == HIDDEN_SESSION:
            move = asyncio.get_running_loop().create_task(self._move_on(client))
            self._moves.add(move)
            move.add_done_callback(self._moves.discard)

    async def _move_on(self, client: str) -> None:
        """Move a human who has landed in the hidden session to where they would be without it. A client that is gone already, or that
        another daemon moved on, needs nothing."""
        with contextlib.suppress(HarkError):
            [asked] = await self.run(line(command("display-message", "-p", "-c", client, LAST_FORMAT)))
            is_control, _, came_from = "".join(self.text(asked)).partition(" ")
            if is_control == "1":
                return
            [listed] = await self.run(line(command("list-sessions", "-F", SESSIONS_FORMAT)))
            way = way_on(parse_sessions(self.text(listed)), came_from)
            steps = [command("switch-client", "-c", client, "-t", f"{session_id}:") for session_id in way]
            await self.run(line(*(steps or [command("detach-client", "-t", client)])))

    def _lost(self) -> None:
        self._on_change(self)


def is_running(pane: Pane, foreground: str | None) -> Format:
    conditions = [equals("pane_pid", pane.pid), equals("pane_in_mode", 0)]
    return all_of(*conditions, *([equals("pane_current_command", foreground)] if foreground else []))


def _and(condition: Format, other: Format | None) -> Format:
    return condition if other is None else all_of(condition, other)


def _shows(proof: str) -> Format:
    """Return a condition that is true if the pane's screen shows these letters and digits."""
    if not proof.isalnum():
        raise ValueError(f"only letters and digits can be looked for: {proof!r}")
    return Format(f"#{{C:{proof}}}")


def _text(replies: list[Reply]) -> list[str]:
    return [line.decode("utf-8", "replace") for reply in replies for line in reply.lines]
