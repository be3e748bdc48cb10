"""Where an answer is looked for, in which order, and what is said where there is none."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from hark.daemon.doors.native_channels import Natives
from hark.daemon.hearing import answers
from hark.daemon.hearing.answers import INTERRUPTED, NOT_OVER, UNFINISHED, WORDLESS, Answers
from hark.daemon.hearing.witnesses import Witnesses
from hark.daemon.panes import Panes
from hark.daemon.registry.sessions import Sessions
from hark.daemon.session.live import LiveSessions
from hark.model.answer import Answer, AnswerSource, Spoken
from hark.model.errors import HarkError
from hark.model.ids import MessageId
from hark.queue.turns import Completed
from tests.integration.contract.samples import ANA, NOW, make_message, make_session
from tests.unit.daemon.faulty import Parts

ID = MessageId("0123456789ab")
MESSAGE = make_message(ID)
PROMPT = {"type": "user", "message": {"content": f"[Input from: ann via hark send · {ID}]\nplease"}}
OVER = {"type": "system", "subtype": "stop_hook_summary"}


def said(text: str) -> dict[str, Any]:
    return {"type": "assistant", "message": {"id": "m", "content": [{"type": "text", "text": text}]}}


class Bench:
    """The search for answers, with an API that says what a test wants, and a record."""

    def __init__(self, path: Path, spoken: Spoken | None = None, *, has_api: bool = False) -> None:
        self.path = path

        async def answer(*_: object) -> Spoken | None:
            return spoken

        def no_pane(_: object) -> object:
            raise HarkError("tmux-gone", "no tmux here")

        self.answers = Answers(
            replace(
                Parts().core,
                sessions=cast(Sessions, SimpleNamespace(get=lambda _: make_session(ANA))),
                live=LiveSessions(lambda _: True),
                panes=cast(Panes, SimpleNamespace(of=no_pane)),
                clock=lambda: NOW,
            ),
            cast(Natives, SimpleNamespace(is_expected=lambda _: has_api, answer=answer)),
            cast(Witnesses, SimpleNamespace(transcript_of=lambda _: str(path) if path.exists() else None)),
        )

    def write(self, *lines: dict[str, Any]) -> None:
        with self.path.open("a") as stream:
            stream.write("".join(f"{json.dumps(line)}\n" for line in lines))

    async def find(self, *, told: str = "", was_interrupted: bool = False) -> Answer:
        self.answers.note(ANA, NOW, told)
        return await self.answers.find(MESSAGE, Completed(ID, NOW, was_interrupted))


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "WRITTEN_S", 0.1)
    monkeypatch.setattr(answers, "POLL_S", 0.001)


@pytest.fixture
def record(tmp_path: Path) -> Path:
    return tmp_path / "record"


async def test_the_api_is_believed_before_the_record_and_the_hook(record: Path) -> None:
    bench = Bench(record, Spoken("by the api"), has_api=True)
    bench.write(PROMPT, said("on record"), OVER)

    answer = await bench.find(told="by the hook")

    assert (answer.text, answer.source) == ("by the api", AnswerSource.API)


async def test_the_record_is_believed_before_the_hook(record: Path) -> None:
    bench = Bench(record)
    bench.write(PROMPT, said("First. Second."), OVER)

    answer = await bench.find(told="Second.")

    assert (answer.text, answer.source, answer.reason) == ("First. Second.", AnswerSource.RECORD, "")


async def test_the_record_may_be_written_a_moment_after_the_stop(record: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "WRITTEN_S", 60.0)
    bench = Bench(record)
    bench.write(PROMPT)

    searching = asyncio.ensure_future(bench.find(told="Second."))
    await asyncio.sleep(0)
    bench.write(said("First. "), said("Second."))

    answer = await asyncio.wait_for(searching, 60)
    assert (answer.text, answer.source, answer.reason) == ("First. Second.", AnswerSource.RECORD, "")


async def test_a_record_that_is_not_written_in_time_gives_way_to_the_hook(record: Path) -> None:
    bench = Bench(record)
    bench.write(PROMPT, said("I look."))

    answer = await bench.find(told="Done.")

    assert (answer.text, answer.source) == ("Done.", AnswerSource.HOOK)


NOTHING_CERTAIN = {
    "words without an end": ([PROMPT, said("I look.")], ("I look.", AnswerSource.RECORD, NOT_OVER)),
    "an end without words": ([PROMPT, said(""), OVER], ("", AnswerSource.NONE, WORDLESS)),
}


@pytest.mark.parametrize(("lines", "wanted"), NOTHING_CERTAIN.values(), ids=NOTHING_CERTAIN.keys())
async def test_what_is_not_certain_is_said(
    record: Path, lines: list[dict[str, Any]], wanted: tuple[str, AnswerSource, str]
) -> None:
    bench = Bench(record)
    bench.write(*lines)

    answer = await bench.find()

    assert (answer.text, answer.source, answer.reason) == wanted


async def test_a_turn_that_the_api_shows_as_running_is_not_called_wordless(record: Path) -> None:
    answer = await Bench(record, Spoken("", is_over=False), has_api=True).find()

    assert (answer.source, answer.reason) == (AnswerSource.NONE, UNFINISHED)


async def test_an_interrupted_turn_has_what_was_said_and_the_reason(record: Path) -> None:
    bench = Bench(record)
    assert (await bench.find(was_interrupted=True)).source is AnswerSource.NONE
    bench.write(PROMPT, said("half"), {"type": "user", "message": {"content": "[Request interrupted by user]"}})

    answer = await bench.find(was_interrupted=True)

    assert (answer.text, answer.source, answer.reason) == ("half", AnswerSource.RECORD, INTERRUPTED)


async def test_a_search_that_fails_says_so_and_raises_nothing(record: Path) -> None:
    answer = await Bench(record).find()

    assert answer.source is AnswerSource.NONE
    assert "no tmux here" in answer.reason
