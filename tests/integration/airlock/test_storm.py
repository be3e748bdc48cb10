"""A human who never stops typing, and deliveries in every way they can end: no key lost, moved, or let in between."""

import random
import re
import threading

import pytest

from tests.integration.airlock.running import DEADLINE_S, Client, Recorded, Reply
from tests.support.terminals import wait_until

DELIVERIES = 20
LONGEST_PAUSE_S = 0.05  # faster than any human; much faster, and a replay could never catch up

# No braces among them: those are the marks of the deliveries.
KEYS = [
    *(bytes([letter]) for letter in b"abcdefghijklmnopqrstuvwxyz \r\n\t\x03\x7f\x1b"),
    "é".encode(),
    "世".encode(),
    "🙂".encode(),
    b"\x1b[A",
    b"\x1b[1;5D",
    b"\x1bOP",
    b"\x1bx",
    b"\x1b[200~a whole\rpaste\x1b[201~",
    b"\x1b[<0;10;20M",
    b"\xff",
]


class Typist(threading.Thread):
    def __init__(self, recorded: Recorded, dice: random.Random) -> None:
        super().__init__(name="typist", daemon=True)
        self.typed = b""
        self.stop = threading.Event()
        self._recorded = recorded
        self._dice = dice

    def run(self) -> None:
        while not self.stop.wait(self._dice.random() * LONGEST_PAUSE_S):
            keys = b"".join(self._dice.choices(KEYS, k=self._dice.choice([1, 1, 1, 2, 5])))
            cut = self._dice.randrange(len(keys) + 1)
            for piece in (keys[:cut], keys[cut:]):
                self._recorded.type(piece)
            self.typed += keys


def granted(client: Client, terms: dict[str, float]) -> Reply | None:
    reply = client.call(op="hold", **terms)
    assert reply["ok"] or reply["error"] in ("held", "typing")
    return reply if reply["ok"] else None


def deliver(client: Client, number: int, dice: random.Random) -> bytes:
    """Two writes with a pause between; answers what was accepted. The hold ends by release, deadline or the client's going."""
    reply = client.call(
        op="hold", seconds=dice.choice([0.01, 0.05, 2.0]), gap_ms=dice.choice([0, 1, 4]), enter_gap_ms=5
    )
    if not reply["ok"]:
        assert reply["error"] in ("held", "typing")
        return b""
    written = b""
    for mark in (b"{%d:" % number, b":%d}" % number):
        answer = client.write(reply["hold"], mark)
        assert answer["ok"] or answer["error"] == "hold-over"
        written += mark if answer["ok"] else b""
        threading.Event().wait(dice.random() * LONGEST_PAUSE_S)
    if dice.random() < 0.7:
        client.release(reply["hold"])
    return written


@pytest.mark.parametrize("seed", range(6))
def test_no_key_is_lost_moved_or_let_into_a_delivery(seed: int) -> None:
    dice = random.Random(seed)
    with Recorded() as recorded:
        typist = Typist(recorded, random.Random(seed + 1000))
        typist.start()
        try:
            written = []
            for number in range(DELIVERIES):
                with recorded.client() as client:
                    written.append(deliver(client, number, dice))
                    threading.Event().wait(dice.random() * LONGEST_PAUSE_S)
        finally:
            typist.stop.set()
            typist.join(DEADLINE_S)
        total = len(typist.typed) + len(b"".join(written))
        wait_until(lambda: len(recorded.input) >= total, DEADLINE_S, f"{total} bytes at the agent")

        assert re.sub(rb"\{\d+:|:\d+\}", b"", recorded.input) == typist.typed
        assert b"".join(re.findall(rb"\{\d+:|:\d+\}", recorded.input)) == b"".join(written)
        whole = [mark for mark in written if b"{" in mark and b"}" in mark]
        assert whole
        assert all(mark in recorded.input for mark in whole)
