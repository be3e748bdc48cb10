"""Holding the keys of every human who looks at a pane, and letting them go in order: tmux itself does it.

The tmux server works through the keys of a client one after the other. A key whose command waits makes all later keys of
that client wait behind it, in order, in the server's memory. So the clients that show the pane get a key table in which
every key waits for a lock first and then does what it always does: bindings run, the prefix begins a command, all else is
sent on to the program. Nothing happens early, not even the human's own bindings: many of them write to the pane.

Each hold has names of its own, and each client a table and a lock of its own: a lock that is handed to a client that has
gone is never handed on. Three session options are other ones during a hold, and one server option marks it:

    prefix, prefix2      None: tmux looks for the prefix before it looks into any table
    assume-paste-time    0: keys less than a millisecond apart pass by all tables. Held keys come out that fast, so it goes
                         back after them, in a step of its own
    @hark-hold           one hold per tmux server: a second would take the options of the first for the human's

The steps of letting go stand behind locks that only the first who comes can open, so that each happens once: either by
our `release`, or by a timer of the tmux server itself, which needs nobody of us to be alive.

Held keys come out at once, and some agents take an Enter that comes together with text for a newline of a paste. For these
the clients stay in a second table until all is out, in which an Enter waits for a moment, and with it what was typed after it.
Only when no Enter waits any more may the next hold begin: it would come out in the middle of it.

Not held: control clients of the human's (they type by commands), a client that comes to the pane during the hold, and
terminal focus reports.
"""

import asyncio
import itertools
import os
import re
import shlex
from collections.abc import Sequence

from msgspec import Struct

from hark.model.errors import HarkError
from hark.model.session import Pane
from hark.terminal.commands import command, line
from hark.terminal.control import Reply
from hark.terminal.expansion import Format, arguments
from hark.terminal.server import TmuxServer

MARK = "@hark-hold"
OUT, OVER = "-out", "-over"
"""At the end of its value: the keys are free and on their way; they are out."""
PREFIXES = ("prefix", "prefix2")
PASTE_TIME = "assume-paste-time"
OVERRIDES = {"prefix": "None", "prefix2": "None", PASTE_TIME: "0"}

_PANE_FORMAT = Format("#{pane_pid} #{pane_in_mode}")
_CLIENT_FORMAT = Format(
    "#{client_control_mode}#{client_readonly} #{pane_id} #{session_id} #{prefix} #{prefix2} #{client_name} #{client_key_table} #{key-table}"
)
_BINDING = re.compile(r"bind-key +(?P<repeat>-r +)?-T +\S+ +(?P<key>\S+) +(?P<commands>.+)")

# A mouse event that nothing is bound to goes to the program under the mouse; send-keys alone would swallow it.
_SEND_ON = 'if-shell -F "#{mouse_pane}" { send-keys -M } { send-keys }'

ENTERS = 4
"""Of somebody who leans on Enter, or pastes (tmux before 3.4 cannot tell a newline of a paste), the others come at once."""
OUT_POLL_S = 0.02

_holds = itertools.count(1)

Words = tuple[str, ...]
"""A tmux command, as its words: for a control line and for a shell."""


class Watcher(Struct, frozen=True):
    """A client of a human that shows the pane and could type into it."""

    session_id: str
    prefixes: tuple[str, str]
    name: str
    table: str
    usual_table: str


class View(Struct, frozen=True):
    """What decides whether keys can be held, in one instant."""

    pid: int
    in_mode: bool
    watchers: tuple[Watcher, ...]

    @property
    def is_in_a_command(self) -> bool:
        """Someone has pressed the prefix, or scrolls: another key table now would change what the next key means."""
        return self.in_mode or any(watcher.table != watcher.usual_table for watcher in self.watchers)


class Setting(Struct, frozen=True):
    """An option as the human has it in one session. None: not set there."""

    session_id: str
    option: str
    value: str | None

    @property
    def override(self) -> Words:
        return ("set-option", "-t", f"{self.session_id}:", self.option, OVERRIDES[self.option])

    @property
    def restore(self) -> Words:
        """Quiet, for a session may be gone, and that must not keep the others from being restored."""
        if self.value is None:
            return ("set-option", "-q", "-u", "-t", f"{self.session_id}:", self.option)
        return ("set-option", "-q", "-t", f"{self.session_id}:", self.option, self.value)


class KeyHold:
    """Made by `begin`."""

    def __init__(self, server: TmuxServer, pane: Pane, view: View, seconds: float, enter_gap_s: float) -> None:
        self._server = server
        self._pane = pane
        self._view = view
        self._seconds = seconds
        self._enter_gap_s = enter_gap_s
        self._ends_at = asyncio.get_running_loop().time() + seconds
        self._name = f"hark-{os.getpid()}-{next(_holds)}"
        self._settings: list[Setting] = []
        self._is_released = False

    @classmethod
    async def begin(cls, server: TmuxServer, pane: Pane, seconds: float, enter_gap_s: float = 0.0) -> "KeyHold | None":
        """None when it cannot be now: someone is in the middle of a tmux command or scrolls, another hold is under way, the
        clients were not the same ones a moment later, or the timer could not reach tmux. After `seconds` tmux lets go by
        itself. `enter_gap_s`: how long after other keys a held Enter comes out."""
        view = await _look(server, pane)
        if view.is_in_a_command or not _is_reachable(server):
            return None
        hold = cls(server, pane, view, seconds, enter_gap_s)
        if not view.watchers:
            return hold
        is_armed = False
        try:
            is_armed = await hold._arm()
        except HarkError as failure:
            if failure.code != "tmux-failed":
                raise
        finally:
            if not is_armed:
                await hold.release()
        return hold if is_armed else None

    @property
    def is_active(self) -> bool:
        """By our clock, which was started before that of tmux: the keys are still held when this says so."""
        return not self._is_released and asyncio.get_running_loop().time() < self._ends_at

    async def release(self) -> None:
        """Lets the keys go and puts everything back. After the timer of tmux, or a second time, it does nothing."""
        if self._is_released:
            return
        self._is_released = True
        if self._view.watchers:
            await self._run_if_first(self._let_go())
            await self._until_out()
            waiting = await self._run_if_first([*self._put_back(), self._waiting_enters])
            if waiting:
                await asyncio.sleep(self._enter_gap_s)
            if waiting is not None:
                await self._run_if_first(self._forget())

    async def _run_if_first(self, step: list[Words]) -> str | None:
        """What the last command says. None when the timer of tmux takes the step and those after it: it was faster, or the
        connection is lost."""
        try:
            replies = await self._server.run(line(*(command(*words) for words in step)))
        except HarkError as failure:
            if failure.code not in ("tmux-failed", "tmux-gone"):
                raise
            return None
        return "".join(_text(replies[-1]))

    async def _until_out(self) -> None:
        for _ in range(int(ENTERS * self._enter_gap_s / OUT_POLL_S)):
            if not await self._run_if_first([self._waiting_enters]):
                return
            await asyncio.sleep(OUT_POLL_S)

    async def _arm(self) -> bool:
        bindings = await self._read_sessions()
        if bindings is None:
            return False
        pane_reply, clients_reply, *_ = await self._server.run(
            line(
                *_questions(self._pane),
                command("set-option", "-s", "-o", MARK, self._name),
                *(command("wait-for", "-L", guard) for guard in self._guards),
                command("run-shell", "-b", "-d", f"{self._seconds:.3f}", self._timer()),
                *(command(*setting.override) for setting in self._settings),
                *self._tables(bindings),
            )
        )
        now = _view(pane_reply, clients_reply, self._pane)
        if now == self._view:
            return True
        await self.release()
        await self._resume_commands(now)
        return False

    async def _read_sessions(self) -> dict[str, list[str]] | None:
        """The settings of the sessions concerned; answers what `list-keys` says about each key table in use. None during
        another hold, whose settings these would be."""
        tables = sorted({watcher.usual_table for watcher in self._view.watchers})
        sessions = sorted({watcher.session_id for watcher in self._view.watchers})
        wanted = [(session, option) for session in sessions for option in OVERRIDES]
        mark, *replies = await self._server.run(
            line(
                command("show-options", "-s", "-q", "-v", MARK),
                *(command("list-keys", "-T", table) for table in tables),
                *(command("show-options", "-q", "-v", "-t", f"{session}:", option) for session, option in wanted),
            )
        )
        if mark.lines:
            return None
        values = [_text(reply) for reply in replies[len(tables) :]]
        self._settings = [
            Setting(session, option, value[0] if value else None)
            for (session, option), value in zip(wanted, values, strict=True)
        ]
        return {table: _text(reply) for table, reply in zip(tables, replies, strict=False)}

    def _tables(self, bindings: dict[str, list[str]]) -> list[str]:
        """All of them before the first client gets one: where a client has gone meanwhile, all are there to be taken away."""
        commands: list[str] = []
        for watcher, name in self._named_watchers:
            commands.append(command("wait-for", "-L", name))
            commands += _hold_table(name, self._then(name), bindings[watcher.usual_table], watcher.prefixes)
            if self._enter_gap_s:
                commands += _table(f"{name}-out", self._then(name), bindings[watcher.usual_table])
        return commands + [command("switch-client", "-c", each.name, "-T", name) for each, name in self._named_watchers]

    def _then(self, name: str) -> "Sending":
        return Sending(self._name, name, self._enter_gap_s)

    def _let_go(self) -> list[Words]:
        """One command line: tmux runs it as a whole before it goes on with the keys."""
        return [
            ("wait-for", "-U", self._guards[0]),
            ("set-option", "-s", MARK, f"{self._name}{OUT}"),
            *(setting.restore for setting in self._settings if setting.option in PREFIXES),
            *(("unbind-key", "-a", "-T", name) for name in self._client_names),
            *(("wait-for", "-U", name) for name in self._client_names),
        ]

    def _put_back(self) -> list[Words]:
        return [
            ("wait-for", "-U", self._guards[1]),
            *(setting.restore for setting in self._settings if setting.option == PASTE_TIME),
            ("set-option", "-s", MARK, f"{self._name}{OVER}"),
            *(("unbind-key", "-a", "-T", f"{name}-out") for name in self._client_names if self._enter_gap_s),
        ]

    def _forget(self) -> list[Words]:
        return [
            ("wait-for", "-U", self._guards[2]),
            *(("set-option", "-s", "-q", "-u", _waiting_enter(name)) for name in self._client_names),
            ("set-option", "-s", "-u", MARK),
        ]

    @property
    def _waiting_enters(self) -> Words:
        shown = "".join(f"#{{{_waiting_enter(name)}}}" for name in self._client_names)
        return ("display-message", "-p", Format(shown))

    def _timer(self) -> str:
        """By a shell: a tmux command of the timer's own would queue behind the very keys that it is to let go. What a shell
        says, or that it failed, tmux would show to the human."""
        tmux = self._server.command_line
        mark = _shell_command(tmux, [("show-options", "-s", "-q", "-v", MARK)])
        let_go, put_back, forget = (
            _shell_command(tmux, step) for step in (self._let_go(), self._put_back(), self._forget())
        )
        pause = f"sleep {self._enter_gap_s:.3f}; " if self._enter_gap_s else ""
        steps = f"{let_go}; {pause}{put_back}; {pause}{forget}"
        return (
            f'case "$({mark})" in {self._name}|{self._name}{OUT}|{self._name}{OVER}) {steps};; esac >/dev/null 2>&1; :'
        )

    async def _resume_commands(self, view: View) -> None:
        """Who pressed the prefix in the instant before the hold goes on from there."""
        for watcher in view.watchers:
            if watcher.table != watcher.usual_table:
                await self._run_if_first([("switch-client", "-c", watcher.name, "-T", watcher.table)])

    @property
    def _named_watchers(self) -> list[tuple[Watcher, str]]:
        return list(zip(self._view.watchers, self._client_names, strict=True))

    @property
    def _client_names(self) -> list[str]:
        """Of the key table and of the lock of each client."""
        return [f"{self._name}-{number}" for number in range(len(self._view.watchers))]

    @property
    def _guards(self) -> list[str]:
        """Of the three steps."""
        return [f"{self._name}-{step}" for step in ("keys", "options", "end")]


class Sending(Struct, frozen=True):
    """How a key that nothing is bound to goes on to the program."""

    hold: str
    client: str
    enter_gap_s: float

    @property
    def key(self) -> str:
        return rf"{_SEND_ON} \; {self._stay}" if self.enter_gap_s else _SEND_ON

    @property
    def enter(self) -> str:
        waiting = _waiting_enter(self.client)
        return (
            rf"set-option -s {waiting} 1 \; run-shell -d {self.enter_gap_s:.3f} \; send-keys \;"
            rf" set-option -s -q -u {waiting} \; {self._stay}"
        )

    @property
    def _stay(self) -> str:
        """In the second table, as long as it is there."""
        return f'if-shell -F "#{{==:#{{{MARK}}},{self.hold}{OUT}}}" {{ switch-client -T {self.client}-out }}'


async def _look(server: TmuxServer, pane: Pane) -> View:
    pane_reply, clients_reply = await server.run(line(*_questions(pane)))
    view = _view(pane_reply, clients_reply, pane)
    if view.pid != pane.pid:
        raise HarkError(
            "pane-not-found",
            f"pane {pane.pane_id} is not the one it was",
            "`hark ls` shows the sessions that are left",
        )
    return view


def _is_reachable(server: TmuxServer) -> bool:
    """Our connection outlives the socket file, which cleaners of /tmp remove; the timer needs it."""
    return os.path.exists(server.socket)


def _questions(pane: Pane) -> tuple[str, str]:
    return (
        command("display-message", "-p", "-t", pane.pane_id, _PANE_FORMAT),
        command("list-clients", "-F", _CLIENT_FORMAT),
    )


def _view(pane_reply: Reply, clients_reply: Reply, pane: Pane) -> View:
    [text] = _text(pane_reply)
    pid, mode = text.split(" ")
    clients = (row.split(" ", 7) for row in _text(clients_reply))
    return View(
        int(pid or 0),
        mode not in ("", "0"),
        tuple(
            Watcher(session_id, (prefix, prefix2), name, table, usual_table)
            for kind, pane_id, session_id, prefix, prefix2, name, table, usual_table in clients
            if kind == "00" and pane_id == pane.pane_id
        ),
    )


def _hold_table(name: str, then: Sending, bindings: Sequence[str], prefixes: Sequence[str]) -> list[str]:
    """The table of the human, each key waiting for the lock first; `name` is that of the table and of the lock."""
    wait = rf"wait-for -L {name} \; wait-for -U {name} \; "
    return [
        *_table(name, then, bindings, wait),
        *(
            rf"{command('bind-key', '-T', name, prefix)} {wait}switch-client -T prefix"
            for prefix in prefixes
            if prefix != "None"
        ),
    ]


def _table(name: str, then: Sending, bindings: Sequence[str], first: str = "") -> list[str]:
    """The table of the human, `first` before everything that a key does."""
    copied = (found for text in bindings if (found := _BINDING.fullmatch(text)))
    return [
        rf"bind-key -T {name} Any {first}{then.key}",
        *(rf"bind-key -T {name} {key} {first}{then.enter}" for key in ("Enter", "KPEnter") if then.enter_gap_s),
        *(f"bind-key {found['repeat'] or ''}-T {name} {found['key']} {first}{found['commands']}" for found in copied),
    ]


def _waiting_enter(client: str) -> str:
    """An option of the server that is set while an Enter of the client waits."""
    return f"@{client}-enter"


def _shell_command(tmux: list[str], step: list[Words]) -> str:
    """A last semicolon of a word would end the tmux command."""
    placed = ([name, *(argument.text for argument in arguments(name, *rest)), "\n"] for name, *rest in step)
    words = [re.sub(r";$", r"\\;", word) for words in placed for word in words]
    return shlex.join([*tmux, *(";" if word == "\n" else word for word in words[:-1])])


def _text(reply: Reply) -> list[str]:
    return [row.decode("utf-8", "replace") for row in reply.lines]
