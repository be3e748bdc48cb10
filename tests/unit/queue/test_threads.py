"""A reply goes back to whoever sent the message, and counts the replies before it."""

import pytest
from msgspec import structs

from hark.model.errors import HarkError
from hark.model.ids import MessageId, SessionId
from hark.queue.threads import hops_of_reply, receiver_of_reply
from tests.integration.contract.samples import ANA, BEN, make_message

ASKED = make_message("m1", ANA, sender_session_id=BEN)


@pytest.mark.parametrize("replier", [ANA, None, SessionId("a third")])
def test_whoever_replies_the_sender_gets_it(replier: SessionId | None) -> None:
    assert receiver_of_reply(ASKED, replier) == BEN


def test_nobody_replies_to_somebody_without_a_session() -> None:
    with pytest.raises(HarkError, match="not sent by a session"):
        receiver_of_reply(make_message("m1", ANA, sender_name="ci"), ANA)


def test_nobody_replies_to_himself() -> None:
    with pytest.raises(HarkError, match="your own"):
        receiver_of_reply(ASKED, BEN)


def test_each_reply_is_one_hop_further_in_the_thread_of_the_first_message() -> None:
    reply = structs.replace(ASKED, id=MessageId("m2"), thread_id=ASKED.thread, hops=hops_of_reply(ASKED))

    assert (ASKED.thread, ASKED.hops) == ("m1", 0)
    assert (reply.thread, reply.hops, hops_of_reply(reply)) == ("m1", 1, 2)
