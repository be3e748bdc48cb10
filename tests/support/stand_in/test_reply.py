import pytest

from tests.support.stand_in.reply import SIDE_TEXT, USUAL_TEXT, Call, Reply, choose_reply
from tests.support.stand_in.turn import Turn

SEND = Call("mcp__x__send", {"to": "b"})


def turn(*texts: str, is_side: bool = False, tools: tuple[str, ...] = ()) -> Turn:
    return Turn(texts=texts, context=(), position=0, tools=tools, is_side=is_side)


@pytest.mark.parametrize(
    ("given", "reply"),
    [
        # No directive, and no text at all, which is how a tool result comes.
        (turn("hello"), Reply((USUAL_TEXT,))),
        (turn(), Reply((USUAL_TEXT,))),
        (turn("please [[say=a ] b\nc]] now"), Reply(("a ] b\nc",))),
        (turn("[[tool=touch x]]"), Reply((USUAL_TEXT,), command="touch x")),
        (turn("[[tool=touch x]][[say=y]]"), Reply(("y",), command="touch x")),
        # Another tool by the end of its name, if the agent has it.
        (turn('[[call=send {"to": "b"}]]', tools=("mcp__x__send",)), Reply((USUAL_TEXT,), call=SEND)),
        (turn("[[call=send {}]]", tools=("mcp__x__sender", "send")), Reply((USUAL_TEXT,))),
        # Or by its whole name.
        (turn("[[use=Write {}]]", tools=("x_Write", "Write")), Reply((USUAL_TEXT,), call=Call("Write", {}))),
        # Only the newest text steers.
        (turn("[[say=old]]", "new"), Reply((USUAL_TEXT,))),
        # A title is not steered by what it is the title of.
        (turn("[[tool=touch x]]", is_side=True), Reply((SIDE_TEXT,))),
    ],
)
def test_directives_in_the_newest_text_choose_the_reply(given: Turn, reply: Reply) -> None:
    assert choose_reply(given) == reply


def test_a_busy_reply_lasts_as_long_as_asked() -> None:
    reply = choose_reply(turn("[[busy=2.5]][[say=end]]"))

    assert reply.text.endswith("end")
    assert (len(reply.pieces) - 1) * reply.pause_s == pytest.approx(2.5)
