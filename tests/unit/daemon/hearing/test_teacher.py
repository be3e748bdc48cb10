"""An agent is taught to signal by a message only if nothing else teaches it, and only once."""

from pathlib import Path

from msgspec import structs

from hark.daemon.hearing.teacher import Teacher
from hark.installing.instructions import TEXT
from tests.unit.daemon.faulty import Parts, make_session

ANY = {"HOME": "/nowhere"}


async def test_an_agent_that_takes_no_instructions_gets_one_message(tmp_path: Path) -> None:
    async with Parts() as parts:
        session = make_session("a")
        await parts.add(session)
        teacher = Teacher(parts.mailbox)

        await teacher.teach(session, session.command, {"HOME": str(tmp_path)})
        await teacher.teach(session, session.command, {"HOME": str(tmp_path)})

        (message,) = await parts.store.pending()
        assert (message.text, message.sender_name, message.sender_session_id) == (TEXT, "hark", None)


async def test_an_agent_that_was_taught_by_its_command_line_gets_none(tmp_path: Path) -> None:
    async with Parts() as parts:
        session = structs.replace(make_session("a"), agent="claude", command=("claude",))
        await parts.add(session)

        await Teacher(parts.mailbox).teach(session, ("claude",), {"HOME": str(tmp_path)})

        assert await parts.store.pending() == []
