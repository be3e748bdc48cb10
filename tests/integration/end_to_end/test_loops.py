"""Agents that wait for each other or answer each other without end are stopped, and a human is told."""

from __future__ import annotations

from collections.abc import Mapping

from tests.integration.end_to_end.agents import Agent
from tests.integration.end_to_end.calling import Answer
from tests.integration.end_to_end.following import Following
from tests.integration.end_to_end.running import DEADLINE_S, HARK, RunningHark
from tests.integration.end_to_end.test_agent_socket import environment_of
from tests.support.terminals import wait_until


def asking(asker: Agent, asked: str, text: str) -> Following:
    """A question that the asker's own program asks, and waits for."""
    environment: Mapping[str, str] = {**asker.hark.environment, **environment_of(asker)}
    return Following([HARK, "send", asked, text, "--wait", "completed"], environment)


def at_work(hark: RunningHark, name: str, count: int = 1) -> bool:
    messages = hark.api("GET", f"/sessions/{name}/messages").json["messages"]
    return bool(sum(message["status"] == "acknowledged" for message in messages) >= count)


def test_a_question_that_would_close_a_circle_is_refused_with_the_chain(hark: RunningHark) -> None:
    ana, ben, eva = Agent(hark, "ana"), Agent(hark, "ben"), Agent(hark, "eva")
    with asking(ben, "ana", "[[busy=600]] from ben") as first, asking(eva, "ben", "[[busy=600]] from eva") as second:
        wait_until(lambda: at_work(hark, "ana") and at_work(hark, "ben"), DEADLINE_S, "both to be at work")

        # The wait is a request of its own, which begins a moment after the message is on its way.
        def refusal() -> str:
            asked = hark.run("send", "eva", "back", "--wait", "completed", "--timeout", "1s", environment=inside)
            return asked.stderr if "waits for" in asked.stderr else ""

        inside = environment_of(ana)
        told = wait_until(refusal, DEADLINE_S, "the refusal")
        refused = hark.refused("send", "ben", "back", "--wait", "completed", environment=inside)
        without = hark.json("send", "ben", "just so you know", environment=inside)

        assert "ana waits for eva waits for ben waits for ana" in told
        assert (refused.exit_code, refused.code) == (1, "ask-loop")
        assert refused.detail == "nobody would ever go on: ana waits for ben waits for ana"
        assert without["status"] == "queued"
        assert (first.printed().count("ask-loop"), second.printed().count("ask-loop")) == (0, 0)

    def is_free() -> bool:
        asked = hark.run("send", "ben", "--wait", "completed", "--timeout", "100ms", "x", environment=inside)
        return asked.returncode == 5

    # Whoever asked has gone, and nobody waits any more.
    wait_until(is_free, DEADLINE_S, "the end of the wait")


def post(hark: RunningHark, receiver: str, sender: str, text: str = "x") -> Answer:
    return hark.api("POST", f"/sessions/{receiver}/send", {"text": text, "sender_session_id": sender})


def test_too_many_messages_within_a_minute_are_held_and_a_human_is_told(hark: RunningHark) -> None:
    hark.set(max_pair_rate="3")
    ben = Agent(hark, "ben")
    Agent(hark, "ana")
    sends = [post(hark, "ben", "ana", f"text {number}") for number in range(5)]

    assert [answer.status for answer in sends] == [202] * 5
    assert [answer.json["status"] for answer in sends] == ["queued"] * 3 + ["held"] * 2
    assert sends[-1].json["estimated_delivery"] == "waiting_for_loop"
    session = hark.session("ana")
    assert (session["signal_state"], session["nudge_seq"]) == ("error", 1)
    assert "ana has sent ben 3 messages within a minute" in session["signal_text"]
    assert hark.ok("next", "--print") == "ana\n"
    # What is held keeps nobody else waiting, and people are not limited.
    human = ben.send("from a human")
    hark.wait_reached(human, "completed")
    held = [one["id"] for one in hark.json("queue", "ben")["pending_messages"]]
    assert held == [answer.json["id"] for answer in sends[3:]]
    assert {hark.message(one)["reason"] for one in held} == {"loop"}

    hark.ok("release", held[1][:6])
    hark.wait_reached(held[1], "completed")
    assert hark.message(held[0])["status"] == "held"
    hark.ok("release", "ben")
    hark.wait_reached(held[0], "completed")

    assert "a human has released it" in hark.ok("show", held[0])
    assert sorted(ben.bodies()) == sorted(["from a human", *(f"text {number}" for number in range(5))])


def test_whoever_waits_for_a_message_that_is_held_as_a_loop_hears_of_it(hark: RunningHark) -> None:
    hark.set(max_pair_rate="1")
    Agent(hark, "ben")
    ana = Agent(hark, "ana")
    hark.ok("send", "ben", "first", environment=environment_of(ana))

    asked = hark.run("ask", "ben", "second", environment=environment_of(ana))

    assert asked.returncode == 1
    assert "ana has sent ben 1 messages within a minute" in asked.stderr


def test_an_agent_cannot_release_what_is_held_as_a_loop(hark: RunningHark) -> None:
    hark.set(max_pair_rate="1", agent_rights="hold")
    ben, ana = Agent(hark, "ben"), Agent(hark, "ana")
    post(hark, "ben", "ana")
    held = post(hark, "ben", "ana").json["id"]

    refusal = hark.refused("release", held, environment=environment_of(ana))
    hark.ok("release", "ben", environment=environment_of(ben))

    assert refusal.code == "not-permitted"
    assert hark.message(held)["reason"] == "loop"
    assert hark.refused("release", post(hark, "ana", "ben").json["id"]).code == "transition-illegal"


def test_agents_that_do_not_stop_are_refused_in_the_end(hark: RunningHark) -> None:
    hark.set(max_pair_rate="1")
    for name in ("ana", "ben"):
        hark.ok("new", "-d", "-n", name, "--", "sleep", "600")

    answers = [post(hark, "ben", "ana") for _ in range(23)]

    assert [answer.status for answer in answers] == [202] * 21 + [429] * 2
    assert answers[-1].json["code"] == "loop-limit"
    assert hark.json("queue", "ben")["pending_count"] == 21
    inbox = hark.api("POST", "/sessions/ben/send", {"text": "x", "sender_session_id": "ana", "inbox": True})
    assert inbox.json["code"] == "loop-limit"


def test_what_is_held_as_a_loop_stays_so_when_its_session_comes_back(hark: RunningHark) -> None:
    hark.set(max_pair_rate="1")
    ben = Agent(hark, "ben")
    Agent(hark, "ana")
    hark.wait_reached(post(hark, "ben", "ana", "first").json["id"], "completed")
    held = post(hark, "ben", "ana", "second").json["id"]
    hark.ok("restart", "-d", "--kill", "ben")
    ben.wait_event("ready", 2)
    assert ben.send_and_wait("from a human", "completed")
    assert hark.message(held)["reason"] == "loop"
    hark.ok("kill", "ben")

    heir = Agent(hark, "ben")

    assert (hark.message(held)["session_id"], hark.message(held)["reason"]) == (heir.id, "loop")
    hark.ok("release", "ben")
    hark.wait_reached(held, "completed")


def test_a_thread_of_replies_is_held_at_its_limit(hark: RunningHark) -> None:
    hark.set(max_thread_hops="2")
    for name in ("ana", "ben"):
        hark.ok("new", "-d", "-n", name, "--", "sleep", "600")
    sent = post(hark, "ben", "ana", "0")
    answers = []
    for number, replier in enumerate(("ben", "ana", "ben")):
        body = {"text": str(number), "sender_session_id": replier}
        answers.append(hark.api("POST", f"/messages/{sent.json['id']}/reply", body))
        sent = answers[-1]

    assert [hark.message(answer.json["id"])["reason"] == "loop" for answer in answers] == [False, False, True]
    assert "ben and ana have answered each other 2 times" in hark.session("ben")["signal_text"]
