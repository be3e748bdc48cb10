"""The airlock: the program between a terminal pane and the agent. It is one file, uses only the stdlib, and runs without the package.

With `--socket` the agent lives on a pty of its own and every byte passes through this program, unchanged. The agent's output goes
straight to the terminal. The terminal's input is cut into keys, for one reason: a client of the socket may *hold* the
human's keys for at most two seconds, write to the agent meanwhile, and let go. So a human and a delivery cannot interleave.

The way of the keys is in one of three states (`Keys`):
  open    bytes are forwarded as they come, in whatever pieces they come;
  held    whole keys are kept, in order. The terminal's own answers to the agent's questions are not keys, and pass;
  replay  kept keys go out one by one, each only when the agent has read the key before it and a moment has passed, because
          agents take bursts for pastes and an Enter close behind a character for a newline. New keys queue behind.
A hold may drop the human's answers (`drops_answers`): somebody else has answered the agent's dialog meanwhile, and an Enter that was meant
for that dialog must neither answer the next one nor submit a draft (`count_answers`).
Everything for the agent goes through one first-in-first-out buffer, so nothing can be lost or reordered further down.

The client that holds the keys leaves an undo here: the writes that take its text out of the agent's input box and put the human's draft
back. If the client dies in the middle of a hold, or the hold's time is over, the airlock runs the undo and then lets the keys go. An agent
that does not read gets the undo when it reads again; the keys wait for that, unless the human has waited for too long.

A keeper leads the agent's session. The keeper is a fork of ours that only waits (`_keep`): the kernel lets a program stop itself (Ctrl-Z)
only if somebody else in its session could continue it. When the agent stops, the terminal goes back to the shell above us and we stop
too; the shell's `fg` continues us both. Where no shell is above us, a client that watches the agent (`watch`) does the shell's part: the
airlock tells that client that the agent has stopped, and the client continues the agent by a SIGCONT to us.

The agent must never suffer from us: without a usable socket the agent runs all the same, and if this program has a defect it
falls back to copying bytes. Without `--socket` this program replaces itself by the agent.
"""

import binascii
import contextlib
import fcntl
import json
import os
import re
import resource
import select
import selectors
import signal
import socket
import stat
import struct
import sys
import termios
import time
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, NoReturn

VERSION = 2
USAGE = "usage: hark-airlock [--socket PATH [--watched]] [--] COMMAND [ARGUMENT…]\n\nRuns COMMAND in this terminal."
CHUNK = 65536
FOCUS_IN, FOCUS_OUT = b"\x1b[I", b"\x1b[O"
READS_PER_TURN = 16
SHORT_READ = 1024
LONGEST_REQUEST = 4 * 1024 * 1024
MOST_CLIENTS = 64
MOST_UNFORWARDED = 1024 * 1024
MOST_LEFT_BEHIND = (
    1024 * 1024
)  # more than a pty can buffer: a process that outlives the agent prints whatever comes after that

LONGEST_HOLD_S = 2.0
GRANT_PATIENCE_S = 0.3
LONGEST_GAP_MS = 1000
READ_POLL_S = 0.001
READ_PATIENCE_S = 0.5  # how long to wait until the agent reads: while it redraws everything it reads nothing
ENTER_PATIENCE_S = 2.5  # how long to wait for a read before an Enter: read together with other keys it is a newline
INSISTS_AFTER_S = 2.0  # an undo waits no longer than this for an agent to come back from its editor
UNREAD_INSISTS_AFTER_S = 10.0  # a key that has waited this long goes on, even if the agent has not read the undo
LONGEST_BURST = 48  # agents take a read of 64 bytes or more for a paste, control bytes and all
LONGEST_PAUSE_S = 1.0
MOST_REPEATS = 1024 * 1024
HANG_UP_PATIENCE_S = 5.0
REOPEN_POLL_S = 0.05
LAST_WORDS_S = 0.5
NARROWER_S = 0.15  # long enough for an agent to draw at the other size
WATCHER_PATIENCE_S = 10.0
FAREWELL_S = 5.0
ARE_YOU_WELL, I_AM_WELL = b"\x1b[5n", b"\x1b[0n"

READ, WRITE = selectors.EVENT_READ, selectors.EVENT_WRITE
FORWARDED_SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT)

PASTE_START, PASTE_STOP = b"\x1b[200~", b"\x1b[201~"
PASTE_END = re.compile(rb"\x1b\[201~")
# Any control character ends a string too, or a human's Alt-] would swallow all that is typed after it.
STRING_END = re.compile(rb"[\x00-\x1a\x1c-\x1f]|\x1b\\|(?=\x1b[^\\])")
END_OVERLAP = 5  # one byte less than the longest end of a paste or string
TOKEN = re.compile(
    rb"""
      (?P<part> (?: \x1b | \x1b\[M.{0,2} | \x1b\[\[ | \x1b\[[0-?]{0,64}[ -/]{0,8} | \x1bO[0-9;]{0,8}
                  | \x1b?(?: [\xc2-\xdf] | [\xe0-\xef][\x80-\xbf]? | [\xf0-\xf4][\x80-\xbf]{0,2} ) ) \Z )
    | (?P<open> \x1b\[200~ | \x1b[\]PX^_] )
    | (?P<mouse> \x1b\[M... | \x1b\[<[0-9;]{0,64}[Mm] | \x1b\[[0-9;]{1,64}M )
    | (?P<position> \x1b\[[0-9]{1,9};[0-9]{1,9}R )
    | (?P<reply> \x1b\[ (?: [?>=][0-?]{0,64}[ -/]{0,8}[@-~] | [0-9;]{0,64}\$y | [0-9;]{0,64}[ntx] | [IO] ) )
    | (?P<key> \x1b\[\[[A-E] | \x1b\[[0-?]{0,64}[ -/]{0,8}[@-~] | \x1bO[0-9;]{0,8}[@-~]
             | \x1b?(?: [^\x1b\x80-\xff] | [\xc2-\xdf][\x80-\xbf] | [\xe0-\xef][\x80-\xbf]{2} | [\xf0-\xf4][\x80-\xbf]{3} )
             | . )
    """,
    re.VERBOSE | re.DOTALL,
)


class Token(NamedTuple):
    data: bytes
    kind: str
    """One of "key", "mouse", "reply" (an answer of the terminal) and "position", which is a reply if the agent has asked for the cursor's
    position and a shifted F3 otherwise."""


class KeyReader:
    """Cuts bytes from a terminal, which come in any pieces, into whole keys, pastes and replies. `pending` has the bytes that are not
    whole yet."""

    def __init__(self, longest: int = MOST_UNFORWARDED) -> None:
        self.pending = b""
        self._longest = longest  # a paste that is longer comes out in pieces
        self._end: re.Pattern[bytes] | None = None  # the end of the paste or string that we are inside of
        self._searched = 0

    def feed(self, data: bytes) -> list[Token]:
        self.pending += data
        tokens, start = [], 0
        while token := self._take(start):
            tokens.append(token)
            start += len(token.data)
        self.pending = self.pending[start:]
        return tokens

    def flush(self) -> list[Token]:
        """Return the pending bytes as a key. Nothing more came for `patience_s`, so they are whole, such as the Escape key."""
        data, self.pending, self._end = self.pending, b"", None
        return [Token(data, "key")] if data else []

    @property
    def patience_s(self) -> float | None:
        """How long silence must last until the pending bytes count as whole; None if no bytes are pending."""
        if not self.pending:
            return None
        if self._end is PASTE_END:
            return 5.0
        return 0.05 if self.pending == b"\x1b" or (self._end and len(self.pending) == 2) else 1.0

    def _take(self, start: int) -> Token | None:
        if self._end is not None:
            return self._take_string(start, self._end)
        match = TOKEN.match(self.pending, start)
        if match is None or match.lastgroup in (None, "part"):
            return None
        if match.lastgroup != "open":
            return Token(match[0], str(match.lastgroup))
        self._end = PASTE_END if match[0] == PASTE_START else STRING_END
        self._searched = len(match[0])
        return self._take_string(start, self._end)

    def _take_string(self, start: int, end: re.Pattern[bytes]) -> Token | None:
        limit = start + self._longest
        if found := end.search(self.pending, start + self._searched, limit):
            self._end = None
            data = self.pending[start : found.end()]
            return Token(data, "reply" if end is STRING_END and data.endswith((b"\x07", b"\x1b\\")) else "key")
        if len(self.pending) >= limit:
            self._searched = 0
            return Token(self.pending[start : limit - END_OVERLAP], "key" if end is PASTE_END else "reply")
        self._searched = max(self._searched, len(self.pending) - start - END_OVERLAP)
        return None


class Printed:
    """The facts about the agent's output. Plain byte searches find them, because all output takes this path and it must be fast."""

    def __init__(self) -> None:
        self.total = 0
        self.last_at: float | None = None
        self.is_bracketed = False
        self.bracketed_at: float | None = None  # when the agent last switched bracketed pastes on
        self.questions = 0  # how often the agent has asked for the cursor's position without an answer yet
        self._tail = b""

    def note(self, data: bytes, now: float) -> None:
        self.total += len(data)
        self.last_at = now
        seen = self._tail + data
        self.questions += seen.count(b"\x1b[6n", max(0, len(self._tail) - 3))
        if b"?" in seen:
            self.questions += seen.count(b"\x1b[?6n", max(0, len(self._tail) - 4))
            on, off = seen.rfind(b"\x1b[?2004h"), seen.rfind(b"\x1b[?2004l")
            was_bracketed, self.is_bracketed = self.is_bracketed, on > off if on != off else self.is_bracketed
            if self.is_bracketed and (not was_bracketed or off >= 0):
                self.bracketed_at = now
        self._tail = seen[-7:]


class UndoWrite(NamedTuple):
    """Keys, repeated `times` times, or a paste; then a pause of `wait_s`. With `back_wait_s` the pause may end sooner, when the agent is
    seen to come back from its editor."""

    data: bytes
    times: int
    is_paste: bool
    wait_s: float
    back_wait_s: float | None = None

    @property
    def parts(self) -> list[bytes]:
        """The pieces to write: a paste as a whole, keys in pieces so short that no agent takes one for a paste."""
        if self.is_paste:
            return [self.data]
        in_one = max(1, LONGEST_BURST // max(1, len(self.data)))
        return [self.data * min(in_one, self.times - start) for start in range(0, self.times, in_one)]


class Burst(NamedTuple):
    """Bytes that are written in one go, and the pause after them."""

    data: bytes
    is_paste: bool
    wait_s: float
    back_wait_s: float | None = None


class Undo(NamedTuple):
    writes: tuple[UndoWrite, ...] = ()
    is_after_enter: bool = False
    leaves_draft_out: bool = False  # the undo does not bring the human's draft back


class Hold(NamedTuple):
    id: str
    owner: object
    until: float
    gap_s: float
    enter_gap_s: float
    after_enter_s: float = 0.0
    label: str = ""  # the holder's name for the delivery
    undo: Undo | None = None  # None if no undo was left
    drops_answers: bool = False  # keys that were meant for a dialog which is gone are not passed on


class Undone(NamedTuple):
    """A hold that ended without its holder."""

    label: str
    is_after_enter: bool
    at: float
    is_touched: bool = False  # keys of the human's have come behind the undo
    leaves_draft_out: bool = False


class Keys:
    """The human's keys on their way to the agent: open, held, or in replay. The class has no clock of its own: callers pass the time."""

    def __init__(self, send: Callable[[bytes], None], unread: Callable[[], int], printed: Printed) -> None:
        self.reader = KeyReader()
        self.hold: Hold | None = None
        self.last_key_at: float | None = None
        self.passed_at: float | None = None  # when a key was last passed on, as it came, in a replay or in an undo
        self.has_focus = True  # what the terminal last reported; True until it reports anything
        self.last_reply_bytes = 0  # how many bytes of the terminal's replies were sent since the last other byte
        self._write = send
        self._unread = unread
        self._printed = printed
        self._queue: deque[Token] = deque()
        self._queued_bytes = 0
        self._replay: Hold | None = None  # the hold whose keys are on their way
        self._is_behind_enter = False  # True if the last key that was replayed is an Enter
        self._step_at = 0.0
        self._sent_at = 0.0
        self._is_deaf = False  # True if the agent has not read for longer than ENTER_PATIENCE_S
        self._settled_at: float | None = None  # when the agent had read the last write, or the wait for that ended
        self._flush_at: float | None = None
        self.undone: Undone | None = None  # the last hold that ended without its holder, until somebody leaves an undo
        self._undoing: deque[Burst] | None = None  # the rest of the undo that is being run; None if none is
        self._undo_began_at = 0.0
        self._undo_at = self._undo_gap_s = 0.0
        self._undo_back_s: float | None = None
        self._oldest_at: float | None = None  # when the oldest key that is kept was pressed
        self.dropped = 0  # how many keys the last hold that drops answers has dropped

    @property
    def is_undoing(self) -> bool:
        return self._undoing is not None

    @property
    def is_open(self) -> bool:
        return self.hold is None and self._replay is None

    @property
    def is_free(self) -> bool:
        """True if a hold may begin. A replay that only waits for its last pause does not stand in the way."""
        return self.hold is None and not self._queue

    @property
    def held_bytes(self) -> int:
        return 0 if self.is_open else self._queued_bytes + len(self.reader.pending)

    @property
    def due_at(self) -> float | None:
        over_at = self._undo_at if self.is_undoing else self.hold and self.hold.until
        times = (self._flush_at, over_at, self._step_at if self._replay else None)
        return min((at for at in times if at is not None), default=None)

    def arrive(self, data: bytes, now: float) -> None:
        was_open = self.is_open
        if was_open:
            self.passed_at = now
            self._write(data)
        self._sort(self.reader.feed(data), was_open, now)
        if was_open and self.reader.pending:
            self.last_reply_bytes = 0
        patience_s = self.reader.patience_s
        self._flush_at = None if patience_s is None else now + patience_s

    def tick(self, now: float) -> None:
        if self._flush_at is not None and now >= self._flush_at:
            self._flush_at = None
            self._sort(self.reader.flush(), self.is_open, now)
        if self._undoing is not None:
            self._step_undo(self._undoing, now)
        elif self.hold and now >= self.hold.until:
            self.end_hold(now)
        if self._replay and now >= self._step_at:
            self._step(self._replay, now)

    def take(self, hold: Hold) -> None:
        self.hold, self._replay = hold, None

    def end_hold(self, now: float) -> None:
        """End a hold whose holder has died or whose time is over: run the undo, then let the keys go."""
        if self.hold is None or self.is_undoing:
            return
        undo = self.hold.undo
        if undo is not None:
            self.undone = Undone(self.hold.label, undo.is_after_enter, now, leaves_draft_out=undo.leaves_draft_out)
        if undo is None or not undo.writes:
            self._end_undo(now)
            return
        self._undoing = deque(_bursts(undo))
        self._undo_began_at = now
        self._await_undo(now)

    def _await_undo(self, now: float, gap_s: float = 0.0, back_s: float | None = None) -> None:
        """Make the next step of the undo wait until `gap_s` after the agent has read what was written. If `back_s` is given, the step also
        comes when the agent has been back from its editor for `back_s`."""
        self._settled_at = None
        self._settle_by = now + READ_PATIENCE_S
        self._undo_at, self._undo_gap_s, self._undo_back_s = now, gap_s, back_s

    def _step_undo(self, left: deque[Burst], now: float) -> None:
        if now < self._undo_at:
            return
        may_be_away = self._undo_back_s is not None and self._printed.bracketed_at is not None
        needs_box = may_be_away or any(burst.is_paste for burst in left)
        if needs_box and not self._printed.is_bracketed and now < self._undo_began_at + INSISTS_AFTER_S:
            # An agent that has opened its editor takes no pastes until it is back, and it would lose keys.
            self._undo_at = now + READ_POLL_S
            return
        if self._settled_at is None:
            if self._unread():
                self._wait_for_reader(left, now)
                return
            self._settled_at = now
        due_at = self._settled_at + self._undo_gap_s
        back_at = self._printed.bracketed_at
        if self._undo_back_s is not None and back_at is not None and back_at >= self._undo_began_at:
            due_at = min(due_at, back_at + self._undo_back_s)
        if now < due_at:
            # What the agent prints meanwhile may make the next step due sooner.
            self._undo_at = min(due_at, now + READ_POLL_S) if self._undo_back_s is not None else due_at
            return
        if left:
            burst = left.popleft()
            self._send_burst(burst)
            self.passed_at = now
            self._await_undo(now, burst.wait_s, burst.back_wait_s)
        else:
            self._end_undo(now)

    def _send_burst(self, burst: Burst) -> None:
        """Send the burst, but paste nothing if the agent takes no bracketed pastes: then a newline would be an Enter."""
        if burst.is_paste and self._printed.is_bracketed:
            self.send(PASTE_START + burst.data + PASTE_STOP)
        elif not burst.is_paste:
            self.send(burst.data)

    def _end_undo(self, now: float) -> None:
        self._undoing = None
        if self.undone and self._queue:
            self.undone = self.undone._replace(is_touched=True)
        self.release(now)

    def _wait_for_reader(self, left: deque[Burst], now: float) -> None:
        """Wait until the agent reads. If it does not read and the human insists, send the rest of the undo in its order, and then the
        keys. The human's keys could not reach the agent meanwhile either, and an agent that reads all of it at once takes it for a paste:
        Claude Code has sent off control characters as a prompt."""
        self._undo_at = now + READ_POLL_S
        has_waited = self._oldest_at is not None and now - self._oldest_at >= UNREAD_INSISTS_AFTER_S
        if has_waited and now >= self._settle_by:
            for burst in left:
                self._send_burst(burst)
            self._end_undo(now)

    def send(self, data: bytes) -> None:
        """Send bytes to the agent that are not a reply of the terminal."""
        self.last_reply_bytes = 0
        self._write(data)

    def release(self, now: float) -> None:
        if self.hold and self.hold.drops_answers:
            self._drop_answers()
        self.hold, self._replay = None, self.hold
        self._await_read(now)
        self._step_at = now

    def _drop_answers(self) -> None:
        self.dropped = count_answers([token.data for token in self._queue if token.kind != "mouse"])
        left = self.dropped
        kept: deque[Token] = deque()
        for token in self._queue:
            is_dropped = left > 0 and token.kind != "mouse"
            left -= is_dropped
            if is_dropped:
                self._queued_bytes -= len(token.data)
            else:
                kept.append(token)
        self._queue = kept

    def give_up(self) -> bytes:
        """Return all bytes that were not forwarded yet, for whoever goes on without this object."""
        left = b"" if self.is_open else b"".join(token.data for token in self._queue) + self.reader.pending
        if self._undoing:
            left = b"".join(burst.data for burst in self._undoing if not burst.is_paste) + left
        self.hold = self._replay = self._undoing = None
        self._queue.clear()
        return left

    def give_up_undo(self) -> None:
        """Drop the undo that is being run: the agent has ended, so there is no box any more."""
        self._undoing = None

    def _sort(self, tokens: list[Token], is_sent: bool, now: float) -> None:
        kept = []
        for token in tokens:
            if token.kind == "position" and self._printed.questions > 0:
                self._printed.questions -= 1
                token = token._replace(kind="reply")
            if token.kind in ("key", "position"):
                self.last_key_at = now
            if token.data in (FOCUS_IN, FOCUS_OUT):
                self.has_focus = token.data == FOCUS_IN
            if token.kind == "reply":
                self.last_reply_bytes += len(token.data)
                if not is_sent:
                    self._write(token.data)
                continue
            kept.append(token)
            if is_sent:
                self.last_reply_bytes = 0
        if not is_sent and kept:
            self._keep(kept, now)

    def _keep(self, tokens: list[Token], now: float) -> None:
        # Nobody presses 64 keys between two reads: this is a paste without brackets, and its replay key by key would take ages.
        if len(tokens) >= 64:
            tokens = [Token(b"".join(token.data for token in tokens), "key")]
        if not self._queue:
            self._oldest_at = now
        self._queue.extend(tokens)
        self._queued_bytes += sum(len(token.data) for token in tokens)
        self._step_at = now

    def _await_read(self, now: float) -> None:
        self._settled_at = None
        self._sent_at = now
        self._step_at = now + READ_POLL_S

    def _step(self, replay: Hold, now: float) -> None:
        if self._settled_at is None:
            is_unread = self._unread() > 0
            if is_unread and now < self._sent_at + self._patience_s():
                self._step_at = now + READ_POLL_S
                return
            self._is_deaf = is_unread and (self._is_deaf or now >= self._sent_at + ENTER_PATIENCE_S)
            self._settled_at = now
        self._step_at = self._settled_at + _gap_s(
            self._queue[0] if self._queue else None, replay, self._is_behind_enter
        )
        if now < self._step_at:
            return
        if self._queue:
            token = self._queue.popleft()
            self._queued_bytes -= len(token.data)
            self.passed_at = now
            self._is_behind_enter = _is_enter(token)
            self.send(token.data)
            self._await_read(now)
        else:
            self._replay = self._oldest_at = None
            if self.reader.pending:
                self.passed_at = now
                self.send(self.reader.pending)

    def _patience_s(self) -> float:
        """Return how long the agent may take to read the last write. An agent that has exceeded ENTER_PATIENCE_S gets the shorter time
        until it reads again."""
        is_next_apart = bool(self._queue) and _keeps_apart(self._queue[0])
        return ENTER_PATIENCE_S if is_next_apart and not self._is_deaf else READ_PATIENCE_S


def _keeps_apart(token: Token) -> bool:
    """Return True for Enter, and for a paste, because an agent may put a paste that comes right behind a key before that key."""
    return _is_enter(token) or token.data.startswith(b"\x1b[200~")


def _is_enter(token: Token) -> bool:
    return token.data in (b"\r", b"\n", b"\x1b\r", b"\x1bOM") or token.data.startswith((b"\x1b[13u", b"\x1b[13;"))


CHOOSING_KEYS = frozenset(b"123456789yYnNaApPdD \t")
MOVING_KEYS = (b"\x1b", b"\x1b[A", b"\x1b[B", b"\x1bOA", b"\x1bOB")


def count_answers(keys: list[bytes]) -> int:
    """Return how many of the first keys were meant for a dialog that was open when they were pressed: all of them if each could answer
    a dialog, or else the Enters, Escapes and arrows before the first other key. Letters and digits that stand among other keys belong to
    a text that the human types."""
    ends = [_is_enter(Token(key, "key")) or key in MOVING_KEYS for key in keys]
    chooses = [len(key) == 1 and key[0] in CHOOSING_KEYS for key in keys]
    if all(end or choice for end, choice in zip(ends, chooses, strict=True)):
        return len(keys)
    return ends.index(False)


def _gap_s(token: Token | None, replay: Hold, is_behind_enter: bool = False) -> float:
    """Return how long to wait before a key that was held, or, if `token` is None, before the human's own keys flow again."""
    if token and token.kind == "mouse":
        return 0.0  # a moving mouse sends events faster than gaps would let them out
    gap_s = replay.enter_gap_s if token is None or _keeps_apart(token) else replay.gap_s
    return max(gap_s, replay.after_enter_s) if is_behind_enter else gap_s


class Agent:
    """The agent's process and its pty. Signals may arrive at any time, so their handlers pass them on to the agent by themselves."""

    def __init__(self, command: list[str], settings: list[Any] | None, size: bytes) -> None:
        self.status: int | None = None
        self.is_stopped = False
        self.was_told_to_end = False  # True if a signal to us, or the end of our terminal, has told the agent to end
        self._is_kept = True
        self.hung_up_at = -HANG_UP_PATIENCE_S
        self.master, slave = os.openpty()
        self._line = os.ttyname(slave)
        if settings is not None:
            termios.tcsetattr(slave, termios.TCSANOW, settings)
        self.resize(size)
        before = signal.pthread_sigmask(signal.SIG_BLOCK, FORWARDED_SIGNALS)
        self.news, news = os.pipe()
        self._keeper = os.fork()
        if self._keeper == 0:
            _keep(command, slave, before, news)
        os.close(slave)
        os.close(news)
        self.pid: int = struct.unpack("i", os.read(self.news, 4))[0]
        os.set_blocking(self.news, False)
        for number in FORWARDED_SIGNALS:
            signal.signal(number, lambda number, frame: self.tell_to_end(number))
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        os.set_blocking(self.master, False)

    def tell_to_end(self, number: int) -> None:
        self.was_told_to_end = self.was_told_to_end or self.status is None
        self.signal(number)

    def signal(self, number: int) -> None:
        if self.status is None:
            if number == signal.SIGHUP:
                self.hung_up_at = time.monotonic()
            with contextlib.suppress(ProcessLookupError):  # the agent has ended, and we have not heard of it yet
                os.killpg(self.pid, number)

    def resize(self, size: bytes) -> None:
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, size)

    def size(self) -> tuple[int, int]:
        rows, columns = struct.unpack("HHHH", fcntl.ioctl(self.master, termios.TIOCGWINSZ, bytes(8)))[:2]
        return columns, rows

    def hear(self) -> None:
        """Read the keeper's news: whether the agent has stopped, goes on, or has ended with a `status`."""
        if not self._is_kept:
            if select.select([self.news], [], [], 0)[0]:
                self._end_as_keeper()
            return
        try:
            news = os.read(self.news, CHUNK)
        except BlockingIOError:
            return
        for (status,) in struct.iter_unpack("i", news):
            self.is_stopped = os.WIFSTOPPED(status)
            if os.WIFEXITED(status) or os.WIFSIGNALED(status):
                self.status = status
        if not news and self.status is None:
            self._outlive_keeper()

    def _outlive_keeper(self) -> None:
        """Go on without the keeper, which somebody has killed. The kernel then hangs the agent up; we stay until the agent has ended, which
        a descriptor of its process tells us."""
        try:
            ended = os.pidfd_open(self.pid)
        except (OSError, AttributeError):
            self._end_as_keeper()
            return
        self._is_kept = self.is_stopped = False
        os.dup2(ended, self.news)
        os.close(ended)

    def _end_as_keeper(self) -> None:
        self.status = os.waitpid(self._keeper, 0)[1]

    def line_facts(self) -> tuple[int, bool]:
        """Return how many bytes of its input the agent has not read, and whether the agent's terminal is in line mode."""
        try:
            line = os.open(self._line, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        except OSError:
            return 0, False
        try:
            # A worker of the kernel moves what was written to the reader's side; only a poll waits for that worker.
            select.select([line], [], [], 0)
            unread: int = struct.unpack("i", fcntl.ioctl(line, termios.FIONREAD, bytes(4)))[0]
            return unread, bool(termios.tcgetattr(line)[3] & termios.ICANON)
        except (OSError, termios.error):
            return 0, False
        finally:
            os.close(line)


def _keep(command: list[str], slave: int, mask: set[int | signal.Signals], news: int) -> NoReturn:
    """Be the keeper: lead the agent's session as an interactive shell would, and write the agent's pid and every change of its
    state into `news`. The keeper ends when the agent has ended, or by a hang-up, which the kernel then passes on to the agent."""
    try:
        os.login_tty(slave)
        agent = os.fork()
        if agent == 0:
            _become(command, mask)
        with contextlib.suppress(OSError):  # the agent may have done that itself, and be another program by now
            os.setpgid(agent, agent)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU):
            signal.signal(number, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        os.closerange(0, news)
        os.closerange(news + 1, os.sysconf("SC_OPEN_MAX"))
        status = agent
        while True:
            os.write(news, struct.pack("i", status))
            status = os.waitpid(agent, os.WUNTRACED | os.WCONTINUED)[1]
            if os.WIFEXITED(status) or os.WIFSIGNALED(status):
                break
        # Processes that the agent has left running go on, as they would in a shell: when the keeper ends, the kernel hangs up only the
        # process group that has the terminal, so the keeper takes the terminal.
        with contextlib.suppress(OSError):
            os.tcsetpgrp(os.open("/dev/tty", os.O_RDWR), os.getpid())
        os.write(news, struct.pack("i", status))
    finally:
        os._exit(0)


def _become(command: list[str], mask: set[int | signal.Signals]) -> NoReturn:
    """Turn this process, the agent's, into the command on the pty, as if a shell had started the command there."""
    try:
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTTOU])
        os.setpgid(0, 0)
        os.tcsetpgrp(0, os.getpid())
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        os._exit(execute(command))
    finally:
        os._exit(126)


class Terminal:
    """The terminal on our own side, where the human is."""

    def __init__(self) -> None:
        self.is_tty = os.isatty(0)
        self.settings: list[Any] | None = termios.tcgetattr(0) if self.is_tty else None
        self._shared: list[int] = []
        self.input, self.output = self._open(0, os.O_RDONLY), self._open(1, os.O_WRONLY)

    def size(self) -> bytes:
        if self.is_tty:
            with contextlib.suppress(OSError):
                size = fcntl.ioctl(0, termios.TIOCGWINSZ, bytes(8))
                if all(struct.unpack("HH", size[:4])):
                    return size
        return struct.pack("HHHH", 24, 80, 0, 0)

    def is_ours(self) -> bool:
        """Return False if we are a job in the background."""
        with contextlib.suppress(OSError):
            return os.tcgetpgrp(0) == os.getpgrp()
        return True

    def make_raw(self) -> None:
        for descriptor in self._shared:
            os.set_blocking(descriptor, False)
        if self.settings is None:
            return
        raw = list(self.settings)
        raw[0] &= ~(
            termios.IGNBRK | termios.BRKINT | termios.PARMRK | termios.ISTRIP | termios.INPCK
            | termios.INLCR | termios.IGNCR | termios.ICRNL | termios.IXON
        )  # fmt: skip
        raw[1] &= ~termios.OPOST
        raw[2] = raw[2] & ~(termios.CSIZE | termios.PARENB) | termios.CS8
        raw[3] &= ~(termios.ECHO | termios.ECHONL | termios.ICANON | termios.ISIG | termios.IEXTEN)
        raw[6] = list(raw[6])
        raw[6][termios.VMIN], raw[6][termios.VTIME] = 1, 0
        self._set(raw)

    def restore(self) -> None:
        if self.settings is not None and self.is_ours():
            self._set(self.settings)
        for descriptor in self._shared:
            os.set_blocking(descriptor, True)

    def say(self, text: str) -> None:
        line = f"\r\nhark-airlock: {text}\r\n".encode(errors="replace")
        for descriptor in (1, 2) if os.isatty(1) and not os.isatty(2) else (2,):
            with contextlib.suppress(OSError):
                os.write(descriptor, line)

    def _open(self, descriptor: int, mode: int) -> int:
        """Open the same terminal once more, so that non-blocking writes are a setting of ours alone and not of the shell above us."""
        with contextlib.suppress(OSError):
            return os.open(os.ttyname(descriptor), mode | os.O_NOCTTY | os.O_NONBLOCK)
        with contextlib.suppress(OSError):
            if os.get_blocking(descriptor):
                self._shared.append(descriptor)
        return descriptor

    def _set(self, settings: list[Any]) -> None:
        # TCSAFLUSH is never used here: it throws away what has been typed.
        with contextlib.suppress(termios.error, OSError):
            termios.tcsetattr(0, termios.TCSANOW, settings)


class Outlet:
    """Writes to a descriptor without waiting, and keeps the bytes that did not fit, in order."""

    def __init__(self, descriptor: int) -> None:
        self.unwritten = bytearray()
        self._descriptor = descriptor

    def write(self, data: bytes) -> None:
        if self.unwritten:
            self.unwritten += data
        try:
            count = os.write(self._descriptor, self.unwritten or data)
        except BlockingIOError:
            count = 0
        if self.unwritten:
            del self.unwritten[:count]
        elif count < len(data):
            self.unwritten += data[count:]


class RefusalError(Exception):
    def __init__(self, error: str, **facts: object) -> None:
        super().__init__(error)
        self.reply = {"ok": False, "error": error, **facts}


class Client:
    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.received = b""
        self.unsent = b""
        self.asked: dict[str, Any] | None = None  # the request for a hold that waits until the human's key is whole
        self.asked_until = 0.0
        self.is_watching = False  # True if the client wants to know when the agent stops or ends


class Requests:
    """The socket and its clients. A client sends JSON lines, and gets one reply line for each of them, in order."""

    def __init__(
        self, listener: socket.socket, answer: Callable[[Client, dict[str, Any]], dict[str, Any] | None]
    ) -> None:
        self.listener = listener
        self.clients: list[Client] = []
        self._answer = answer

    def accept(self, events: int) -> None:
        with contextlib.suppress(OSError):
            connection, _ = self.listener.accept()
            connection.setblocking(False)
            if len(self.clients) < MOST_CLIENTS:
                self.clients.append(Client(connection))
            else:
                connection.close()

    def receive(self, client: Client) -> bool:
        """Read and serve what the client has sent. Return False if the client is gone, or sends a line that is too long for a request."""
        try:
            data = client.connection.recv(CHUNK)
        except BlockingIOError:
            return True
        except OSError:
            return False
        client.received += data
        self.serve(client)
        return bool(data) and (len(client.received) <= LONGEST_REQUEST or b"\n" in client.received)

    def serve(self, client: Client) -> None:
        while client.asked is None and not client.unsent:
            line, newline, rest = client.received.partition(b"\n")
            if not newline:
                return
            client.received = rest
            if (reply := self._reply(client, line)) is not None:
                self.tell(client, reply)

    def tell(self, client: Client, reply: dict[str, Any]) -> None:
        client.unsent += json.dumps(reply).encode() + b"\n"
        self.send(client)

    def send(self, client: Client) -> bool:
        try:
            client.unsent = client.unsent[client.connection.send(client.unsent) :]
        except BlockingIOError:
            pass
        except OSError:
            return False
        return True

    def _reply(self, client: Client, line: bytes) -> dict[str, Any] | None:
        try:
            request = json.loads(line)
            if not isinstance(request, dict):
                raise RefusalError("malformed")
            return self._answer(client, request)
        except RefusalError as refusal:
            return refusal.reply
        except (ValueError, RecursionError):
            return RefusalError("malformed").reply


class Airlock:
    def __init__(
        self, agent: Agent, terminal: Terminal, listener: socket.socket | None, *, is_watched: bool = False
    ) -> None:
        """`is_watched` is True if a client is about to connect that wants to know how the agent ends."""
        self._agent = agent
        self._terminal = terminal
        self._printed = Printed()
        self._keys = Keys(self._send, self._unread, self._printed)
        self._requests = Requests(listener, self._answer) if listener else None
        self._operations = {"facts": self._facts, "hold": self._hold, "write": self._write, "release": self._release}
        self._operations |= {"watch": self._start_watching, "undo": self._leave_undo, "redraw": self._redraw}
        self._to_agent = Outlet(agent.master)
        self._to_terminal = Outlet(terminal.output)
        self._has_input = True
        self._leave_at: float | None = None  # when to kill the agent; None until the terminal is gone
        self._left_behind = 0
        self._is_drained = False
        # Until when to wait for a watcher; None once one has come.
        self._watcher_due_at = time.monotonic() + WATCHER_PATIENCE_S if is_watched else None
        self._farewell_at: float | None = None  # when to leave, whoever watches; None until all output is shown
        self._size_back_at: float | None = (
            None  # when the agent's terminal gets our size again; None unless it is narrower than ours
        )
        self._reopen_at: float | None = None  # when to read again; None unless nobody had the agent's side open
        self._selector = selectors.PollSelector()
        self._watched: dict[int, int] = {}
        self._wakeup, wakeup = os.pipe()
        for descriptor in (self._wakeup, wakeup):
            os.set_blocking(descriptor, False)
        signal.set_wakeup_fd(wakeup, warn_on_full_buffer=False)
        for number in (signal.SIGWINCH, signal.SIGCONT):
            signal.signal(number, lambda number, frame: None)
        signal.signal(signal.SIGTSTP, lambda number, frame: self._agent.signal(number))

    def run(self) -> None:
        """Run until the agent has ended and everything that it has printed is shown."""
        try:
            self._terminal.make_raw()
            self._watch(self._wakeup, READ, lambda _: self._on_signals(os.read(self._wakeup, CHUNK)))
            if self._requests:
                self._watch(self._requests.listener.fileno(), READ, self._requests.accept)
            self._watch(self._agent.news, READ, self._on_news)
            self._on_signals(bytes([signal.SIGWINCH]))
            while not self._is_over():
                self._turn()
        except Exception as failure:  # noqa: BLE001 - the agent must outlive any defect of ours
            self._terminal.say(f"{failure!r}; copying plainly from here on")
            self._copy_plainly()

    def _turn(self) -> None:
        self._choose_watched()
        for key, events in self._selector.select(self._timeout_s()):
            key.data(events)
        now = time.monotonic()
        self._keys.tick(now)
        self._grant(now)
        if self._reopen_at is not None and now >= self._reopen_at:
            self._reopen_at = None
        if self._size_back_at is not None and now >= self._size_back_at:
            self._size_back_at = None
            self._agent.resize(self._terminal.size())
        if self._leave_at is not None and now >= self._leave_at:
            self._agent.signal(signal.SIGKILL)
            self._leave_at = now + HANG_UP_PATIENCE_S
        if self._agent.status is not None and not self._is_drained:
            self._drain()

    def _is_over(self) -> bool:
        """Return True if we may leave. A client that watches is told first, and may look at the terminal for as long as it stays connected
        (but not longer than FAREWELL_S)."""
        if not self._is_drained:
            return False
        now = time.monotonic()
        if self._farewell_at is None:
            self._farewell_at = now + FAREWELL_S
            self._tell_watchers(event="ended", status=self._agent.status)
        if self._leave_at is not None or now >= self._farewell_at:
            return True
        return not self._watchers() and (self._watcher_due_at is None or now >= self._watcher_due_at)

    def _timeout_s(self) -> float | None:
        if self._farewell_at is not None:
            return max(0.0, min(self._farewell_at, self._watcher_due_at or self._farewell_at) - time.monotonic())
        if self._agent.status is not None and not self._to_terminal.unwritten:
            return 0.0  # nothing more will happen that could wake us
        asked = [client.asked_until for client in self._clients() if client.asked is not None]
        times = [
            at
            for at in (self._keys.due_at, self._leave_at, self._reopen_at, self._size_back_at, *asked)
            if at is not None
        ]
        return max(0.0, min(times) - time.monotonic()) if times else None

    def _choose_watched(self) -> None:
        """Choose the descriptors to wait for, by what is still unwritten. All of the flow control is in this function."""
        may_read = self._reopen_at is None and not self._to_terminal.unwritten and self._agent.status is None
        may_hear = self._has_input and len(self._to_agent.unwritten) + self._keys.held_bytes < MOST_UNFORWARDED
        self._watch(self._agent.master, READ * may_read | WRITE * bool(self._to_agent.unwritten), self._on_agent)
        self._watch(self._terminal.input, READ * may_hear, self._on_input)
        self._watch(self._terminal.output, WRITE * bool(self._to_terminal.unwritten), self._on_output)
        for client in self._clients():
            self._watch(client.connection.fileno(), WRITE if client.unsent else READ, partial(self._on_client, client))

    def _watch(self, descriptor: int, events: int, act: Callable[[int], object]) -> None:
        before = self._watched.get(descriptor, 0)
        if events == before:
            return
        if before:
            self._selector.unregister(descriptor)
        if events:
            self._selector.register(descriptor, events, act)
        self._watched[descriptor] = events

    def _on_signals(self, numbers: bytes) -> None:
        if self._agent.status is not None and any(number in FORWARDED_SIGNALS for number in numbers):
            self._hang_up()  # the agent has ended, and the sender of the signal does not want to wait for its last words
        if signal.SIGWINCH in numbers:
            self._agent.resize(self._terminal.size())
        if signal.SIGCONT in numbers:
            self._resume()

    def _on_news(self, events: int) -> None:
        self._agent.hear()
        if self._agent.status is not None:
            self._watch(self._agent.news, 0, self._on_news)
        elif self._agent.is_stopped:
            self._stop_too()

    def _stop_too(self) -> None:
        """Give the terminal to whoever can continue the agent, which has stopped. If nobody can, continue the agent at once."""
        self._show_last_words()
        if self._watchers():
            self._tell_watchers(event="stopped")
            return
        if os.getsid(0) != os.getpid() and self._leave_at is None:
            self._terminal.restore()
            before = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
            # Stop the whole job, as the terminal does on Ctrl-Z. Nothing happens where no shell could ever continue the job.
            os.killpg(0, signal.SIGTSTP)
            signal.signal(signal.SIGTSTP, before)
        self._resume()

    def _show_last_words(self) -> None:
        """Show what the agent has printed before it stopped or ended, before anybody else writes to the terminal."""
        shown_by = time.monotonic() + LAST_WORDS_S
        while time.monotonic() < shown_by and (self._read_output() or self._to_terminal.unwritten):
            if self._to_terminal.unwritten:
                select.select([], [self._terminal.output], [], max(0.0, shown_by - time.monotonic()))
                self._show(b"")
        if self._watchers() and self._leave_at is None:
            self._wait_until_drawn(shown_by)

    def _wait_until_drawn(self, until: float) -> None:
        """Wait until the terminal has drawn everything, because a watcher looks at the terminal's own picture. A terminal answers a
        question when it has drawn all that came before the question."""
        self._show(ARE_YOU_WELL)
        heard = b""
        while I_AM_WELL not in heard and (left_s := until - time.monotonic()) > 0:
            if select.select([self._terminal.input], [], [], left_s)[0]:
                if not (data := _read_some(self._terminal.input)):
                    break
                heard += data
        if others := heard.replace(I_AM_WELL, b"", 1):
            self._keys.arrive(others, time.monotonic())

    def _resume(self) -> None:
        """Continue the agent, and take the terminal if we are in the foreground. In the background the terminal is not ours: the kernel
        would stop us if we changed the terminal's modes. `fg` brings us here again."""
        if self._terminal.is_ours():
            self._terminal.make_raw()
            self._agent.resize(self._terminal.size())
        self._agent.signal(signal.SIGCONT)

    def _on_output(self, events: int) -> None:
        self._show(b"")

    def _on_input(self, events: int) -> None:
        try:
            data = os.read(self._terminal.input, CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            self._keys.arrive(data, time.monotonic())
        else:
            self._has_input = False
            if self._terminal.is_tty:
                self._hang_up()

    def _hang_up(self) -> None:
        """Hang the agent up, because our terminal is gone. The agent may clean up for HANG_UP_PATIENCE_S; nobody sees its output."""
        now = time.monotonic()
        self._has_input = False
        self._to_terminal.unwritten.clear()
        self._agent.was_told_to_end = self._agent.was_told_to_end or self._agent.status is None
        if self._leave_at is None:
            self._leave_at = now + HANG_UP_PATIENCE_S
            # The kernel may have sent us a hang-up as well, which we passed on: a second one would end the agent in mid-cleanup.
            if now - self._agent.hung_up_at > HANG_UP_PATIENCE_S / 2:
                self._agent.signal(signal.SIGHUP)
            self._agent.signal(signal.SIGCONT)

    def _on_agent(self, events: int) -> None:
        if events & WRITE:
            self._send(b"")
        if events & READ:
            reads = 1
            # A short read was all there was: we need not read again, and an echoed key need not wait for that.
            while self._read_output() > SHORT_READ and reads < READS_PER_TURN:
                reads += 1

    def _read_output(self) -> int:
        """Read the agent's output and forward it, as far as the terminal takes it. Return the number of bytes; 0 if there was nothing to
        read, or if the terminal has not yet taken what was read before."""
        if self._to_terminal.unwritten:
            return 0
        try:
            data = os.read(self._agent.master, CHUNK)  # a pty hands out 4 KB at a time, whatever one asks for
        except BlockingIOError:
            return 0
        except OSError:
            data = b""
        if data:
            self._printed.note(data, time.monotonic())
            self._show(data)
        else:
            self._reopen_at = time.monotonic() + REOPEN_POLL_S
        return len(data)

    def _show(self, data: bytes) -> None:
        if self._leave_at is None:
            try:
                self._to_terminal.write(data)
            except OSError:
                self._hang_up()

    def _send(self, data: bytes) -> None:
        try:
            self._to_agent.write(data)
        except OSError:
            self._to_agent.unwritten.clear()  # the agent has closed its side: nobody will ever read this

    def _unread(self) -> int:
        """Return how many bytes the agent has still to read; 0 if these are only replies of the terminal. Nobody waits until an agent reads
        replies: Codex leaves a focus report that comes while it returns from its editor unread until the next key."""
        unread = len(self._to_agent.unwritten) + self._agent.line_facts()[0]
        return 0 if unread <= self._keys.last_reply_bytes else unread

    def _drain(self) -> None:
        if self._keys.hold:
            self._keys.give_up_undo()
            self._keys.release(time.monotonic())
        while (count := self._read_output()) and self._left_behind < MOST_LEFT_BEHIND:
            self._left_behind += count
        if not self._to_terminal.unwritten:
            self._show_last_words()
            self._is_drained = True

    def _clients(self) -> list[Client]:
        return self._requests.clients if self._requests else []

    def _watchers(self) -> list[Client]:
        return [client for client in self._clients() if client.is_watching]

    def _tell_watchers(self, **news: object) -> None:
        for client in self._watchers():
            if self._requests:
                self._requests.tell(client, news)

    def _start_watching(self, client: Client, request: dict[str, Any]) -> dict[str, Any]:
        """Tell the client from now on when the agent stops, and how the agent ends. If the agent has ended already, the reply has its
        status."""
        client.is_watching, self._watcher_due_at = True, None
        return self._facts(client, request) | {"status": self._agent.status if self._is_drained else None}

    def _on_client(self, client: Client, events: int) -> None:
        assert self._requests
        if self._requests.send(client) if events & WRITE else self._requests.receive(client):
            self._requests.serve(client)
            return
        self._watch(client.connection.fileno(), 0, lambda _: None)
        client.connection.close()
        self._requests.clients.remove(client)
        if client.is_watching and not self._watchers() and self._agent.is_stopped:
            self._resume()  # no other client is left that could continue the agent
        if self._keys.hold and self._keys.hold.owner is client:
            self._keys.end_hold(time.monotonic())

    def _answer(self, client: Client, request: dict[str, Any]) -> dict[str, Any] | None:
        operation = self._operations.get(str(request.get("op")))
        if operation is None:
            raise RefusalError("malformed")
        return operation(client, request)

    def _facts(self, client: Client, request: dict[str, Any]) -> dict[str, Any]:
        now = time.monotonic()
        columns, rows = self._agent.size()
        return {
            "ok": True,
            "version": VERSION,
            "agent_pid": self._agent.pid,
            "airlock_pid": os.getpid(),
            "is_running": self._agent.status is None,
            "is_stopped": self._agent.is_stopped,
            "last_key_age_s": None if self._keys.last_key_at is None else now - self._keys.last_key_at,
            "last_passed_age_s": None if self._keys.passed_at is None else now - self._keys.passed_at,
            "held_bytes": self._keys.held_bytes,
            "hold": self._keys.hold and self._keys.hold.id,
            "is_undoing": self._keys.is_undoing,
            "undone": self._undone(now),
            "unread_bytes": self._unread(),
            "output_bytes": self._printed.total,
            "last_output_age_s": None if self._printed.last_at is None else now - self._printed.last_at,
            "bracketed_paste": self._printed.is_bracketed,
            "is_line_mode": self._agent.line_facts()[1],
            "has_focus": self._keys.has_focus,
            "columns": columns,
            "rows": rows,
        }

    def _undone(self, now: float) -> dict[str, Any] | None:
        undone = self._keys.undone
        if undone is None:
            return None
        is_touched = undone.is_touched or (self._keys.last_key_at or 0.0) > undone.at
        return {
            "label": undone.label,
            "is_after_enter": undone.is_after_enter,
            "is_touched": is_touched,
            "leaves_draft_out": undone.leaves_draft_out,
        }

    def _hold(self, client: Client, request: dict[str, Any]) -> None:
        _terms(request)
        client.asked, client.asked_until = request, time.monotonic() + GRANT_PATIENCE_S

    def _grant(self, now: float) -> None:
        for client in self._clients():
            if client.asked is None:
                continue
            if self._agent.status is not None or self._agent.is_stopped:
                reply = RefusalError("agent-stopped" if self._agent.status is None else "agent-exited").reply
            elif not self._keys.is_free:
                reply = RefusalError("held").reply
            elif not self._keys.reader.pending:
                reply = {"ok": True, "hold": self._take(client, client.asked, now)}
            elif now >= client.asked_until:
                reply = RefusalError("typing").reply
            else:
                continue
            client.asked = None
            assert self._requests
            self._requests.tell(client, reply)
            self._requests.serve(client)

    def _take(self, client: Client, request: dict[str, Any], now: float) -> str:
        seconds, gap_s, enter_gap_s, after_enter_s = _terms(request)
        label = _label(request)
        hold = Hold(os.urandom(8).hex(), client, now + seconds, gap_s, enter_gap_s, after_enter_s, label)
        hold = hold._replace(drops_answers=request.get("drops_answers") is True)
        self._keys.take(hold)
        return hold.id

    def _leave_undo(self, client: Client, request: dict[str, Any]) -> dict[str, Any]:
        self._check_hold(request)
        self._set_undo(_undo(request.get("undo")))
        return {"ok": True}

    def _set_undo(self, undo: Undo) -> None:
        assert self._keys.hold
        before = self._keys.hold.undo
        # A message that was submitted stays submitted, whatever is left to be undone.
        is_after_enter = undo.is_after_enter or (before is not None and before.is_after_enter)
        self._keys.hold = self._keys.hold._replace(undo=undo._replace(is_after_enter=is_after_enter))
        self._keys.undone = None

    def _write(self, client: Client, request: dict[str, Any]) -> dict[str, Any]:
        self._check_hold(request)
        if self._agent.is_stopped:
            raise RefusalError("agent-stopped")
        expected = request.get("if_output")
        if not (expected is None or type(expected) is int) or not isinstance(request.get("data"), str):
            raise RefusalError("malformed")
        data = binascii.a2b_base64(request["data"], strict_mode=True)
        undo = None if request.get("undo") is None else _undo(request["undo"])
        if expected is not None:
            has_printed = bool(select.select([self._agent.master], [], [], 0)[0])
            self._read_output()
            if has_printed or self._printed.total != expected:
                raise RefusalError("output-moved", output_bytes=self._printed.total)
        self._keys.send(data)
        if undo is not None:
            self._set_undo(undo)
        return {"ok": True, "output_bytes": self._printed.total}

    def _redraw(self, client: Client, request: dict[str, Any]) -> dict[str, Any]:
        """Make the agent's terminal one column narrower for a moment: agents draw everything anew when their terminal's size changes."""
        columns, rows = self._agent.size()
        if columns > 2 and self._size_back_at is None:
            self._agent.resize(struct.pack("HHHH", rows, columns - 1, 0, 0))
            self._size_back_at = time.monotonic() + NARROWER_S
        return {"ok": True}

    def _release(self, client: Client, request: dict[str, Any]) -> dict[str, Any]:
        self._check_hold(request)
        held, self._keys.dropped = self._keys.held_bytes, 0
        self._keys.release(time.monotonic())
        dropped = {"dropped": self._keys.dropped} if self._keys.dropped else {}
        return {"ok": True, "replayed": held} | dropped

    def _check_hold(self, request: dict[str, Any]) -> None:
        hold, now = self._keys.hold, time.monotonic()
        if hold and now >= hold.until:
            self._keys.end_hold(now)
        if not self._keys.hold or self._keys.is_undoing or request.get("hold") != self._keys.hold.id:
            raise RefusalError("hold-over")

    def _copy_plainly(self) -> None:
        """Copy bytes both ways and do nothing else, because nothing else can be trusted any more."""
        master, output = self._agent.master, self._terminal.output
        to_agent = bytes(self._to_agent.unwritten) + self._keys.give_up()
        sources = [master, *([self._terminal.input] if self._has_input else [])]
        os.set_blocking(output, True)
        _write_all(output, bytes(self._to_terminal.unwritten))
        while self._agent.status is None:
            self._agent.hear()
            if self._agent.is_stopped:
                self._agent.signal(signal.SIGCONT)
            for source in select.select(sources, [master] if to_agent else [], [], REOPEN_POLL_S)[0]:
                data = _read_some(source)
                if not data:
                    sources.remove(source)
                    self._agent.signal(signal.SIGHUP if source != master and self._terminal.is_tty else 0)
                elif source == master:
                    _write_all(output, data)
                else:
                    to_agent += data
            with contextlib.suppress(OSError):
                to_agent = to_agent[os.write(master, to_agent) :]
        while data := _read_some(master):
            _write_all(output, data)


def _terms(request: dict[str, Any]) -> list[float]:
    """Return the terms of a hold, all in seconds: its length, the gap before a key, the gap before Enter, the gap behind Enter."""
    gaps = [request.get("gap_ms", 4), request.get("enter_gap_ms", 60), request.get("after_enter_ms", 0)]
    terms = [request.get("seconds"), *gaps]
    for term, most in zip(terms, (LONGEST_HOLD_S, *[LONGEST_GAP_MS] * 3), strict=True):
        if isinstance(term, bool) or not isinstance(term, int | float) or not 0 <= term <= most:
            raise RefusalError("malformed")
    if terms[0] == 0:
        raise RefusalError("malformed")
    _label(request)
    return [terms[0], *(gap / 1000 for gap in terms[1:])]


def _label(request: dict[str, Any]) -> str:
    """Return the holder's name for the delivery, for whoever asks later what became of it."""
    label = request.get("label", "")
    if not isinstance(label, str) or len(label) > 200:
        raise RefusalError("malformed")
    return label


def _undo(request: object) -> Undo:
    """Read an undo of this form, where "keys" and "paste" are in base64 and a write has one of them:
    {"writes": [{"keys" or "paste": …, "times": 1, "wait_s": 0.0, "back_wait_s": null}, …],
     "is_after_enter": false, "leaves_draft_out": false}"""
    if not isinstance(request, dict) or not isinstance(request.get("writes"), list):
        raise RefusalError("malformed")
    is_after_enter, leaves_draft_out = request.get("is_after_enter", False), request.get("leaves_draft_out", False)
    if not isinstance(is_after_enter, bool) or not isinstance(leaves_draft_out, bool):
        raise RefusalError("malformed")
    return Undo(tuple(_undo_write(write) for write in request["writes"]), is_after_enter, leaves_draft_out)


def _bursts(undo: Undo) -> list[Burst]:
    bursts: list[Burst] = []
    for write in undo.writes:
        *first, last = write.parts or [b""]
        bursts += [Burst(part, write.is_paste, 0.0) for part in first]
        bursts.append(Burst(last, write.is_paste and bool(last), write.wait_s, write.back_wait_s))
    return bursts


def _undo_write(write: object) -> UndoWrite:
    if not isinstance(write, dict):
        raise RefusalError("malformed")
    is_paste = "paste" in write
    data, times, wait_s = (
        write.get("paste" if is_paste else "keys", ""),
        write.get("times", 1),
        write.get("wait_s", 0.0),
    )
    if not isinstance(data, str) or type(times) is not int or not 0 <= times <= MOST_REPEATS:
        raise RefusalError("malformed")
    back_wait_s = write.get("back_wait_s")
    if not _is_pause(wait_s) or not (back_wait_s is None or _is_pause(back_wait_s)):
        raise RefusalError("malformed")
    return UndoWrite(binascii.a2b_base64(data, strict_mode=True), times, is_paste, wait_s, back_wait_s)


def _is_pause(given: object) -> bool:
    return not isinstance(given, bool) and isinstance(given, int | float) and 0 <= given <= LONGEST_PAUSE_S


def _read_some(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, CHUNK)
    except OSError:
        return b""


def _write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


def listen(path: str) -> tuple[socket.socket, int] | None:
    """Listen at the path. Return the listener and the inode of its file, by which we know the file again. If we cannot listen, print a
    line on stderr and return None: it is more important that the agent runs."""
    listener = socket.socket(socket.AF_UNIX)
    before = os.umask(0o177)
    try:
        if not path:
            raise ValueError("no path for the socket")
        with contextlib.suppress(FileNotFoundError):
            if stat.S_ISSOCK(os.lstat(path).st_mode):
                os.unlink(path)
        listener.bind(path)
        listener.listen(MOST_CLIENTS)
        listener.setblocking(False)
        return listener, os.stat(path).st_ino
    except (OSError, ValueError) as failure:
        listener.close()
        print(f"hark-airlock: {path}: {failure}; going on without it", file=sys.stderr, flush=True)
        return None
    finally:
        os.umask(before)


def execute(command: list[str]) -> int:
    """Turn this process into the command; return an exit status if that fails."""
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores these signals, and so would the agent
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execvp(command[0], command)
    except (OSError, ValueError) as failure:
        print(
            f"hark-airlock: {command[0]}: {getattr(failure, 'strerror', None) or failure}", file=sys.stderr, flush=True
        )
        return 127 if isinstance(failure, FileNotFoundError) else 126


def run_behind(path: str, command: list[str], *, is_watched: bool = False) -> int:
    """Run the command behind an airlock, and return the agent's wait status."""
    terminal = Terminal()
    listener, inode = listen(path) or (None, None)
    try:
        agent = Agent(command, terminal.settings, terminal.size())
        Airlock(agent, terminal, listener, is_watched=is_watched and listener is not None).run()
        if listener is not None:
            leave_ending(path, agent)
    finally:
        terminal.restore()
        with contextlib.suppress(OSError):
            if inode == os.stat(path).st_ino:
                os.unlink(path)
    return agent.status or 0


def leave_ending(path: str, agent: Agent) -> None:
    """Write down beside the socket how the agent has ended, for a daemon that may start the agent again."""
    words = json.dumps({"status": agent.status, "was_told": agent.was_told_to_end})
    with contextlib.suppress(OSError):
        file = os.open(f"{path}.end", os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
        os.write(file, words.encode())
        os.close(file)


def end_like(status: int) -> NoReturn:
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # the agent has dumped its own core
        with contextlib.suppress(OSError):
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        sys.exit(128 + number)
    sys.exit(os.waitstatus_to_exitcode(status))


def main() -> None:
    words, path, is_watched = sys.argv[1:], None, False
    if words[:1] == ["--socket"]:
        path, words = (words[1:2] or [""])[0], words[2:]
    if words[:1] == ["--watched"]:
        is_watched, words = True, words[1:]
    if words[:1] == ["--"]:
        words = words[1:]
    if not words or words[0] in ("-h", "--help"):
        print(USAGE, file=sys.stderr)
        sys.exit(0 if words else 2)
    if path is None:
        sys.exit(execute(words))
    end_like(run_behind(path, words, is_watched=is_watched))


if __name__ == "__main__":
    main()
