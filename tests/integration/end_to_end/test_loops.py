"""Agents that wait for each other or answer each other without end are stopped, and a human is told."""

from __future__ import annotations

from collections.abc import Mapping

from tests.integration.end_to_end.agents import Agent
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


def test_too_many_messages_within_a_minute_are_refused_and_a_human_is_told(hark: RunningHark) -> None:
    hark.set(max_pair_rate="3")
    Agent(hark, "ana")
    hark.ok("new", "-d", "-n", "ben", "--", "sleep", "600")
    hark.ok("new", "-d", "-n", "eva", "--", "sleep", "600")
    sends = [hark.api("POST", "/sessions/ben/send", {"text": "x", "sender_session_id": "ana"}) for _ in range(5)]
    everyone = hark.api("POST", "/send", {"text": "x", "to": ["ben", "eva"], "sender_session_id": "ana"})

    assert [answer.status for answer in sends] == [202, 202, 202, 429, 429]
    assert sends[-1].json["code"] == "loop-limit"
    assert everyone.status == 429
    assert hark.json("queue", "eva")["pending_count"] == 0
    session = hark.session("ana")
    assert (session["signal_state"], session["nudge_seq"]) == ("error", 1)
    assert "ana has sent ben 3 messages within a minute" in session["signal_text"]
    assert hark.ok("next", "--print") == "ana\n"
    # People are not limited.
    assert hark.api("POST", "/sessions/ben/send", {"text": "x"}).status == 202


def test_a_thread_of_replies_ends_at_its_limit(hark: RunningHark) -> None:
    hark.set(max_thread_hops="2")
    for name in ("ana", "ben"):
        hark.ok("new", "-d", "-n", name, "--", "sleep", "600")
    sent = hark.api("POST", "/sessions/ben/send", {"text": "0", "sender_session_id": "ana"})
    answers = []
    for number, replier in enumerate(("ben", "ana", "ben")):
        body = {"text": str(number), "sender_session_id": replier}
        answers.append(hark.api("POST", f"/messages/{sent.json['id']}/reply", body))
        sent = answers[-1]

    assert [answer.status for answer in answers] == [202, 202, 429]
    assert answers[-1].json["code"] == "loop-limit"
    assert "ben and ana have answered each other 2 times" in hark.session("ben")["signal_text"]
