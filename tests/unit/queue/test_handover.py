"""What goes to a busy agent through its hooks, and what proves that it has it."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from hark.model.heard import Heard, Said
from hark.model.ids import MessageId
from hark.model.message import Authority, Message, Mode, Status
from hark.queue.handover import (
    LOST_AFTER,
    MOST_CONTINUATIONS,
    MOST_MESSAGES,
    TRANSCRIPT_LAG,
    Boundary,
    Claim,
    Fate,
    Verdict,
    choose,
    continued,
    judge,
    resolve,
)
from hark.queue.turns import Phase
from tests.integration.contract.samples import NOW, later, make_message

TOOL, STOP = Boundary.TOOL, Boundary.STOP
USER, NOTICE = Authority.USER, Authority.NOTICE


def sequential(name: str, **fields: Any) -> Message:
    return make_message(name, **fields)


def important(name: str, **fields: Any) -> Message:
    return make_message(name, mode=Mode.IMPORTANT, **fields)


# What waits, in the order of delivery; at which boundary; as what the agent gets it there; what goes in.
CHOICES: dict[str, tuple[list[Message], Boundary, Authority, list[str]]] = {
    "nothing waits": ([], STOP, NOTICE, []),
    "important ones at a tool": ([important("a"), important("b"), sequential("c")], TOOL, NOTICE, ["a", "b"]),
    "others not before the turn ends": ([sequential("a")], TOOL, NOTICE, []),
    "all when it ends": ([important("a"), sequential("b"), sequential("c")], STOP, NOTICE, ["a", "b", "c"]),
    "what is held too": ([sequential("a", status=Status.HELD)], STOP, NOTICE, ["a"]),
    "never behind one that is under way": ([sequential("a", status=Status.STAGED), sequential("b")], STOP, NOTICE, []),
    "never one whose text may be in the box": ([sequential("a", attempted_at=NOW)], STOP, NOTICE, []),
    "urgent ones interrupt": ([make_message("a", mode=Mode.URGENT), important("b")], TOOL, NOTICE, []),
    "a command is typed": ([sequential("a", is_raw=True)], STOP, NOTICE, []),
    "as a user, and a hook is none": ([sequential("a", is_as_user=True)], STOP, NOTICE, []),
    "as a user, where it becomes a prompt": ([sequential("a", is_as_user=True)], STOP, USER, ["a"]),
    "nothing is overtaken": ([sequential("a"), sequential("b", is_as_user=True), sequential("c")], STOP, NOTICE, ["a"]),
    "what has expired is not in the way": ([sequential("a", timeout_at=NOW), sequential("b")], STOP, NOTICE, ["b"]),
    "a question goes alone": ([sequential("a", is_alone=True), sequential("b")], STOP, NOTICE, ["a"]),
    "a question waits for its own turn": ([sequential("a"), sequential("b", is_alone=True)], STOP, NOTICE, ["a"]),
    "a question joins no turn": ([important("a", is_alone=True), important("b")], TOOL, NOTICE, []),
    "not too many": ([sequential(str(n)) for n in range(99)], STOP, NOTICE, [str(n) for n in range(MOST_MESSAGES)]),
}


@pytest.mark.parametrize(("waiting", "boundary", "authority", "chosen"), CHOICES.values(), ids=CHOICES.keys())
def test_what_goes_in_at_a_boundary(
    waiting: list[Message], boundary: Boundary, authority: Authority, chosen: list[str]
) -> None:
    assert [m.id for m in choose(waiting, boundary, authority, continuations=0, now=NOW)] == chosen


def test_an_agent_is_not_made_to_go_on_for_ever() -> None:
    refused = 0
    for _ in range(100):
        refused = continued(refused, is_continued=refused > 0)
        if not choose([sequential("a")], STOP, NOTICE, continuations=refused, now=NOW):
            break
        refused += 1

    assert refused == MOST_CONTINUATIONS
    assert continued(refused, is_continued=False) == 0


def test_a_tool_boundary_is_no_continuation() -> None:
    assert choose([important("a")], TOOL, NOTICE, continuations=99, now=NOW)


def test_an_agent_that_says_so_was_made_to_go_on_at_least_once() -> None:
    assert continued(0, is_continued=True) == 1


A, B = MessageId("a" * 12), MessageId("b" * 12)

# Where it went in, what the agent says next, and what that proves.
VERDICTS: dict[str, tuple[Boundary, Said, bool, tuple[MessageId, ...], Verdict]] = {
    "the next tool": (TOOL, Said.TOOL_STARTING, False, (), Verdict.TAKEN),
    "a question": (TOOL, Said.PERMISSION_ASKED, False, (), Verdict.TAKEN),
    "the end of the turn": (TOOL, Said.STOPPED, False, (), Verdict.TAKEN),
    "a tool that ran beside it": (TOOL, Said.TOOL_DONE, False, (), Verdict.WAIT),
    "a new prompt: perhaps it was interrupted": (TOOL, Said.PROMPT_SUBMITTED, False, (), Verdict.UNPROVEN),
    "an interrupt": (TOOL, Said.INTERRUPTED, False, (), Verdict.UNPROVEN),
    "the end of the session": (TOOL, Said.SESSION_ENDED, False, (), Verdict.UNPROVEN),
    "a notification": (TOOL, Said.NOTIFIED, False, (), Verdict.WAIT),
    "it went on with a tool": (STOP, Said.TOOL_STARTING, False, (), Verdict.TAKEN),
    "it has run a tool": (STOP, Said.TOOL_DONE, False, (), Verdict.TAKEN),
    "it stops again, and says that a hook made it go on": (STOP, Said.STOPPED, True, (), Verdict.TAKEN),
    "it stops again, and knows of no hook": (STOP, Said.STOPPED, False, (), Verdict.UNPROVEN),
    "its prompt is ours": (STOP, Said.PROMPT_SUBMITTED, False, (B, A), Verdict.TAKEN),
    "its prompt is somebody else's": (STOP, Said.PROMPT_SUBMITTED, False, (B,), Verdict.UNPROVEN),
    "it was interrupted": (STOP, Said.INTERRUPTED, False, (), Verdict.UNPROVEN),
    "something unknown": (STOP, Said.UNKNOWN, False, (), Verdict.WAIT),
}


@pytest.mark.parametrize(("boundary", "said", "is_continued", "ids", "verdict"), VERDICTS.values(), ids=VERDICTS.keys())
def test_what_the_next_event_proves(
    boundary: Boundary, said: Said, is_continued: bool, ids: tuple[MessageId, ...], verdict: Verdict
) -> None:
    claim = Claim(message_ids=(A,), boundary=boundary, at=NOW)
    heard = Heard(said=said, at=later(1), message_ids=ids)

    assert judge(claim, heard, is_continued=is_continued) is verdict


@pytest.mark.parametrize("said", Said)
def test_what_was_said_before_proves_nothing(said: Said) -> None:
    claim = Claim(message_ids=(A,), boundary=STOP, at=NOW)

    assert judge(claim, Heard(said=said, at=NOW), is_continued=True) is Verdict.WAIT


LAG, LOST = TRANSCRIPT_LAG.total_seconds(), LOST_AFTER.total_seconds()
# How long ago it was given to the hook, what the agent does, whether it stands in its transcript (None: unreadable).
FATES: dict[str, tuple[float, Phase, bool | None, Fate]] = {
    "it stands there": (0, Phase.BUSY, True, Fate.TAKEN),
    "it stands there, long ago": (99, Phase.UNKNOWN, True, Fate.TAKEN),
    "the turn is over, and it does not": (LAG, Phase.IDLE, False, Fate.QUEUED),
    "the agent may be about to write it down": (LAG / 2, Phase.IDLE, False, Fate.WAIT),
    "the agent may be about to read it": (9999, Phase.BUSY, False, Fate.WAIT),
    "nobody knows what the agent does": (LOST - 1, Phase.UNKNOWN, False, Fate.WAIT),
    "and nobody will": (LOST, Phase.UNKNOWN, False, Fate.UNCERTAIN),
    "there is no transcript": (LAG, Phase.IDLE, None, Fate.UNCERTAIN),
    "the agent asks for permission": (LOST, Phase.WAITING, None, Fate.WAIT),
}


@pytest.mark.parametrize(("age_s", "phase", "is_there", "fate"), FATES.values(), ids=FATES.keys())
def test_what_becomes_of_a_claim_that_nothing_has_proven(
    age_s: float, phase: Phase, is_there: bool | None, fate: Fate
) -> None:
    now: datetime = NOW + timedelta(seconds=age_s)

    assert resolve(NOW, now, phase, is_in_transcript=is_there) is fate
