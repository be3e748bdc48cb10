"""What each tool does, asked by the SDK's client over `hark-mcp`, and looked at from outside."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from mcp import MCPError

from tests.integration.end_to_end.agents import Agent
from tests.integration.end_to_end.running import RunningHark
from tests.integration.mcp.conftest import new_session
from tests.integration.mcp.connecting import ERAS, ToolFailed, connected
from tests.support.terminals import wait_until


def statuses(hark: RunningHark, message_id: str) -> list[tuple[str, str | None]]:
    return [(receipt["status"], receipt["channel"]) for receipt in hark.message(message_id)["receipts"]]


@pytest.mark.parametrize("era", ERAS)
async def test_the_tools_are_listed_with_what_they_take(hark: RunningHark, session: str, era: str) -> None:
    async with connected(hark, session, era) as agent:
        tools = {tool.name: tool for tool in (await agent.client.list_tools()).tools}

        assert set(tools) == {
            "send",
            "reply",
            "ask",
            "read",
            "spawn",
            "check_inbox",
            "ack",
            "signal",
            "remind",
            "sessions",
            "wait",
        }
        assert all(tool.description and tool.input_schema["type"] == "object" for tool in tools.values())
        assert tools["send"].input_schema["required"] == ["to", "text"]
        assert tools["wait"].input_schema["required"] == ["name", "for"]
        assert "check_inbox" in (agent.client.instructions or "")


@pytest.mark.parametrize("era", ERAS)
async def test_an_inbox_message_is_handed_out_once_acknowledged_and_done(
    hark: RunningHark, session: str, era: str
) -> None:
    async with connected(hark, session, era) as agent:
        sent = hark.json("send", "--inbox", "--from", "ci", session, "the build is green")
        assert sent["estimated_delivery"] == "when_the_inbox_is_checked"

        found = await agent.call("check_inbox")

        (message,) = found["messages"]
        assert (message["id"], message["sender"], message["text"]) == (sent["id"], "ci", "the build is green")
        assert statuses(hark, sent["id"]) == [("queued", None), ("submitted", "inbox")]
        assert (await agent.call("check_inbox"))["messages"] == []

        assert await agent.call("ack", id=sent["id"]) == {"id": sent["id"], "status": "acknowledged"}
        assert await agent.call("ack", id=sent["id"], done=True) == {"id": sent["id"], "status": "completed"}
        assert [status for status, _ in statuses(hark, sent["id"])] == [
            "queued",
            "submitted",
            "acknowledged",
            "completed",
        ]


async def test_what_was_never_acknowledged_can_be_asked_for_again(hark: RunningHark, session: str) -> None:
    async with connected(hark, session) as agent:
        ids = [hark.json("send", "--inbox", session, f"text {n}")["id"] for n in range(3)]
        await agent.call("check_inbox")
        await agent.call("ack", id=ids[1])

        found = await agent.call("check_inbox", again=True)

        assert [message["id"] for message in found["messages"]] == [ids[0], ids[2]]
        assert len(hark.message(ids[0])["receipts"]) == 2


async def test_a_message_between_agents_is_typed_and_names_its_sender(
    hark: RunningHark, agent: Agent, session: str
) -> None:
    async with connected(hark, session) as sender:
        sent = await sender.call("send", to="agent", text="look at the failing test", important=True)
        waited = await sender.call("wait", name=sent["id"], **{"for": "completed"})

    assert waited == {"name": sent["id"], "reached": True, "state": "completed"}
    message = hark.message(sent["id"])
    assert (message["sender_session_id"], message["delivery_mode"]) == (session, "important")
    assert agent.bodies()[-1] == "look at the failing test"


async def test_a_message_between_agents_waits_in_the_inbox(hark: RunningHark, session: str) -> None:
    other = new_session(hark, "other")
    async with connected(hark, session) as sender, connected(hark, other) as receiver:
        sent = await sender.call("send", to="other", text="later, please", inbox=True)
        (message,) = (await receiver.call("check_inbox", wait="30s"))["messages"]
        await receiver.call("ack", id=message["id"], done=True)

        assert message["sender_session_id"] == session
        assert (await sender.call("wait", name=sent["id"], **{"for": "acknowledged"}))["reached"]


async def test_a_reply_goes_to_the_session_that_has_sent_the_message(hark: RunningHark, session: str) -> None:
    other = new_session(hark, "asked")
    async with connected(hark, session) as sender, connected(hark, other) as receiver:
        sent = await sender.call("send", to="asked", text="which branch?", inbox=True)
        replied = await receiver.call("reply", id=sent["id"], text="main")

        with pytest.raises(ToolFailed, match="another session"):
            await sender.call("reply", id=sent["id"], text="to myself")

    reply = hark.message(replied["id"])
    assert (reply["session_id"], reply["sender_session_id"]) == (session, other)
    assert (reply["in_reply_to"], reply["thread_id"], reply["hops"]) == (sent["id"], sent["id"], 1)


async def test_an_agent_that_asks_gets_the_answer_and_can_read_it_again(
    hark: RunningHark, agent: Agent, session: str
) -> None:
    async with connected(hark, session) as asker:
        answered = await asker.call("ask", to="agent", text="[[say=on line 40]] where?", timeout="30s")
        read = await asker.call("read", id=answered["id"])

    assert (answered["status"], answered["answer"], answered["source"]) == ("completed", "on line 40", "hook")
    assert read == answered


async def test_a_typed_message_can_be_acknowledged_too(hark: RunningHark, agent: Agent) -> None:
    message_id = agent.send_and_wait("hello", "submitted")
    async with connected(hark, agent.id) as itself:
        assert (await itself.call("ack", id=message_id, done=True))["status"] == "completed"


async def test_the_sessions_are_listed_and_one_is_the_caller(hark: RunningHark, session: str) -> None:
    async with connected(hark, session) as agent:
        listed = (await agent.call("sessions"))["sessions"]

    assert [line["id"] for line in listed if line["is_you"]] == [session]
    assert {line["id"] for line in listed} == {info["id"] for info in hark.json("ls")["sessions"]}


async def test_a_signal_is_an_event_and_has_a_number(hark: RunningHark, session: str) -> None:
    async with connected(hark, session) as agent:
        first = await agent.call("signal", state="working")
        second = await agent.call("signal", state="needs_input", text="which database?")

    assert (first["nudge_seq"], second["nudge_seq"]) == (1, 2)
    info = hark.session(session)
    assert info["nudge_seq"] == 2
    assert info["last_signal_at"] is not None
    events = hark.api("GET", "/events?limit=10000").json["events"]
    told = [e["data"] for e in events if e["kind"] == "signal" and e["session_id"] == session]
    assert told == [
        {"state": "working", "text": "", "nudge_seq": 1, "source": "command", "nudge_state": "working"},
        {
            "state": "needs_input",
            "text": "which database?",
            "nudge_seq": 2,
            "source": "command",
            "nudge_state": "needs_input",
        },
    ]


async def test_signals_that_come_at_once_have_a_number_each(hark: RunningHark, session: str) -> None:
    async with connected(hark, session) as agent:
        answers = await asyncio.gather(*(agent.call("signal", state="working") for _ in range(20)))

    assert sorted(answer["nudge_seq"] for answer in answers) == list(range(1, 21))


async def test_a_reminder_is_typed_into_the_callers_own_session(hark: RunningHark, agent: Agent) -> None:
    async with connected(hark, agent.id) as itself:
        made = await itself.call("remind", after="1s", text="look at the build")
        assert [one["id"] for one in hark.json("reminders")["reminders"]] == [made["id"]]

    wanted = "[hark] Scheduled reminder:\nlook at the build"
    wait_until(lambda: wanted in agent.bodies(), 30.0, "the reminder", agent.bodies)
    assert agent.bodies().count(wanted) == 1
    assert hark.json("reminders")["reminders"] == []


async def test_waiting_for_a_signal_ends_with_it(hark: RunningHark, session: str) -> None:
    other = new_session(hark, "signalling")
    async with connected(hark, session) as waiting:
        call = asyncio.create_task(waiting.call("wait", name="signalling", timeout="30s", **{"for": "needs_input"}))
        async with connected(hark, other) as signalling:
            # Nothing tells when the wait has begun: signals are given until it has heard one.
            while not call.done():
                await signalling.call("signal", state="needs_input", text="which database?")

        assert await call == {"name": "signalling", "reached": True, "state": "unknown"}


async def test_waiting_for_an_agent_to_be_done_with_all_that_was_sent(
    hark: RunningHark, agent: Agent, session: str
) -> None:
    agent.send("one more thing")
    async with connected(hark, session) as waiting:
        waited = await waiting.call("wait", name="agent", timeout="30s", **{"for": "completed"})

    assert waited["reached"]
    assert agent.bodies()[-1] == "one more thing"


async def test_waiting_has_an_end(hark: RunningHark, session: str) -> None:
    sent = hark.json("send", "--inbox", session, "nobody reads this")
    async with connected(hark, session) as agent:
        on_message = await agent.call("wait", name=sent["id"], timeout="100ms", **{"for": "submitted"})
        on_end = await agent.call("wait", name=session, timeout="100ms", **{"for": "gone"})
        on_agent = await agent.call("wait", name=session, timeout="100ms", **{"for": "idle"})

    assert (on_message["reached"], on_message["state"]) == (False, "queued")
    assert (on_end["reached"], on_end["state"]) == (False, "unknown")
    assert (on_agent["reached"], on_agent["state"]) == (False, "unknown")


async def test_waiting_for_a_session_that_ends(hark: RunningHark, session: str) -> None:
    new_session(hark, "ending")
    async with connected(hark, session) as agent:
        call = asyncio.create_task(agent.call("wait", name="ending", timeout="30s", **{"for": "gone"}))
        await agent.call("sessions")
        hark.ok("kill", "ending")

        assert await call == {"name": "ending", "reached": True, "state": "gone"}


@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        ("send", {"to": "nobody-here", "text": "hello"}, "session-not-found"),
        ("send", {"to": "nobody-here", "text": ""}, "request-invalid"),
        ("send", {"text": "hello"}, "request-invalid"),  # to whom
        ("send", {"to": "agent", "text": "\u001b[2J"}, "text-control-bytes"),
        ("send", {"to": "agent", "text": "x", "colour": "red"}, "request-invalid"),  # no such argument
        ("ack", {"id": "ffffffffffff"}, "message-not-found"),
        ("signal", {"state": "asleep"}, "request-invalid"),
        ("remind", {"after": "soon", "text": "x"}, "duration-invalid"),
        ("check_inbox", {"wait": "for ever"}, "duration-invalid"),
        ("wait", {"name": "agent", "for": "christmas"}, "request-invalid"),
        ("wait", {"name": "ffffffffffff", "for": "completed"}, "message-not-found"),
        ("wait", {"name": "nobody-here", "for": "idle"}, "session-not-found"),
    ],
)
@pytest.mark.usefixtures("agent")
async def test_what_is_wrong_with_a_call_is_told_to_the_model(
    hark: RunningHark, session: str, tool: str, arguments: dict[str, Any], code: str
) -> None:
    async with connected(hark, session) as client:
        with pytest.raises(ToolFailed) as refused:
            await client.call(tool, **arguments)

    assert refused.value.code == code
    assert refused.value.hint


@pytest.mark.parametrize("era", ERAS)
async def test_an_unknown_tool_is_an_error_of_the_protocol(hark: RunningHark, session: str, era: str) -> None:
    async with connected(hark, session, era) as agent:
        with pytest.raises(MCPError, match="there is no tool 'launch'"):
            await agent.client.call_tool("launch", {})


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("check_inbox", {}),
        ("ack", {"id": "x"}),
        ("signal", {"state": "working"}),
        ("remind", {"after": "5m", "text": "x"}),
    ],
)
async def test_without_a_session_what_needs_one_says_so(
    hark: RunningHark, tool: str, arguments: dict[str, Any]
) -> None:
    hark.ok("daemon", "start")
    async with connected(hark, None) as client:
        with pytest.raises(ToolFailed, match="does not know which session"):
            await client.call(tool, **arguments)
        assert "sessions" in await client.call("sessions")


async def test_an_agent_cannot_acknowledge_for_another(hark: RunningHark, session: str) -> None:
    new_session(hark, "owner")
    sent = hark.json("send", "--inbox", "owner", "yours")
    async with connected(hark, session) as agent:
        with pytest.raises(ToolFailed) as refused:
            await agent.call("ack", id=sent["id"])

    assert refused.value.code == "message-not-found"
    assert hark.message(sent["id"])["status"] == "queued"


async def test_what_was_not_handed_out_cannot_be_acknowledged(hark: RunningHark, session: str) -> None:
    sent = hark.json("send", "--inbox", session, "unread")
    async with connected(hark, session) as agent:
        with pytest.raises(ToolFailed) as refused:
            await agent.call("ack", id=sent["id"])

    assert refused.value.code == "transition-illegal"
    assert "check the inbox" in refused.value.hint
