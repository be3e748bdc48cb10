"""What a sender is told, when, and how often."""

from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from hark.model.heard import Heard, Said
from hark.model.ids import MessageId
from hark.model.message import Message, Receipt, Status
from hark.queue.reports.notices import due, on_stop
from hark.queue.turns import Completed, Turns, hear, lapse, submit
from tests.integration.contract.samples import ANA, BEN, make_message, make_session

START = datetime(2026, 1, 1, tzinfo=UTC)

# What happens to the agent that was sent the messages a, b, c, by second; then when which message's sender is told.
# `paste`: hark has submitted it; `prompt`: the agent says itself that it has taken it; `stop`: its stop hook.
Story = tuple[tuple[str, float] | tuple[str, float, str], ...]
STORIES: dict[str, tuple[bool, Story, list[tuple[str, float]]]] = {
    "in the middle of task X: not at its stop, but at the next": (
        False,
        (("busy", 0), ("paste", 1, "a"), ("stop", 2), ("stop", 5)),
        [("a", 5)],
    ),
    "the stop of task X is lost: one task late, and once": (
        False,
        (("busy", 0), ("paste", 1, "a"), ("stop", 5), ("stop", 8), ("stop", 9)),
        [("a", 8)],
    ),
    "idle: at the first stop": (False, (("stop", 0), ("paste", 1, "a"), ("stop", 3)), [("a", 3)]),
    "task X lasts longer than eight seconds": (
        False,
        (("busy", 0), ("paste", 1, "a"), ("stop", 61), ("stop", 70)),
        [("a", 70)],
    ),
    "a rapid burst": (
        False,
        (("busy", 0), ("paste", 1, "a"), ("paste", 1.1, "b"), ("paste", 1.2, "c"), ("stop", 2), ("stop", 3)),
        [("a", 3), ("b", 3), ("c", 3)],
    ),
    "with prompts that are told of: at the stop of its own turn": (
        True,
        (("busy", 0), ("paste", 1, "a"), ("stop", 2), ("prompt", 2.1, "a"), ("stop", 5), ("stop", 9)),
        [("a", 5)],
    ),
    "with prompts, and the stop of task X is lost: in time all the same": (
        True,
        (("busy", 0), ("paste", 1, "a"), ("prompt", 3, "a"), ("stop", 5)),
        [("a", 5)],
    ),
    "with prompts, a burst that becomes three turns": (
        True,
        (
            ("paste", 1, "a"),
            ("paste", 1.1, "b"),
            ("prompt", 1.2, "a"),
            ("stop", 2),
            ("prompt", 2.1, "b"),
            ("paste", 2.2, "c"),
            ("stop", 3),
            ("prompt", 3.1, "c"),
            ("stop", 4),
        ),
        [("a", 2), ("b", 3), ("c", 4)],
    ),
    "the stop is told twice": (
        True,
        (("paste", 1, "a"), ("prompt", 1.1, "a"), ("stop", 2), ("stop", 2), ("stop", 7)),
        [("a", 2)],
    ),
    "interrupted, and nobody says so": (
        True,
        (("paste", 1, "a"), ("prompt", 1.1, "a"), ("silence", 30), ("busy", 40), ("stop", 41)),
        [("a", 30)],
    ),
}


@pytest.mark.parametrize(("is_prompt_heard", "story", "told"), STORIES.values(), ids=STORIES.keys())
def test_a_sender_is_told_once_and_at_the_end_of_the_right_turn(
    is_prompt_heard: bool, story: Story, told: list[tuple[str, float]]
) -> None:
    turns, notices, keys = Turns(), [], set()
    for what, seconds, *of in story:
        at = START + timedelta(seconds=seconds)
        turns, ended = follow(turns, what, at, of[0] if of else "", is_prompt_heard)
        for fact in ended:
            notice = on_stop(asked(fact.message_id, Status.COMPLETED), make_session(ANA), "its turn has ended")
            assert notice
            assert notice.key not in keys
            keys.add(notice.key)
            notices.append((fact.message_id[0], (fact.at - START).total_seconds()))

    assert notices == told


def follow(turns: Turns, what: str, at: datetime, name: str, is_prompt_heard: bool) -> tuple[Turns, list[Completed]]:
    message_id = MessageId(name * 12)
    if what == "paste":
        return submit(turns, message_id, at, is_prompt_heard=is_prompt_heard), []
    if what == "silence":
        turns, facts = lapse(turns, at, quiet_s=20, has_box=True)
    else:
        said = Said.STOPPED if what == "stop" else Said.PROMPT_SUBMITTED
        turns, facts = hear(turns, Heard(said=said, at=at, message_ids=(message_id,) if name else ()))
    return turns, [fact for fact in facts if isinstance(fact, Completed)]


def asked(message_id: str, status: Status, **fields: object) -> Message:
    message = make_message(message_id, sender_session_id=BEN, notify_on_stop=True)
    return replace(message, status=status, **fields)


STOPS = (Status.COMPLETED, Status.INTERRUPTED, Status.FAILED)


@pytest.mark.parametrize("status", [status for status in Status if status not in STOPS])
def test_nothing_is_said_of_a_turn_that_has_not_ended(status: Status) -> None:
    assert on_stop(asked("m1", status), make_session(ANA), "") is None


def test_the_end_of_the_agent_is_told_as_a_failure_to_whoever_waits_for_the_stop() -> None:
    notice = on_stop(asked("m1", Status.FAILED), make_session(ANA), "the agent ended")

    assert notice
    assert notice.text.startswith(f"[hark] Message to {ANA} ({ANA}) was not finished: the agent ended\n")


def test_the_end_of_the_agent_is_told_once_to_whoever_waits_for_the_stop_and_for_failures() -> None:
    message = asked("m1", Status.FAILED, notify_on_failure=True)

    (notice,) = due(message, make_session(ANA), [receipt(Status.QUEUED), receipt(Status.FAILED)])

    assert notice.key == "notice:failure:m1"


def test_an_interrupted_message_is_told_as_a_stop() -> None:
    notice = on_stop(
        asked("m1", Status.INTERRUPTED), make_session(ANA), "its turn was interrupted for an urgent message"
    )

    assert notice
    assert "has stopped working on your message: its turn was interrupted for an urgent message" in notice.text


@pytest.mark.parametrize("fields", [{"notify_on_stop": False}, {"sender_session_id": None}])
def test_nothing_is_said_to_somebody_who_did_not_ask_or_cannot_be_reached(fields: dict[str, object]) -> None:
    assert on_stop(asked("m1", Status.COMPLETED, **fields), make_session(ANA), "") is None


def test_a_notice_names_the_agent_and_quotes_the_beginning_of_the_message_on_one_line() -> None:
    message = asked("m1", Status.COMPLETED, text="run\n the tests " + "x" * 200)

    notice = on_stop(message, make_session(ANA), "its turn was interrupted")

    assert notice
    assert notice.session_id == BEN
    first, second = notice.text.split("\n")
    assert first == f"[hark] {ANA} ({ANA}) has stopped working on your message: its turn was interrupted"
    assert second == 'Original: "run the tests ' + "x" * 66 + '..."'


def test_a_second_failure_is_another_notice_and_the_first_one_is_not_told_again() -> None:
    message = replace(make_message("m1", sender_session_id=BEN, notify_on_failure=True), status=Status.DEAD)
    dead, queued = receipt(Status.DEAD), receipt(Status.QUEUED)

    (first,) = due(message, make_session(ANA), [queued, dead])
    (again,) = due(message, make_session(ANA), [queued, dead])
    (second,) = due(message, make_session(ANA), [queued, dead, queued, dead])
    (third,) = due(
        replace(message, status=Status.UNCERTAIN), make_session(ANA), [dead, dead, receipt(Status.UNCERTAIN)]
    )

    assert first.key == again.key
    assert len({first.key, second.key, third.key}) == 3


def receipt(status: Status) -> Receipt:
    return Receipt(message_id=MessageId("m1"), previous=None, status=status, at=START, detail="why")
