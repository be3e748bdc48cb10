"""The native channel of real agents, beside a human's draft: each message exact and once, the draft and its cursor as they
were, no dialog answered, and each event about the message that it belongs to, never before its time."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from hark.agents.native.channel import Delivered, Reason, Refused, State
from hark.model.heard import Said
from tests.agents.native import Client, native
from tests.agents.running import DEADLINE_S, START_DEADLINE_S, Agent, end_tree, processes
from tests.support.terminals import wait_until

KINDS = ("codex", "opencode")
DRAFT, CURSOR_BACK, MARKED = "a draft, Grüße 漢字", 8, "a draft, XGrüße 漢字"
TEXTS = (
    "plain",
    "/model is no command",
    "!touch made",
    "first line\n\nthird line, Grüße 漢字",
    "a long one " * 2000 + "end",
)
INTERRUPT = {"codex": ("Escape",), "opencode": ("Escape", "Escape")}
NEW_CONVERSATION = "/new"
EMPTIED = ("S-End", "BSpace", "S-Home", "BSpace")
_numbers = itertools.count(1)


class Stage(msgspec.Struct, frozen=True):
    agent: Agent
    client: Client
    door: Path

    def new_id(self) -> str:
        return f"{next(_numbers):012x}"

    def draft(self) -> None:
        """With its cursor in the middle."""
        self.agent.tmux.paste(self.agent.pane, DRAFT)
        self.agent.wait_for(lambda screen: DRAFT.split()[-1] in screen.cursor_row, "the draft")
        for _ in range(CURSOR_BACK):
            self.agent.tmux.press(self.agent.pane, "Left")
            pause(0.05)

    def assert_draft(self) -> None:
        """A mark at the cursor, and the whole of it submitted."""
        before = self.prompts().count(MARKED)
        self.agent.wait_for(lambda screen: DRAFT in screen.text, "the draft")
        pause(0.3)
        self.agent.tmux.press(self.agent.pane, "X")
        self.agent.wait_for(lambda screen: MARKED in screen.text, "the mark at the cursor")
        pause(0.3)
        self.agent.tmux.press(self.agent.pane, "Enter")
        wait_until(
            lambda: self.prompts().count(MARKED) == before + 1, DEADLINE_S, f"{MARKED!r} at the model", self.prompts
        )
        self.wait_idle()

    def prompts(self) -> list[str]:
        return [text.strip() for text in self.agent.stand_in.submitted()]

    def count(self, text: str) -> int:
        return self.agent.stand_in.submitted().count(text)

    def wait_idle(self) -> None:
        wait_until(lambda: self.client.state() is State.IDLE, DEADLINE_S, "an idle agent", self.screen)
        self.agent.wait_ready()

    def wait_state(self, state: State) -> None:
        wait_until(lambda: self.client.state() is state, DEADLINE_S, f"{state}", self.screen)

    def deliver(self, text: str) -> str:
        message_id = self.new_id()
        assert self.client.deliver(message_id, text) == Delivered()
        return message_id

    def screen(self) -> str:
        return self.agent.screen().text

    def moment(self, message_id: str, said: Said) -> int:
        events = list(self.client.events)
        return next(index for index, one in enumerate(events) if one.said is said and message_id in one.message_ids)


def pause(seconds: float) -> None:
    """A human's, between two keys."""
    threading.Event().wait(seconds)


@pytest.fixture(scope="module", params=KINDS)
def stage(request: pytest.FixtureRequest) -> Iterator[Stage]:
    with native(request.param) as (agent, door):
        begin_conversation(agent)
        with Client(agent, door) as client:
            yield Stage(agent, client, door)


def begin_conversation(agent: Agent) -> None:
    """OpenCode has none before the human's first prompt, and no name for it before the model has found one."""
    agent.submit("hello [[say=good morning]]")
    agent.wait_for(lambda screen: screen.text.count("good morning") == 2, "the first answer", START_DEADLINE_S)
    agent.wait_ready()


@pytest.mark.parametrize("text", TEXTS, ids=["plain", "slash", "bang", "lines", "22 KB"])
def test_a_message_to_an_idle_agent_is_its_next_turn(stage: Stage, text: str) -> None:
    stage.draft()

    message_id = stage.deliver(text)

    stage.client.wait_said(message_id, Said.PROMPT_SUBMITTED, Said.STOPPED)
    stage.assert_draft()
    assert stage.count(text) == 1


def test_messages_to_a_streaming_agent_come_after_its_turn(stage: Stage) -> None:
    first = stage.deliver("a long one [[busy=3]]")
    stage.client.wait_said(first, Said.PROMPT_SUBMITTED)
    stage.draft()

    second = stage.deliver("while it streams")

    assert stage.client.said(first) == [Said.PROMPT_SUBMITTED]
    stage.client.wait_said(second, Said.PROMPT_SUBMITTED, Said.STOPPED)
    assert stage.moment(first, Said.STOPPED) < stage.moment(second, Said.PROMPT_SUBMITTED)
    stage.assert_draft()
    assert stage.count("while it streams") == 1


def test_a_message_while_a_tool_runs_is_taken_up_when_it_is_done(stage: Stage) -> None:
    started, go, done = (stage.agent.launch.directory / name for name in ("started", "go", "done"))
    first = stage.deliver(f"[[tool=touch {started}; until test -e {go}; do sleep 0.1; done; touch {done}]]")
    stage.agent.wait_for(lambda screen: stage.agent.marks.dialog in screen.text, "the permission dialog")
    stage.agent.wait_quiet()
    stage.agent.tmux.press(stage.agent.pane, "Enter")
    wait_until(started.exists, DEADLINE_S, "the tool to run", stage.screen)
    stage.draft()

    second = stage.deliver("while a tool runs")

    assert stage.client.said(second) == []
    go.touch()
    stage.client.wait_said(second, Said.PROMPT_SUBMITTED, Said.STOPPED)
    assert done.exists()
    assert stage.client.said(first) == [Said.PROMPT_SUBMITTED, Said.STOPPED]
    stage.assert_draft()
    assert stage.count("while a tool runs") == 1


def test_a_message_while_a_permission_is_asked_for_answers_nothing(stage: Stage) -> None:
    made = stage.agent.launch.directory / "made-by-nobody"
    stage.draft()
    asking = stage.deliver(f"[[tool=touch {made}]]")
    stage.agent.wait_for(lambda screen: stage.agent.marks.dialog in screen.text, "the permission dialog")
    stage.wait_state(State.WAITING)

    waiting = stage.deliver("y\n1\n")

    after = stage.agent.wait_quiet()
    assert stage.agent.marks.dialog in after.text
    assert not made.exists()
    assert stage.client.said(waiting) == []
    assert stage.client.said(asking) == [Said.PROMPT_SUBMITTED]
    stage.agent.tmux.press(stage.agent.pane, *stage.agent.marks.denial)
    stage.client.wait_said(waiting, Said.PROMPT_SUBMITTED, Said.STOPPED)
    assert stage.client.said(asking) == [Said.PROMPT_SUBMITTED, Said.INTERRUPTED]
    asked = [
        event.said for event in stage.client.events if event.said in (Said.PERMISSION_ASKED, Said.PERMISSION_ANSWERED)
    ]
    assert asked[-2:] == [Said.PERMISSION_ASKED, Said.PERMISSION_ANSWERED]
    assert not made.exists()
    stage.assert_draft()
    assert stage.count("y\n1\n") == 1


def test_what_waits_when_the_human_interrupts_is_begun_all_the_same(stage: Stage) -> None:
    interrupted = stage.deliver("too long [[busy=30]]")
    stage.client.wait_said(interrupted, Said.PROMPT_SUBMITTED)
    stage.draft()
    waiting = stage.deliver("after an Escape")

    for key in INTERRUPT[stage.agent.launch.kind]:
        stage.agent.tmux.press(stage.agent.pane, key)
        pause(0.3)

    stage.client.wait_said(waiting, Said.PROMPT_SUBMITTED, Said.STOPPED)
    assert stage.client.said(interrupted) == [Said.PROMPT_SUBMITTED, Said.INTERRUPTED]
    stage.assert_draft()
    assert stage.count("after an Escape") == 1


def test_a_turn_is_interrupted_without_a_key(stage: Stage) -> None:
    interrupted = stage.deliver("far too long [[busy=30]]")
    stage.client.wait_said(interrupted, Said.PROMPT_SUBMITTED)
    stage.draft()

    assert stage.client.interrupt()

    stage.client.wait_said(interrupted, Said.PROMPT_SUBMITTED, Said.INTERRUPTED)
    urgent = stage.deliver("this first")
    stage.client.wait_said(urgent, Said.PROMPT_SUBMITTED, Said.STOPPED)
    stage.assert_draft()
    assert not stage.client.interrupt()


def test_a_message_is_delivered_once_however_often_it_is_handed_over(stage: Stage) -> None:
    for number in range(5):
        message_id, text = stage.new_id(), f"once, number {number}"
        outcomes = []
        for _ in range(3):
            outcomes.append(stage.client.deliver(message_id, text))
            stage.client.close()
            stage.client.events.clear()
            stage.client.open()

        assert outcomes == [Delivered(), Delivered(was_there=True), Delivered(was_there=True)]
        stage.client.wait_said(message_id, Said.PROMPT_SUBMITTED, Said.STOPPED)
        assert stage.count(text) == 1
    stage.wait_idle()


def test_several_messages_in_one_payload_are_heard_of_by_their_headers(stage: Stage) -> None:
    ids = [stage.new_id(), stage.new_id()]
    text = "\n".join(f"[Input from: a via hark send · {one}]\nbody" for one in ids)

    assert stage.client.deliver(ids[0], text) == Delivered()

    for one in ids:
        stage.client.wait_said(one, Said.PROMPT_SUBMITTED, Said.STOPPED)
    stage.wait_idle()


@pytest.mark.parametrize("kind", KINDS)
def test_a_conversation_that_is_not_certain_gets_nothing(kind: str) -> None:
    with native(kind) as (agent, door):
        begin_conversation(agent)
        with Client(agent, door) as client:
            leave_conversation(agent, client)

            outcome = client.deliver("0123456789ab", "for somebody else")

            assert isinstance(outcome, Refused)
            assert outcome.reason is Reason.UNPROVEN
            assert client.state() is State.UNKNOWN
            assert client.find() is None
            assert agent.stand_in.submitted().count("for somebody else") == 0


def leave_conversation(agent: Agent, client: Client) -> None:
    agent.submit(NEW_CONVERSATION)
    agent.wait_for(lambda screen: "good morning" not in screen.text, "another conversation")
    agent.wait_ready()
    if agent.launch.kind == "opencode":
        # The home screen is certain, but not while a command for a shell is typed there.
        agent.tmux.press(agent.pane, "!")
        agent.wait_for(lambda screen: "┃  Shell" in screen.text, "the mode for shell commands")
        return
    # A thread that starts is shown, and gets the messages; one that is gone back to cannot be told from it.
    assert client.deliver("00000000000a", "to the new thread") == Delivered()
    client.wait_said("00000000000a", Said.PROMPT_SUBMITTED, Said.STOPPED)
    agent.wait_for(lambda screen: "to the new thread" in screen.text, "the message in view")
    agent.wait_ready()
    agent.submit("/resume")
    agent.wait_for(lambda screen: "Resume a previous session" in screen.text, "the list of threads")
    agent.wait_quiet()
    agent.tmux.press(agent.pane, "Down")
    agent.wait_quiet()
    agent.tmux.press(agent.pane, "Enter")
    agent.wait_for(
        lambda screen: "good morning" in screen.text and "to the new thread" not in screen.text, "the old one"
    )
    agent.wait_ready()


@pytest.mark.parametrize("kind", KINDS)
def test_an_agent_that_ends_leaves_nothing_behind(kind: str) -> None:
    with native(kind) as (agent, door):
        begin_conversation(agent)
        with Client(agent, door) as client:
            end_tree(int(agent.tmux.read(agent.pane, "#{pane_pid}")))

            wait_until(lambda: [one.said for one in client.events][-1:] == [Said.SESSION_ENDED], DEADLINE_S, "its end")
            outcome = client.deliver("0123456789ab", "too late")
            assert isinstance(outcome, Refused)
            assert client.find() is None
            root = f"{door.parent}/"
            wait_until(lambda: not [one for one in processes("args=") if root in one], DEADLINE_S, "all to be gone")


def test_the_first_message_begins_a_conversation_and_the_draft_moves_along() -> None:
    with native("opencode") as (agent, door), Client(agent, door) as client:
        stage = Stage(agent, client, door)
        stage.draft()

        first = stage.deliver("the very first")
        second = stage.deliver("and the second")

        for message_id in (first, second):
            client.wait_said(message_id, Said.PROMPT_SUBMITTED, Said.STOPPED)
        assert stage.count("the very first") == stage.count("and the second") == 1
        assert agent.screen().title == "OC | the very first"
        stage.assert_draft()
        agent.submit(NEW_CONVERSATION)
        agent.wait_for(lambda screen: "the very first" not in screen.text, "the home screen")
        stage.draft()
        client.wait_said(stage.deliver("in another one"), Said.PROMPT_SUBMITTED, Said.STOPPED)
        assert agent.screen().title == "OC | in another one"
        stage.assert_draft()


def test_the_conversation_is_certain_again_after_the_humans_own_editor() -> None:
    with native("opencode", editor="/bin/true") as (agent, door):
        begin_conversation(agent)
        with Client(agent, door) as client:
            stage = Stage(agent, client, door)
            for number in range(5):
                stage.draft()
                agent.tmux.press(agent.pane, *agent.marks.editor)
                agent.wait_for(lambda screen: screen.title == "", "a title that says nothing")
                agent.wait_for(lambda screen: DRAFT in screen.text, "the draft")

                message_id = stage.deliver(f"number {number} after an editor")

                client.wait_said(message_id, Said.PROMPT_SUBMITTED, Said.STOPPED)
                agent.wait_for(lambda screen: screen.title.startswith("OC | "), "the title as it was")
                assert "~" not in agent.screen().title
                assert DRAFT in agent.screen().text
                agent.tmux.press(agent.pane, *EMPTIED)
                agent.wait_ready()


def test_two_conversations_of_one_title_are_told_apart() -> None:
    with native("opencode") as (agent, door), Client(agent, door) as client:
        stage = Stage(agent, client, door)
        for _ in range(2):
            client.wait_said(stage.deliver("the same words"), Said.PROMPT_SUBMITTED, Said.STOPPED)
            agent.wait_ready()
            agent.submit(NEW_CONVERSATION)
            agent.wait_for(lambda screen: "the same words" not in screen.text, "the home screen")
        shown = stage.deliver("the same words")
        client.wait_said(shown, Said.PROMPT_SUBMITTED, Said.STOPPED)

        client.wait_said(stage.deliver("to the last of them"), Said.PROMPT_SUBMITTED, Said.STOPPED)

        agent.wait_for(lambda screen: "to the last of them" in screen.text, "the message in view")
        agent.wait_for(lambda screen: screen.title == "OC | the same words", "the title as it was")
