import asyncio
import time
from pathlib import Path

import pytest

from hark.daemon.doors.editor_tickets import Editors, wait_opened
from hark.daemon.session.live import LiveSessions
from hark.inside import ticket_file as tickets
from hark.model.ids import SessionId

ANA = SessionId("ana")


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARK_HOME", str(tmp_path))


def test_without_a_ticket_an_editor_is_the_humans() -> None:
    async def ask() -> tuple[bool, str | None]:
        return await Editors(LiveSessions(lambda session_id: True)).ask(ANA, "draft", 1)

    assert asyncio.run(ask()) == (False, None)


def test_with_a_ticket_an_editor_hands_over_the_draft_and_takes_the_answer() -> None:
    async def exchange() -> tuple[str | None, tuple[bool, str | None]]:
        editors = Editors(LiveSessions(lambda session_id: True))
        ticket = editors.issue(ANA)
        asking = asyncio.create_task(editors.ask(ANA, "draft", 1))
        draft = await wait_opened(ticket, 5)
        ticket.answer.set_result("message")
        return draft, await asking

    assert asyncio.run(exchange()) == ("draft", (True, "message"))


def test_an_editor_that_opens_late_ends_as_it_came_and_only_the_next_is_the_humans() -> None:
    async def late() -> list[tuple[bool, str | None]]:
        editors = Editors(LiveSessions(lambda session_id: True))
        editors.issue(ANA)
        editors.withdraw(ANA)
        return [await editors.ask(ANA, "draft", 1) for _ in range(2)]

    assert asyncio.run(late()) == [(True, None), (False, None)]


def test_a_key_that_was_never_pressed_makes_no_editor_ours() -> None:
    async def forgotten() -> tuple[bool, str | None]:
        editors = Editors(LiveSessions(lambda session_id: True))
        editors.issue(ANA)
        editors.forget(ANA)
        editors.withdraw(ANA)
        return await editors.ask(ANA, "draft", 1)

    assert asyncio.run(forgotten()) == (False, None)


def test_a_withdrawn_ticket_lets_a_waiting_editor_end_unchanged() -> None:
    async def withdrawn() -> tuple[bool, str | None]:
        editors = Editors(LiveSessions(lambda session_id: True))
        ticket = editors.issue(ANA)
        asking = asyncio.create_task(editors.ask(ANA, "draft", 1))
        await wait_opened(ticket, 5)
        editors.withdraw(ANA)
        return await asking

    assert asyncio.run(withdrawn()) == (True, None)


def test_the_daemon_that_comes_after_one_that_pressed_the_key_knows_whose_editor_it_is() -> None:
    async def restarted() -> list[tuple[bool, str | None]]:
        Editors(LiveSessions(lambda session_id: True)).issue(ANA)
        return [await Editors(LiveSessions(lambda session_id: True)).ask(ANA, "draft", 1) for _ in range(2)]

    assert asyncio.run(restarted()) == [(True, None), (False, None)]


def test_a_slow_agent_that_opens_an_editor_for_each_of_several_keys_never_opens_the_humans() -> None:
    async def pressed_again() -> list[tuple[bool, str | None]]:
        editors = Editors(LiveSessions(lambda session_id: True))
        for _ in range(3):
            editors.issue(ANA)
            editors.withdraw(ANA)
        editors.issue(ANA)
        editors.forget(ANA)
        return [await editors.ask(ANA, "draft", 1) for _ in range(4)]

    assert asyncio.run(pressed_again()) == [(True, None)] * 3 + [(False, None)]


def test_the_ticket_of_one_session_is_not_anothers() -> None:
    tickets.write(f"{ANA}x")

    assert not tickets.claim(ANA)


def test_a_ticket_for_an_editor_that_never_opened_is_not_good_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    tickets.write(ANA)
    now = time.time()
    monkeypatch.setattr("hark.inside.ticket_file.time.time", lambda: now + tickets.GOOD_FOR_S + 1)

    assert not tickets.claim(ANA)
