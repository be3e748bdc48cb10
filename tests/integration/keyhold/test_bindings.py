"""Keys that mean something to tmux mean the same during a hold; they act when it is over, in their turn."""

import re

import pytest

from hark.demo import human as humans
from hark.demo.human import Human
from hark.terminal.holds.key_hold import KeyHold
from hark.terminal.tmux.server import TmuxServer
from tests.integration.keyhold.stage import AT_ONCE, DEADLINE_S, Recorder, begin, wait_read
from tests.integration.terminal.connected import connected, in_thread
from tests.support.terminals import PrivateTmux

CLICK = b"\x1b[<0;10;5M"
UNCLICK = b"\x1b[<0;10;5m"


async def held(tmux: PrivateTmux, server: TmuxServer, recorder: Recorder, human: Human, *keys: str) -> None:
    """Keys by their names, or text, all of them pressed within one hold."""
    start = recorder.record
    hold = await begin(server, recorder.pane)
    for key in keys:
        if key in humans.KEYS:
            human.press(key)
        else:
            human.type(key, AT_ONCE)
    wait_read(tmux)
    assert recorder.record == start
    await hold.release()


def windows(tmux: PrivateTmux, recorder: Recorder) -> int:
    return int(tmux.read(recorder.pane.pane_id, "#{session_windows}"))


@pytest.mark.parametrize(
    ("options", "keys", "typed"),
    [
        # the prefix is the first key: tmux would act at once
        ((), ["C-b", "c"], b""),
        # it comes after others, all within a millisecond, which must not be taken for a paste
        ((), ["abc", "C-b", "c"], b"abc"),
        # what follows goes to the new window
        ((), ["a", "C-b", "c", "elsewhere"], b"a"),
        # the prefix itself, sent to the program in its turn
        ((), ["a", "C-b", "C-b", "z", "C-b", "c"], b"a\x02z"),
        # the same at once, which must not get through early
        ((), ["C-b", "C-b", "z", "C-b", "c"], b"\x02z"),
        # another prefix, set for this session only
        (("prefix", "C-a"), ["C-b", "C-a", "c"], b"\x02"),
        # the second one
        (("prefix2", "C-q"), ["C-q", "c"], b""),
    ],
)
def test_the_prefix_works(
    tmux: PrivateTmux, recorder: Recorder, human: Human, options: tuple[str, ...], keys: list[str], typed: bytes
) -> None:
    if options:
        tmux.run("set-option", "-t", recorder.pane.pane_id, *options)

    async def act(server: TmuxServer) -> None:
        await held(tmux, server, recorder, human, *keys)
        await in_thread(lambda: windows(tmux, recorder) == 2, "the window that the human made")
        await recorder.wait_for(typed)

    connected(tmux, act)


def test_a_root_binding_works_and_keeps_its_turn(tmux: PrivateTmux, recorder: Recorder, human: Human) -> None:
    tmux.run("bind-key", "-n", "C-n", "send-keys", "from the binding")
    tmux.run("bind-key", "-n", "C-o", "set-option -gF @seen '#{pane_id} \"$\" ; ##' ; send-keys -l '~ # $x ; }'")

    async def act(server: TmuxServer) -> None:
        await held(tmux, server, recorder, human, "C-n", "a", "C-n")
        await recorder.wait_for(b"from the bindingafrom the binding")
        await held(tmux, server, recorder, human, "C-o")
        await recorder.wait_for(b"from the bindingafrom the binding~ # $x ; }")

    connected(tmux, act)

    assert tmux.run("show-options", "-gv", "@seen") == f'{recorder.pane.pane_id} "$" ; #\n'


def test_every_copy_of_a_root_binding_is_exact(tmux: PrivateTmux, recorder: Recorder, human: Human) -> None:
    bindings = {
        "\\;": ["display-message", "semi;colon \\; $HOME ~ #{pane_id} #[fg=red] %H 'single' \"double\""],
        "'": ["run-shell", "echo \"it's\" '$x' ${y} `z` \\n"],
        "{": ["if-shell -F 1 { display-message 'in { braces } ; here' } { select-pane -L ; send-keys C-h }"],
        "#": ["send-keys -l 'ünï🦊\t'"],
        "M-\\": ["confirm-before", "-p", "kill?", "kill-session"],
        "~": ["command-prompt", "-I", "#W", "rename-window -- '%%'"],
    }
    for key, words in bindings.items():
        tmux.run("bind-key", "-n", key, *words)
    tmux.run("bind-key", "-nr", "C-Up", "resize-pane", "-U")

    async def act(server: TmuxServer) -> dict[str, str]:
        hold = await begin(server, recorder.pane, enter_gap_s=0.06)
        tables = set(re.findall(r"bind-key +(?:-r +)?-T (hark-\S+)", tmux.run("list-keys")))
        copied = {table: tmux.run("list-keys", "-T", table) for table in tables if is_copy(tmux, table)}
        await hold.release()
        return {table: as_of_the_human(listed, table) for table, listed in copied.items()}

    copies = connected(tmux, act)

    assert copies
    for copied in copies.values():
        assert without_padding(copied) == without_padding(tmux.run("list-keys", "-T", "root"))


def is_copy(tmux: PrivateTmux, table: str) -> bool:
    """Of a table with a single binding tmux 3.7 prints nothing."""
    return "C-Up" in tmux.run("list-keys", "-T", table)


def as_of_the_human(listed: str, table: str) -> str:
    """Without what a hold adds."""
    lock = table.removesuffix("-out")
    plain = re.sub(rf"wait-for -[LU] {lock} \\; ", "", listed).replace(f"-T {table}", "-T root")
    return re.sub(r"\n.* (Any|C-b|Enter|KPEnter) .*", "", "\n" + plain)


def without_padding(listed: str) -> list[str]:
    return sorted(re.sub(" +", " ", row) for row in listed.split("\n") if row)


def test_a_binding_for_any_key_stays_the_humans(tmux: PrivateTmux, recorder: Recorder, human: Human) -> None:
    tmux.run("bind-key", "-n", "Any", "send-keys -l '[' ; send-keys ; send-keys -l ']'")

    async def act(server: TmuxServer) -> None:
        await held(tmux, server, recorder, human, "ab")
        await recorder.wait_for(b"[a][b]")

    connected(tmux, act)


def test_a_key_table_of_the_humans_own(tmux: PrivateTmux, recorder: Recorder, human: Human) -> None:
    """Such as the one that switches an outer tmux off for the sake of an inner one."""
    tmux.run("bind-key", "-T", "off", "C-n", "send-keys", "off")
    for option, value in (("prefix", "None"), ("key-table", "off")):
        tmux.run("set-option", "-t", recorder.pane.pane_id, option, value)

    async def act(server: TmuxServer) -> None:
        await held(tmux, server, recorder, human, "C-n", "a", "C-b")
        await recorder.wait_for(b"offa\x02")

    connected(tmux, act)

    assert tmux.run("show-options", "-v", "-t", recorder.pane.pane_id, "prefix") == "None\n"


@pytest.mark.parametrize("events", [["click", "unclick"], ["unclick"], ["a", "click", "unclick"]])
def test_the_mouse_reaches_the_program(tmux: PrivateTmux, events: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(humans.KEYS, "click", CLICK)
    monkeypatch.setitem(humans.KEYS, "unclick", UNCLICK)
    tmux.run("set-option", "-g", "mouse", "on")
    recorder = Recorder(tmux, modes="\x1b[?1000h\x1b[?1006h")
    expected = b"".join(humans.KEYS.get(event, event.encode()) for event in events)

    async def act(server: TmuxServer) -> None:
        await held(tmux, server, recorder, human, *events)
        await recorder.wait_for(expected)

    with Human(recorder.pane.socket, recorder.pane.pane_id) as human:
        human.wait_attached(DEADLINE_S)
        connected(tmux, act)


def test_a_prefix_pressed_before_the_hold_is_waited_for(tmux: PrivateTmux, recorder: Recorder, human: Human) -> None:
    async def act(server: TmuxServer) -> KeyHold | None:
        human.press("C-b")
        await in_thread(lambda: "prefix" in tmux.run("list-clients", "-F", "#{client_key_table}"), "the prefix")
        hold = await KeyHold.begin(server, recorder.pane, DEADLINE_S)
        human.type("c", AT_ONCE)
        await in_thread(lambda: windows(tmux, recorder) == 2, "the window that the human made")
        return hold

    assert connected(tmux, act) is None
    assert recorder.record == b""
