"""Which command a session starts again with: the one that is named, the one that resumes, or its own."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from hark.daemon.registry.restarts import Again, choose_command
from hark.model.errors import HarkError
from hark.model.session import Session
from tests.unit.daemon.faulty import make_session


def session(*command: str, agent: str = "claude", conversation: str = "c0", transcript: str = "") -> Session:
    known = {"agent": agent, "command": command, "conversation": conversation, "transcript": transcript}
    return replace(make_session("ana"), **known)


def test_the_conversation_is_resumed_without_the_first_prompt() -> None:
    asked = Again(environment={})

    assert choose_command(session("claude", "--verbose", "do it"), asked) == (
        ["claude", "--resume", "c0", "--verbose"],
        "c0",
    )


@pytest.mark.parametrize(
    ("known", "asked"),
    [
        (session("claude", "do it"), Again(environment={}, is_fresh=True)),
        (session("claude", "do it", conversation=""), Again(environment={})),  # It ended before its first prompt.
        (session("claude", "do it", transcript="/nowhere/at/all"), Again(environment={})),  # It wrote nothing down.
        (session("claude", "do it", agent="demo"), Again(environment={})),  # hark does not know how it resumes.
    ],
)
def test_a_new_conversation_begins_with_the_whole_command(known: Session, asked: Again) -> None:
    assert choose_command(known, asked) == (["claude", "do it"], "")


def test_a_transcript_that_is_there_is_resumed(tmp_path: Path) -> None:
    written = tmp_path / "transcript.jsonl"
    written.touch()

    assert choose_command(session("claude", transcript=str(written)), Again(environment={}))[1] == "c0"


def test_a_named_command_is_started_as_it_is() -> None:
    assert choose_command(session("claude"), Again(environment={}, command=["claude", "-c"])) == (["claude", "-c"], "")


def test_a_command_that_hark_does_not_understand_is_refused() -> None:
    with pytest.raises(HarkError) as refused:
        choose_command(session("claude", "--strange", "word"), Again(environment={}))

    assert refused.value.code == "resume-unclear"
    assert "--fresh" in refused.value.hint
