"""The key tables of a hold, for the two ways in which tmux can make a client wait. PURE: commands are returned, not run.

    Queued (3.4 and newer)   A key of our own, which no terminal sends, is put into the queue of the client, and waits there for
                             the lock. Keys of the human stand behind it in that queue. When they are let go, tmux looks them up
                             in the human's own tables: nothing is copied, and no key of the human's passes through a table of ours.
    Copied (3.3)             tmux cannot put a key into a client's queue. So the human's first key itself waits: tmux looks it up in a
                             table of ours, which has the human's own bindings, each behind the lock.

Some agents take an Enter that comes out of a hold together with text for a newline of a paste. For these agents hark uses a second
table until all keys are out: an Enter waits there for a moment, and the human's own bindings are copied into that table.

The human's own tables are never changed. A copy is only as good as the output of `list-keys`. That output is exact; on tmux 3.4 it is
exact once `TmuxServer.text` has taken out the backslashes that tmux adds to everything it prints.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from msgspec import Struct

from hark.terminal.holds.human_clients import Watcher
from hark.terminal.tmux.commands import command, quote
from hark.terminal.tmux.expansion import Format, equals
from hark.terminal.tmux.orphans import HIDDEN_SESSION

MARK = "@hark-hold"
OUT, OVER = "-out", "-over"
"""The endings of the mark's value: OUT while the keys are free and on their way to the program, OVER once all keys are out."""

ENTERS = 4
"""The largest number of held Enters that come out with a gap. A human who leans on Enter, or who pastes (tmux before 3.4 cannot tell a
newline of a paste from an Enter), has more Enters in the queue; the others come out at once."""
SPACED_KEYS = 8
"""The number of held keys that come out with a gap; the keys behind them come out at once. Nobody types more keys in the usual time of
a hold."""
SPACED_KEYS_BEFORE_3_4 = 400
"""The same on tmux 3.3, where each character of a paste is a key like any other: most pastes are shorter."""
GAP_BEFORE_3_4_S = 0.005
"""The gap between held keys on tmux 3.3. It is short, because a paste comes with as many gaps as it has characters. It keeps a paste apart
from the keys behind it: Claude Code drops a paste that it reads together with the next key (measured: 3 of 3 without a gap, 0 of 3 with
3 ms, at a load of 16)."""

PREFIXES = ("prefix", "prefix2")
PASTE_TIME = "assume-paste-time"
KEY_TABLE = "key-table"

OUR_KEY, OUR_CTRL_KEY = "User768", "C-User769"
"""The two keys that hark puts into a client's queue; `our_key_for` chooses one. User keys exist only where an option of tmux defines them,
and nobody defines such high numbers. A client that waits for a command of its own, or is in the middle of a paste, does not take our
key; tmux 3.5 and 3.6 then try to write the key to the program. For the first key these versions write nothing if the program has
asked for extended keys, and a NUL otherwise. For the second key they write nothing if the program has not asked for extended keys."""

_BINDING = re.compile(r"bind-key +(?P<repeat>-r +)?-T +(?P<table>\S+) +(?P<key>\S+) +(?P<commands>.+)")

# A mouse event that nothing is bound to goes to the program under the mouse; send-keys alone would swallow it.
_SEND_ON = 'if-shell -F "#{mouse_pane}" { send-keys -M } { send-keys }'

ANSWER_KEYS = ("Enter", "KPEnter", "Escape")
"""The keys that answer every dialog, and that a hold that drops answers does not send on. tmux cannot look at what follows a key, so letters
and digits, which may belong to a text, are sent on."""
NO_COMMAND = "if-shell -F 0 list-sessions"
"""A tmux command that does nothing, and is done at once."""

Words = tuple[str, ...]
"""The words of a tmux command, from which a control line or a shell command can be made."""


class Setting(Struct, frozen=True):
    """The value that the human has given an option in one session; None if the option is not set there."""

    session_id: str
    option: str
    value: str | None

    def override(self, value: str) -> Words:
        return ("set-option", "-q", "-t", f"{self.session_id}:", self.option, value)

    @property
    def restore(self) -> Words:
        """Return the command that restores the option. The command is quiet (`-q`): a session that is gone must not keep the options of
        other sessions from being restored."""
        if self.value is None:
            return ("set-option", "-q", "-u", "-t", f"{self.session_id}:", self.option)
        return ("set-option", "-q", "-t", f"{self.session_id}:", self.option, self.value)


class Names(Struct, frozen=True):
    """The name of a hold, the clients that are held, how long after other keys a held Enter comes out, and which key of ours waits."""

    hold: str
    watchers: tuple[Watcher, ...]
    enter_gap_s: float
    key_gap_s: float = 0.0
    """How long after another key each of the first `SPACED_KEYS` held keys comes out. On tmux 3.3 the gap is `GAP_BEFORE_3_4_S`."""
    our_key: str = OUR_KEY
    """The key that waits in the queues of the clients."""
    drops_answers: bool = False
    """True if held keys that answer dialogs are not sent on: they were meant for a dialog that is gone."""

    @property
    def has_gaps(self) -> bool:
        """True if held keys pass through a table of ours on their way out."""
        return bool(self.enter_gap_s or self.key_gap_s or self.drops_answers)

    @property
    def longest_gaps_s(self) -> float:
        """The longest time that all pauses between held keys can take together."""
        spaced_s = max(1.5 * SPACED_KEYS * self.key_gap_s, 2 * SPACED_KEYS_BEFORE_3_4 * GAP_BEFORE_3_4_S)
        return ENTERS * max(self.enter_gap_s, 2 * self.key_gap_s) + (spaced_s if self.key_gap_s else 0.0)

    @property
    def spaced(self) -> str:
        """The name of the server option that has a character for each key that has come out with a gap."""
        return f"@{self.hold}-spaced"

    def if_spaced(self, enough: str, more: str, most: int = SPACED_KEYS) -> str:
        """Return the command that runs `enough` if `most` keys have come out with a gap already, and else counts this key and runs
        `more`."""
        is_enough = f'"#{{==:#{{{self.spaced}}},{"1" * most}}}"'
        return f"if-shell -F {is_enough} {{ {enough} }} {{ set-option -s -a {self.spaced} 1 ; {more} }}"

    @property
    def of_clients(self) -> list[str]:
        """The name of each client's key table, which is also the name of the client's lock."""
        return [f"{self.hold}-{number}" for number in range(len(self.watchers))]

    @property
    def named_watchers(self) -> list[tuple[Watcher, str]]:
        return list(zip(self.watchers, self.of_clients, strict=True))

    @property
    def sessions(self) -> list[str]:
        return sorted({watcher.session_id for watcher in self.watchers})


class Tables(Protocol):
    """The tmux commands of one of the two ways to make clients wait: `Queued` or `Copied`."""

    options: tuple[str, ...]
    """The options of the human's sessions that have other values during a hold."""

    def questions(self) -> list[str]:
        """Return the commands whose answers `prepare` needs."""

    def prepare(self, listed: Sequence[str]) -> Iterator[str]:
        """Make locks and tables. `listed` has the answers to the commands of `questions`."""

    def override(self, settings: Iterable[Setting]) -> Iterator[Words]: ...
    def take(self) -> Iterator[str]:
        """Make the clients wait. The last command prints one character for each client that waits."""

    def let_go(self, settings: Iterable[Setting]) -> Iterator[Words]: ...
    def put_back(self, settings: Iterable[Setting]) -> Iterator[Words]: ...
    def forget(self) -> Iterator[Words]: ...

    @property
    def waiting_enters(self) -> Format:
        """The format that expands to nothing if no key waits on its way out."""


class Queued:
    def __init__(self, names: Names) -> None:
        self._names = names
        self.options: tuple[str, ...] = (PASTE_TIME, KEY_TABLE) if names.has_gaps else (PASTE_TIME,)

    def questions(self) -> list[str]:
        """Ask for the bindings of all tables: asked for one table that has a single binding, tmux 3.7 prints nothing."""
        return [command("list-keys")] if self._names.has_gaps else []

    def prepare(self, listed: Sequence[str]) -> Iterator[str]:
        for watcher, name in self._names.named_watchers:
            yield command("wait-for", "-L", name)
            yield command("bind-key", "-T", name, self._names.our_key, self._wait(watcher, name))
        if self._names.has_gaps:
            for watcher, out in self._out_tables():
                yield from (f"bind-key -T {out} {key} {quote(waits)}" for key, waits in self._out_keys())
                yield from _copies(out, listed, watcher.usual_table)
        # Keys that tmux has read and not yet looked up are looked up now, in the human's own table.
        yield from _after_all_queues(f"{self._names.hold}-before")

    def override(self, settings: Iterable[Setting]) -> Iterator[Words]:
        return (setting.override("0") for setting in settings if setting.option == PASTE_TIME)

    def take(self) -> Iterator[str]:
        for watcher, name in self._names.named_watchers:
            yield command("switch-client", "-c", watcher.name, "-T", name)
            yield command("send-keys", "-K", "-c", watcher.name, self._names.our_key)
        yield from _after_all_queues(f"{self._names.hold}-after")
        yield command("set-hook", "-u", "-t", f"={HIDDEN_SESSION}:", _RENAMED)
        yield command(
            "display-message", "-p", Format("".join(f"#{{{_held(name)}}}" for name in self._names.of_clients))
        )

    def let_go(self, settings: Iterable[Setting]) -> Iterator[Words]:
        tables = {watcher.session_id: out for watcher, out in self._out_tables()}
        yield from (each.override(tables[each.session_id]) for each in settings if each.option == KEY_TABLE)
        yield from (("set-option", "-s", "-q", "-u", _held(name)) for name in self._names.of_clients)
        yield from _unbound(self._names.of_clients)
        yield from (("wait-for", "-U", name) for name in self._names.of_clients)

    def put_back(self, settings: Iterable[Setting]) -> Iterator[Words]:
        yield from (setting.restore for setting in settings)
        if self._names.has_gaps:
            yield from _unbound(out for _, out in self._out_tables())

    def forget(self) -> Iterator[Words]:
        yield from (("set-option", "-s", "-q", "-u", option) for option in (self._enters, self._names.spaced))

    @property
    def waiting_enters(self) -> Format:
        return Format(f"#{{{self._enters}}}")

    def _wait(self, watcher: Watcher, name: str) -> str:
        """Return the commands that our own key runs in the queue of a client."""
        wait = f"set-option -s {_held(name)} 1 ; wait-for -L {name} ; wait-for -U {name}"
        if not self._names.has_gaps:
            return wait
        out = next(out for other, out in self._out_tables() if other.session_id == watcher.session_id)
        is_usual = equals("client_key_table", watcher.usual_table)
        return f"{wait} ; {command('if-shell', '-F', is_usual, f'switch-client -T {out}')}"

    def _out_tables(self) -> list[tuple[Watcher, str]]:
        """Return the second table of each session, with one of the session's watchers. While keys come out, that table is the session's
        usual table, so that a key that is not bound in it goes straight on to the program."""
        first = {watcher.session_id: watcher for watcher in reversed(self._names.watchers)}
        return [(first[session], f"{self._names.hold}-{at}-out") for at, session in enumerate(self._names.sessions)]

    def _out_keys(self) -> Iterator[tuple[str, str]]:
        """Yield each key that waits on its way out, with the commands that it runs then."""
        if self._names.drops_answers:
            yield from ((key, NO_COMMAND) for key in ANSWER_KEYS)
        elif enter_gap_s := self._names.enter_gap_s or 2 * self._names.key_gap_s:
            waits = self._waiting(f"run-shell -d {enter_gap_s:.3f} ; send-keys")
            yield from ((key, waits) for key in ("Enter", "KPEnter"))
        if self._names.key_gap_s:
            # A paste passes by all tables, so each key keeps its distance to a paste before it and to a paste behind it.
            gap_s = self._names.key_gap_s
            waits = self._waiting(f"run-shell -d {gap_s / 2:.3f} ; {_SEND_ON} ; run-shell -d {gap_s:.3f}")
            yield "Any", self._names.if_spaced(_SEND_ON, waits)

    def _waiting(self, commands: str) -> str:
        """Return commands that add a character to the option of waiting keys, run `commands`, and take that character away again."""
        less = f'set-option -s -F {self._enters} "#{{s/^1//:{self._enters}}}"'
        return f"set-option -s -a {self._enters} 1 ; {commands} ; {less}"

    @property
    def _enters(self) -> str:
        return f"@{self._names.hold}-enters"


class Copied:
    options: tuple[str, ...] = (*PREFIXES, PASTE_TIME)

    def __init__(self, names: Names) -> None:
        self._names = names

    def questions(self) -> list[str]:
        tables = sorted({watcher.usual_table for watcher in self._names.watchers})
        return [command("list-keys", "-T", table) for table in tables]

    def prepare(self, listed: Sequence[str]) -> Iterator[str]:
        """Make all tables before the first client gets one: if a client has gone meanwhile, all tables exist and can be taken away."""
        for watcher, name in self._names.named_watchers:
            yield command("wait-for", "-L", name)
            wait = rf"wait-for -L {name} \; wait-for -U {name} \; "
            yield from self._table(name, name, listed, watcher, wait)
            for prefix in watcher.prefixes:
                if prefix != "None":
                    yield rf"{command('bind-key', '-T', name, prefix)} {wait}switch-client -T prefix"
            if self._names.has_gaps:
                yield from self._table(f"{name}-out", name, listed, watcher)

    def override(self, settings: Iterable[Setting]) -> Iterator[Words]:
        """Set the prefixes to None as well, because tmux looks for the prefix before it looks into any table."""
        return (setting.override("0" if setting.option == PASTE_TIME else "None") for setting in settings)

    def take(self) -> Iterator[str]:
        yield from (command("switch-client", "-c", each.name, "-T", name) for each, name in self._names.named_watchers)
        yield command("display-message", "-p", "1" * len(self._names.watchers))

    def let_go(self, settings: Iterable[Setting]) -> Iterator[Words]:
        yield from (setting.restore for setting in settings if setting.option in PREFIXES)
        yield from _unbound(self._names.of_clients)
        yield from (("wait-for", "-U", name) for name in self._names.of_clients)

    def put_back(self, settings: Iterable[Setting]) -> Iterator[Words]:
        yield from (setting.restore for setting in settings if setting.option == PASTE_TIME)
        if self._names.has_gaps:
            yield from _unbound(f"{name}-out" for name in self._names.of_clients)

    def forget(self) -> Iterator[Words]:
        waiting = (_waiting_key(name) for name in self._names.of_clients)
        yield from (("set-option", "-s", "-q", "-u", option) for option in (*waiting, self._names.spaced))

    @property
    def waiting_enters(self) -> Format:
        return Format("".join(f"#{{{_waiting_key(name)}}}" for name in self._names.of_clients))

    def _table(
        self, table: str, client: str, listed: Sequence[str], watcher: Watcher, first: str = ""
    ) -> Iterator[str]:
        """Yield the commands that copy the human's table into `table`, with `first` before the commands of every key."""
        yield rf"bind-key -T {table} Any {first}{self._key(client)}"
        if self._names.drops_answers:
            dropped = rf"{first}{NO_COMMAND} \; {self._stay(client)}"
            yield from (f"bind-key -T {table} {key} {dropped}" for key in ANSWER_KEYS)
        elif self._names.enter_gap_s:
            yield from (rf"bind-key -T {table} {key} {first}{self._enter(client)}" for key in ("Enter", "KPEnter"))
        yield from _copies(table, listed, watcher.usual_table, first)

    def _key(self, client: str) -> str:
        if not self._names.has_gaps:
            return _SEND_ON
        sent = _SEND_ON
        if self._names.key_gap_s:
            waiting = _waiting_key(client)
            gap = f"run-shell -d {GAP_BEFORE_3_4_S:.3f}"
            waits = f"set-option -s {waiting} 1 ; {_SEND_ON} ; {gap} ; set-option -s -q -u {waiting}"
            sent = self._names.if_spaced(_SEND_ON, waits, SPACED_KEYS_BEFORE_3_4)
        return rf"{sent} \; {self._stay(client)}"

    def _enter(self, client: str) -> str:
        waiting = _waiting_key(client)
        return (
            rf"set-option -s {waiting} 1 \; run-shell -d {self._names.enter_gap_s:.3f} \; send-keys \;"
            rf" set-option -s -q -u {waiting} \; {self._stay(client)}"
        )

    def _stay(self, client: str) -> str:
        """Return the command that keeps the client in its second table for as long as held keys come out."""
        return f'if-shell -F "#{{==:#{{{MARK}}},{self._names.hold}{OUT}}}" {{ switch-client -T {client}-out }}'


def our_key_for(key_mode: str) -> str:
    """Return the key of ours that the program never gets to see. `key_mode` is the value of `pane_key_mode`, which tmux knows since 3.5."""
    return OUR_CTRL_KEY if key_mode == "VT10x" else OUR_KEY


def tables_for(features: frozenset[str], names: Names) -> Tables:
    return Queued(names) if "client-keys" in features else Copied(names)


def _copies(table: str, listed: Sequence[str], usual_table: str, first: str = "") -> Iterator[str]:
    """Return the commands that copy the human's bindings into a table of ours, with `first` before the commands of every key."""
    found = (match for text in listed if (match := _BINDING.fullmatch(text)) and match["table"] == usual_table)
    return (
        f"bind-key {each['repeat'] or ''}-T {table} {each['key']} {first}{each['commands']}"
        for each in found
        if each["key"] not in (OUR_KEY, OUR_CTRL_KEY)
    )


_RENAMED = "window-renamed"


def _after_all_queues(name: str) -> Iterator[str]:
    """Yield commands after which the rest of the line waits until tmux has run everything in the clients' queues. tmux reads nothing
    more from terminals before the rest of the line has run.

    tmux goes through the queues of all clients again and again until they are empty, and only then reads from terminals. A
    hook runs in a queue that comes first in each round, so a line that waits for a hook goes on in the next round. The hook
    belongs to our own hidden session."""
    target = f"={HIDDEN_SESSION}:"
    yield command("set-hook", "-t", target, _RENAMED, f"wait-for -S {name}")
    yield command("rename-window", "-t", target, name)
    yield command("wait-for", name)


def _held(name: str) -> str:
    """Return the name of the server option that is set while a client waits."""
    return f"@{name}-held"


def _waiting_key(client: str) -> str:
    """Return the name of the server option that is set while a key of the client waits on its way out."""
    return f"@{client}-waiting"


def _unbound(tables: Iterable[str]) -> Iterator[Words]:
    return (("unbind-key", "-a", "-T", table) for table in tables)
