"""The way of the keys on a clock of the test's own: every history of typing, holding and waiting."""

from hypothesis import given
from hypothesis import strategies as st

from hark.inside.airlock import Hold, Keys, Printed

PIECES = [
    b"a",
    b"b",
    b"\r",
    b"\x1b",
    b"[A",
    b"\x1b[1;5D",
    b"\xe4\xb8",
    b"\x96",
    b"\x1b[200~",
    b"p\rq",
    b"\x1b[201~",
    b"\x1b[<0;1;1M",
]
REPLY = b"\x1b[?62c"

typing = st.tuples(st.just("type"), st.sampled_from(PIECES))
waiting = st.tuples(st.just("wait"), st.sampled_from([0.0, 0.001, 0.004, 0.06, 0.3, 6.0]))
acts = st.lists(
    st.one_of(
        typing,
        typing,
        waiting,
        waiting,
        st.tuples(st.just("reply"), st.none()),
        st.tuples(st.just("hold"), st.sampled_from([0.01, 2.0])),
        st.tuples(st.just("write"), st.none()),
        st.tuples(st.just("release"), st.none()),
        st.tuples(st.just("read"), st.booleans()),
    ),
    max_size=60,
)


class Play:
    """What the airlock does with `Keys`, with a clock and an agent that reads when the test says so."""

    def __init__(self) -> None:
        self.now = 0.0
        self.sent: list[bytes] = []
        self.typed = b""
        self.is_read = True
        self.keys = Keys(self.sent.append, lambda: 0 if self.is_read else 1, Printed())

    def type(self, data: bytes) -> None:
        self.typed += data
        was_held, before = self.keys.hold is not None, len(self.sent)
        self.keys.arrive(data, self.now)
        assert not was_held or len(self.sent) == before

    def reply(self, _: None) -> None:
        """Only between keys, as a terminal sends it: inside a sequence it would be part of that."""
        if not self.keys.reader.pending:
            self.keys.arrive(REPLY, self.now)
            assert self.sent[-1] == REPLY

    def wait(self, seconds: float) -> None:
        ends_at = self.now + seconds
        while (due_at := self.keys.due_at) is not None and due_at <= ends_at:
            self.now = max(self.now, due_at)
            self.keys.tick(self.now)
        self.now = ends_at

    def hold(self, seconds: float) -> None:
        if self.keys.is_free and not self.keys.reader.pending:
            self.keys.take(Hold("id", None, self.now + seconds, 0.004, 0.06))

    def write(self, _: None) -> None:
        if self.keys.hold:
            self.keys.send(b"{}")

    def release(self, _: None) -> None:
        if self.keys.hold:
            self.keys.release(self.now)

    def read(self, is_read: bool) -> None:
        self.is_read = is_read


def play(history: list[tuple[str, object]]) -> Play:
    played = Play()
    for name, argument in history:
        getattr(played, name)(argument)
    return played


@given(acts)
def test_in_the_end_every_key_has_gone_out_once_and_in_order(history: list[tuple[str, object]]) -> None:
    played = play(history)

    played.wait(60.0)

    assert played.keys.is_open
    assert played.keys.held_bytes == 0
    assert b"".join(sent for sent in played.sent if sent not in (REPLY, b"{}")) == played.typed


@given(acts)
def test_it_is_known_how_many_replies_were_sent_behind_the_last_key(history: list[tuple[str, object]]) -> None:
    played = play(history)

    sent = b"".join(played.sent)
    replies = 0
    while sent.endswith(REPLY):
        sent = sent.removesuffix(REPLY)
        replies += len(REPLY)
    assert played.keys.last_reply_bytes == replies


@given(acts)
def test_nothing_is_forgotten_when_another_takes_over(history: list[tuple[str, object]]) -> None:
    played = play(history)

    held = played.keys.held_bytes
    left = played.keys.give_up()

    assert len(left) == held
    assert b"".join(sent for sent in played.sent if sent not in (REPLY, b"{}")) + left == played.typed


def test_the_pause_before_enter_is_longer_and_begins_when_the_agent_has_read() -> None:
    played = Play()
    played.hold(2.0)
    played.type(b"a\rb")
    played.release(None)
    times = []
    while not played.keys.is_open:
        count = len(played.sent)
        played.wait(0.001)
        times += [round(played.now * 1000)] * (len(played.sent) - count)

    assert played.sent == [b"a", b"\r", b"b"]
    assert times[1] - times[0] >= 60
    assert 4 <= times[2] - times[1] < 20


def test_enter_waits_for_an_agent_that_is_slow_to_read_the_key_before_it() -> None:
    """Read together, an agent may take them for a paste, and the Enter for a newline in it."""
    played = Play()
    played.hold(2.0)
    played.type(b"a\r")
    played.is_read = False
    played.release(None)
    played.wait(1.5)

    assert b"\r" not in played.sent
    played.is_read = True
    played.wait(0.1)

    assert played.sent == [b"a", b"\r"]


def test_an_enter_does_not_wait_so_long_again_where_nothing_was_read_all_the_time() -> None:
    played = Play()
    played.is_read = False
    played.hold(2.0)
    played.type(b"a\rb\rc\r")
    played.release(None)

    played.wait(7.0)

    assert b"".join(played.sent) == b"a\rb\rc\r"


def test_an_agent_that_does_not_read_is_not_waited_for_forever() -> None:
    played = Play()
    played.is_read = False
    played.hold(2.0)
    played.type(b"abc")
    played.release(None)

    played.wait(2.0)

    assert played.sent == [b"a", b"b", b"c"]


def test_an_agent_that_draws_for_a_while_gets_no_second_key_before_it_has_read_the_first() -> None:
    played = Play()
    played.is_read = False
    played.hold(2.0)
    played.type(b"a\r")
    played.release(None)
    played.wait(0.3)
    before = list(played.sent)

    played.is_read = True
    played.wait(0.3)

    assert before in ([], [b"a"])
    assert played.sent == [b"a", b"\r"]


def test_a_key_right_behind_the_replay_keeps_its_distance() -> None:
    played = Play()
    played.hold(2.0)
    played.type(b"a")
    played.release(None)
    played.wait(0.01)
    assert played.sent == [b"a"]

    played.type(b"\r")
    assert played.sent == [b"a"]

    played.wait(0.1)
    assert played.sent == [b"a", b"\r"]
