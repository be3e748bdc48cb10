"""Which command a session starts again with: the one that is named, the one that resumes, or its own."""

import threading
from pathlib import Path

import pytest
from msgspec.structs import replace

from hark.daemon.registry.restarts import RestartOptions, choose_command, has_begun
from hark.model.errors import HarkError
from hark.model.session import Session
from tests.unit.daemon.faulty import make_session


def session(*command: str, agent: str = "claude", conversation: str = "c0", transcript: str = "") -> Session:
    known = {"agent": agent, "command": command, "conversation": conversation, "transcript": transcript}
    return replace(make_session("ana"), **known)


def test_the_conversation_is_resumed_without_the_first_prompt() -> None:
    asked = RestartOptions(environment={})

    assert choose_command(session("claude", "--verbose", "do it"), asked, has_begun=True) == (
        ["claude", "--resume", "c0", "--verbose"],
        "c0",
    )


@pytest.mark.parametrize(
    ("known", "asked", "begun"),
    [
        (session("claude", "do it"), RestartOptions(environment={}, is_fresh=True), True),
        (session("claude", "do it"), RestartOptions(environment={}), False),
        (
            session("claude", "do it", agent="demo"),
            RestartOptions(environment={}),
            True,
        ),  # hark does not know how it resumes.
    ],
)
def test_a_new_conversation_begins_with_the_whole_command(known: Session, asked: RestartOptions, begun: bool) -> None:
    assert choose_command(known, asked, has_begun=begun) == (["claude", "do it"], "")


async def test_a_conversation_has_begun_if_the_agent_has_written_it_down(tmp_path: Path) -> None:
    written = tmp_path / "transcript.jsonl"
    written.touch()

    assert await has_begun(session("claude", transcript=str(written)))
    assert await has_begun(session("claude"))  # Nobody has told where it is written.
    assert not await has_begun(session("claude", conversation=""))  # It ended before its first prompt.
    assert not await has_begun(session("claude", transcript=str(tmp_path / "missing")))


async def test_a_transcript_that_does_not_answer_does_not_stop_the_daemon(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = threading.Event()
    monkeypatch.setattr(Path, "exists", lambda path: answers.wait(60))
    try:
        assert await has_begun(session("claude", transcript="/hangs"))
    finally:
        answers.set()


def test_a_named_command_is_started_as_it_is() -> None:
    assert choose_command(
        session("claude"), RestartOptions(environment={}, command=["claude", "-c"]), has_begun=True
    ) == (
        ["claude", "-c"],
        "",
    )


def test_a_command_that_hark_does_not_understand_is_refused() -> None:
    with pytest.raises(HarkError) as refused:
        choose_command(session("claude", "--strange", "word"), RestartOptions(environment={}), has_begun=True)

    assert refused.value.code == "resume-unclear"
    assert "--fresh" in refused.value.hint
