"""A key hold by tmux itself: it holds the keys of every human who looks at a pane, and lets them go in order.

The tmux server works through the keys of a client one after the other. A key whose command waits makes all later keys of
that client wait behind it, in order, in the server's memory. So something in the queue of each client that shows the pane
waits for a lock (`key_tables.py` says what). Nothing happens early, not even the human's own bindings: many of them write to
the pane.

Each hold has names of its own, and each client has a table and a lock of its own: tmux never hands on a lock that it handed to a client
that has gone. During a hold some options of the human's sessions have other values, and one server option marks the hold:

    assume-paste-time    is 0: otherwise keys less than a millisecond apart pass by all tables. Held keys come out that fast, so
                         the option is restored after they are out, in a step of its own
    prefix, prefix2      are None on tmux 3.3: tmux looks for the prefix before it looks into any table
    key-table            while Enters come out by themselves, names the table that makes them wait
    @hark-hold           allows one hold per tmux server: a second hold would take the options of the first for the human's

The steps of letting go stand behind locks that only the first comer can open, so that each step happens once. The first comer is our
`release`, or the tmux server itself, which needs no process of ours: a shell of the server looks ten times a second
whether our process has ended, and a timer ends the hold at its deadline. Both run the undo that was left with tmux
(`undo_script.py`, `inside/undo_runner.py`) before they let the keys go. If the undo does not end, a later timer lets the keys go.

Held keys come out at once, and some agents take an Enter that comes together with text for a newline of a paste. For these
agents an Enter waits for a moment, and the keys behind it wait too. The next hold may begin only when no Enter waits any more:
otherwise that Enter would come out in the middle of the next hold.

Three things are not held: control clients of the human's (they type by commands), a client that comes to the pane during the hold,
and focus reports of terminals.
"""

import asyncio
import itertools
import os
import shlex
import sys

from hark.delivery.carriers.undo import Undo
from hark.inside import undo_runner as undoing
from hark.model.errors import HarkError
from hark.model.session import Pane
from hark.terminal.holds.human_clients import View, questions, read_view
from hark.terminal.holds.key_tables import MARK, OUT, OVER, Names, Setting, Words, our_key_for, tables_for
from hark.terminal.holds.undo_script import UNDONE, UndoPlace, undo_script
from hark.terminal.holds.watch_script import watch_script
from hark.terminal.tmux.commands import command, line, paste_flags, shell_command
from hark.terminal.tmux.expansion import Format, all_of, equals, not_, value_of
from hark.terminal.tmux.server import TmuxServer, is_running

OUT_POLL_S = 0.02
LONGEST_UNDO_S = 5.0
"""How long after the hold's deadline the keys go free at the latest, whatever became of the undo."""

_holds = itertools.count(1)


class KeyHold:
    """A hold of the keys of every client that shows a pane. `begin` makes one."""

    def __init__(
        self,
        server: TmuxServer,
        pane: Pane,
        view: View,
        seconds: float,
        enter_gap_s: float,
        key_gap_s: float = 0.0,
        label: str = "",
        *,
        drops_answers: bool = False,
    ) -> None:
        self._server = server
        self._pane = pane
        self._view = view
        self._seconds = seconds
        self._enter_gap_s = enter_gap_s
        self._ends_at = asyncio.get_running_loop().time() + seconds
        self._name = f"hark-{os.getpid()}-{next(_holds)}"
        our_key = our_key_for(view.key_mode)
        self._names = Names(self._name, view.watchers, enter_gap_s, key_gap_s, our_key, drops_answers)
        self._tables = tables_for(server.features, self._names)
        self._label = label
        self._settings: list[Setting] = []
        self._is_released = False
        self._has_timer = False
        self.has_undo = False
        """True once an undo was left."""

    @classmethod
    async def begin(
        cls,
        server: TmuxServer,
        pane: Pane,
        seconds: float,
        enter_gap_s: float = 0.0,
        label: str = "",
        key_gap_s: float = 0.0,
        *,
        drops_answers: bool = False,
    ) -> "KeyHold | None":
        """Begin a hold, which tmux ends by itself after `seconds`. Return None if the keys cannot be held now: someone is in the middle
        of a tmux command or scrolls, another hold is under way, the clients were not the same a moment later, one of the clients
        does not take keys (it shows a popup, or waits for a command), or the timer could not reach tmux.

        `enter_gap_s` is how long after other keys a held Enter comes out; `key_gap_s` is how long after another key each of the first
        held keys comes out. `label` is the name of the delivery, for whoever asks later what became of it. With `drops_answers`, held
        keys that answer dialogs do not come out at all."""
        view = await _look(server, pane)
        if view.is_in_a_command or not _is_reachable(server):
            return None
        hold = cls(server, pane, view, seconds, enter_gap_s, key_gap_s, label, drops_answers=drops_answers)
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
        """True if the keys are still held for certain: our clock, which is asked here, was started before the clock of tmux."""
        return not self._is_released and asyncio.get_running_loop().time() < self._ends_at

    async def release(self) -> None:
        """Let the keys go and restore all options. Do nothing if the timer of tmux, or an earlier call, has already done so."""
        if self._is_released:
            return
        self._is_released = True
        if not self._view.watchers and self._has_timer:
            await self._run_if_first([self._end_undo, *self._forget_undo()])
        elif self._view.watchers:
            if await self._run_if_first([self._end_undo, *self._let_go()]) is None:
                return
            await self._until_out()
            waiting = await self._run_if_first([*self._put_back(), self._waiting_enters])
            if waiting:
                await asyncio.sleep(self._enter_gap_s)
            if waiting is not None:
                await self._run_if_first(self._forget())

    @property
    def is_held(self) -> Format:
        """A condition for tmux that is true if tmux has not let the keys go and does not run the undo."""
        is_left_alone = not_(value_of(self._undoing))
        return all_of(equals(MARK, self._name), is_left_alone) if self._view.watchers else is_left_alone

    async def leave_undo(self, undo: Undo, foreground: str | None, *, is_after_enter: bool = False) -> bool:
        """Leave the undo with tmux, instead of the undo that was left before, and return True if tmux has it. tmux runs the undo only
        while the program `foreground` is in the foreground of the pane."""
        replaced = await self.undo_command(undo, foreground, is_after_enter=is_after_enter)
        forgotten = command("set-option", "-p", "-q", "-u", "-t", self._pane.pane_id, UNDONE)
        if not self.is_active or not await self._server.act_if(self._pane, self.is_held, replaced, also=forgotten):
            return False
        self.has_undo = True
        return True

    async def undo_command(self, undo: Undo, foreground: str | None, *, is_after_enter: bool = False) -> str:
        """Return the tmux command that leaves the undo, for a command line that does something else in the same instant."""
        if not self._view.watchers and not self._has_timer:
            await self._start_timer()
        place = UndoPlace(
            tmux=self._server.command_line,
            pane=self._pane,
            is_running=is_running(self._pane, foreground),
            paste_flags=paste_flags(self._server.features),
            buffer=f"{self._name}-undo",
            label=self._label,
        )
        return command("set-option", "-s", self._undo, undo_script(undo, place, is_after_enter=is_after_enter))

    async def _start_timer(self) -> None:
        """Start the timer that runs the undo where no client shows the pane. No key is held there, but our text must not stay in the box
        if we die."""
        self._has_timer = True
        left_s = max(0.0, self._ends_at - asyncio.get_running_loop().time())
        tmux = self._server.command_line
        script = f"{self._run_undo(tmux)}; {shell_command(tmux, self._forget_undo())} >/dev/null 2>&1; :"
        await self._server.run(
            line(
                command("wait-for", "-L", self._guards[0]),
                command("run-shell", "-b", "-d", f"{left_s:.3f}", script),
                command("run-shell", "-b", watch_script(script, left_s)),
            )
        )

    async def _run_if_first(self, step: list[Words]) -> str | None:
        """Run one step of letting go and return what its last command prints. Return None if the timer of tmux takes this step and all
        later ones, because the timer was faster or because our connection is lost."""
        try:
            replies = await self._server.run(line(*(command(*words) for words in step)))
        except HarkError as failure:
            if failure.code not in ("tmux-failed", "tmux-gone"):
                raise
            return None
        return "".join(self._server.text(replies[-1]))

    async def _until_out(self) -> None:
        for _ in range(int(self._names.longest_gaps_s / OUT_POLL_S)):
            if not await self._run_if_first([self._waiting_enters]):
                return
            await asyncio.sleep(OUT_POLL_S)

    async def _arm(self) -> bool:
        listed = await self._read_sessions()
        if listed is None:
            return False
        before = [
            command("set-option", "-s", "-o", MARK, self._name),
            *(command("wait-for", "-L", guard) for guard in self._guards),
            command("run-shell", "-b", watch_script(self._timer(runs_undo=True), self._seconds, self._is_over)),
            command("run-shell", "-b", "-d", f"{self._seconds:.3f}", self._timer(runs_undo=True)),
            command("run-shell", "-b", "-d", f"{self._seconds + LONGEST_UNDO_S:.3f}", self._timer(runs_undo=False)),
            *self._tables.prepare(listed),
        ]
        overridden = (command(*words) for words in self._tables.override(self._settings))
        replies = await self._server.run(
            line(*before, *questions(self._pane), *overridden, *self._tables.take()), deadline_s=self._seconds
        )
        pane_answer, clients_answer = (self._server.text(reply) for reply in replies[len(before) : len(before) + 2])
        now = read_view(self._pane, pane_answer, clients_answer)
        held = "".join(self._server.text(replies[-1]))
        if now == self._view and len(held) == len(self._view.watchers):
            return True
        await self._resume_commands(now)
        return False

    async def _read_sessions(self) -> list[str] | None:
        """Read the settings of the sessions concerned, and return the answers that the tables need. Return None during another hold,
        because the settings would be those of that hold, not the human's."""
        wanted = [(session, option) for session in self._names.sessions for option in self._tables.options]
        mark, *replies = await self._server.run(
            line(
                command("show-options", "-s", "-q", "-v", MARK),
                *(command("show-options", "-q", "-v", "-t", f"{session}:", option) for session, option in wanted),
                *self._tables.questions(),
            )
        )
        if mark.lines:
            return None
        values = [self._server.text(reply) for reply in replies[: len(wanted)]]
        self._settings = [
            Setting(session, option, value[0] if value else None)
            for (session, option), value in zip(wanted, values, strict=True)
        ]
        return [row for reply in replies[len(wanted) :] for row in self._server.text(reply)]

    @property
    def _end_undo(self) -> Words:
        """The command that opens the lock of the undo, which succeeds only once. If `release` runs it first, the undo is not run any more;
        if the timer runs it first, the timer runs the undo."""
        return ("wait-for", "-U", self._guards[0])

    def _let_go(self) -> list[Words]:
        """Return the commands that let the keys go. They make one command line, which tmux runs as a whole before it goes on with the
        keys."""
        return [
            ("wait-for", "-U", self._guards[1]),
            ("set-option", "-s", MARK, f"{self._name}{OUT}"),
            *self._tables.let_go(self._settings),
        ]

    def _put_back(self) -> list[Words]:
        return [
            ("wait-for", "-U", self._guards[2]),
            ("set-option", "-s", MARK, f"{self._name}{OVER}"),
            *self._tables.put_back(self._settings),
        ]

    def _forget(self) -> list[Words]:
        return [
            ("wait-for", "-U", self._guards[3]),
            *self._tables.forget(),
            *self._forget_undo(),
            ("set-option", "-s", "-u", MARK),
        ]

    def _forget_undo(self) -> list[Words]:
        return [("set-option", "-s", "-q", "-u", option) for option in (self._undo, self._undoing)]

    @property
    def _waiting_enters(self) -> Words:
        return ("display-message", "-p", self._tables.waiting_enters)

    def _timer(self, *, runs_undo: bool) -> str:
        """Return the shell script of the timer. It is a script because a tmux command of the timer's own would queue behind the very keys
        that it must let go. The script prints nothing and never fails, because tmux would show that to the human."""
        tmux = self._server.command_line
        mark = shell_command(tmux, [("show-options", "-s", "-q", "-v", MARK)])
        let_go, put_back, forget = (
            shell_command(tmux, step) for step in (self._let_go(), self._put_back(), self._forget())
        )
        pause = f"sleep {self._enter_gap_s:.3f}; " if self._enter_gap_s else ""
        undo = f"{self._run_undo(tmux)}; " if runs_undo else ""
        steps = f"{undo}{let_go}; {pause}{self._until_out_script(tmux)}{put_back}; {pause}{forget}"
        return (
            f'case "$({mark})" in {self._name}|{self._name}{OUT}|{self._name}{OVER}) {steps};; esac >/dev/null 2>&1; :'
        )

    def _until_out_script(self, tmux: list[str]) -> str:
        """Return the shell commands that wait until no held key waits on its way out any more; nothing if no key comes out with a gap."""
        if not self._names.has_gaps:
            return ""
        waiting = shell_command(tmux, [self._waiting_enters])
        polls = int(self._names.longest_gaps_s / OUT_POLL_S)
        return f'n=0; while [ $n -lt {polls} ] && [ -n "$({waiting})" ]; do sleep {OUT_POLL_S}; n=$((n+1)); done; '

    @property
    def _is_over(self) -> str:
        """The shell condition that is true if the hold has ended."""
        mark = shell_command(self._server.command_line, [("show-options", "-s", "-q", "-v", MARK)])
        return f'[ "$({mark})" != {self._name} ]'

    def _run_undo(self, tmux: list[str]) -> str:
        """Return the shell commands that run the undo that was left, if nobody has ended the hold."""
        first = shell_command(tmux, [self._end_undo, ("set-option", "-s", self._undoing, "1")])
        shown = shell_command(tmux, [("show-options", "-s", "-q", "-v", self._undo)])
        return f"if {first}; then {shown} | {shlex.join([sys.executable, '-ISE', undoing.__file__])}; fi"

    async def _resume_commands(self, view: View) -> None:
        """Put each client whose human pressed the prefix in the instant before the hold back into the key table that it was in."""
        for watcher in view.watchers:
            if watcher.is_in_a_command:
                await self._run_if_first([("switch-client", "-c", watcher.name, "-T", watcher.table)])

    @property
    def _guards(self) -> list[str]:
        """The names of the locks of the four steps that end a hold."""
        return [f"{self._name}-{step}" for step in ("undo", "keys", "options", "end")]

    @property
    def _undo(self) -> str:
        """The name of the server option whose value is the undo."""
        return f"@{self._name}-undo"

    @property
    def _undoing(self) -> str:
        """The name of the server option that is set from the moment when the timer begins to run the undo."""
        return f"@{self._name}-undoing"


async def _look(server: TmuxServer, pane: Pane) -> View:
    replies = await server.run(line(*questions(pane)))
    view = read_view(pane, *(server.text(reply) for reply in replies))
    view.check_is(pane)
    return view


def _is_reachable(server: TmuxServer) -> bool:
    """Return True if the server's socket file exists. Our connection outlives that file, which cleaners of /tmp remove, but the timer
    needs the file."""
    return os.path.exists(server.socket)
