"""Every kind of key is the same bytes with and without a hold."""

import pytest

from hark.demo import human as humans
from hark.demo.human import Human
from hark.terminal.tmux.server import TmuxServer
from tests.integration.keyhold.stage import AT_ONCE, DEADLINE_S, Recorder, begin, wait_read
from tests.integration.terminal.connected import connected, in_thread
from tests.support.terminals import PrivateTmux

KINDS = {
    "letter": b"x",
    "Space": b" ",
    "semicolon": b";",
    "backslash": b"\\",
    "hash": b"#",
    "quote": b'"',
    "Enter": b"\r",
    "Tab": b"\t",
    "BTab": b"\x1b[Z",
    "Escape": b"\x1b",
    "Backspace": b"\x7f",
    "C-a": b"\x01",
    "C-c": b"\x03",
    "C-d": b"\x04",
    "C-h": b"\x08",
    "C-z": b"\x1a",
    "C-Space": b"\x00",
    "M-x": b"\x1bx",
    "M-Enter": b"\x1b\r",
    "C-M-x": b"\x1b\x18",
    "Up": b"\x1b[A",
    "application Up": b"\x1bOA",
    "C-Left": b"\x1b[1;5D",
    "S-Right": b"\x1b[1;2C",
    "Home": b"\x1b[H",
    "Delete": b"\x1b[3~",
    "PageUp": b"\x1b[5~",
    "F1": b"\x1bOP",
    "F5": b"\x1b[15~",
    "S-F5": b"\x1b[15;2~",
    "umlaut": "ü".encode(),
    "Chinese": "漢".encode(),
    "emoji": "🦊".encode(),
    "joined emoji": "👩‍💻".encode(),
    "combining": "e\u0301".encode(),
    "burst": b"all of this comes in one read",
    "burst with keys": b"one\r\x1b[Atwo\x7f\x03three",
    "bracketed paste": b"\x1b[200~two lines\rof a paste\x1b[201~",
    "long burst": b"".join(b"%d," % number for number in range(300)),
}
LAST = "|"


async def arriving(recorder: Recorder, human: Human, start: int) -> bytes:
    """What came after `start`, once a last key has come: it is pressed only after something else has arrived, or Escape
    and it would be one key."""
    await in_thread(lambda: len(recorder.record) > start, "the first byte of the key")
    human.type(LAST, AT_ONCE)
    await in_thread(lambda: recorder.record.endswith(LAST.encode()), "the last key")
    return recorder.record[start:]


async def press_free(server: TmuxServer, recorder: Recorder, human: Human, kind: str) -> bytes:
    start = len(recorder.record)
    human.press(kind)
    return await arriving(recorder, human, start)


async def press_held(
    tmux: PrivateTmux, server: TmuxServer, recorder: Recorder, human: Human, kind: str, before: str
) -> bytes:
    start = len(recorder.record)
    hold = await begin(server, recorder.pane, DEADLINE_S)
    human.type(before, AT_ONCE)
    human.press(kind)
    wait_read(tmux)
    assert len(recorder.record) == start
    await hold.release()
    return await arriving(recorder, human, start)


@pytest.mark.parametrize("before", ["", "z"], ids=["the first key of a hold", "a later key of a hold"])
def test_held_keys_are_the_same_bytes(
    tmux: PrivateTmux, recorder: Recorder, human: Human, before: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for kind, data in KINDS.items():
        monkeypatch.setitem(humans.KEYS, kind, data)
    tmux.run("set", "-s", "escape-time", "20")

    async def act(server: TmuxServer) -> tuple[dict[str, bytes], dict[str, bytes]]:
        free = {kind: await press_free(server, recorder, human, kind) for kind in KINDS}
        held = {kind: await press_held(tmux, server, recorder, human, kind, before) for kind in KINDS}
        return free, held

    free, held = connected(tmux, act)

    assert held == {kind: before.encode() + data for kind, data in free.items()}


def test_a_large_paste_that_begins_in_a_hold_and_ends_after_it(
    tmux: PrivateTmux, recorder: Recorder, human: Human
) -> None:
    text = "".join(f"line {number}\n" for number in range(400))

    async def act(server: TmuxServer) -> None:
        hold = await begin(server, recorder.pane)
        human.paste(text)
        await hold.release()
        await recorder.wait_for(b"\x1b[200~" + text.replace("\n", "\r").encode() + b"\x1b[201~")

    connected(tmux, act)
