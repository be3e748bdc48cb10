"""The numbers of the daemon, for people and for Prometheus."""

from __future__ import annotations

import re

from tests.integration.end_to_end.agents import Agent
from tests.integration.end_to_end.running import RunningHark


def test_deliveries_holds_and_hooks_are_counted(hark: RunningHark) -> None:
    agent = Agent(hark, "a")
    agent.send_and_wait("one", "completed")
    hark.ok("hold", "a")
    held = agent.send("two")
    hark.wait_status(held, "held", "do-not-disturb")
    hark.ok("release", "a")
    hark.wait_reached(held, "completed")

    stats = hark.json("stats")

    assert stats["latency"]["count"] == 2
    assert [(one["channel"], one["count"]) for one in stats["deliveries"]] == [("terminal", 2)]
    assert [one["reason"] for one in stats["holds"]] == ["do-not-disturb"]
    assert stats["hooks"]["demo prompt-submitted"] == 2
    assert stats["messages"] == {"completed": 2}
    told = hark.ok("stats")
    assert "2 delivered since the daemon started" in told
    assert "do-not-disturb" in told


def test_prometheus_gets_the_same(hark: RunningHark) -> None:
    agent = Agent(hark, "a")
    agent.send_and_wait("one", "completed")

    answer = hark.api("GET", "/metrics")

    assert answer.status == 200
    text = answer.body.decode()
    assert re.search(r'^hark_deliveries_total\{carrier=".*",channel="terminal"\} 1\.0$', text, re.M)
    assert re.search(r'^hark_delivery_seconds_bucket\{le="\+Inf"\} 1\.0$', text, re.M)
    assert re.search(r'^hark_queue_depth\{status="held"\} 0\.0$', text, re.M)
    assert re.search(r'^hark_hooks_total\{agent="demo",said="prompt-submitted"\} 1\.0$', text, re.M)


def test_without_the_library_it_says_what_to_do(hark: RunningHark) -> None:
    blocked = hark.home / "blocked"
    blocked.mkdir()
    (blocked / "prometheus_client.py").write_text("raise ModuleNotFoundError(name='prometheus_client')")
    hark.environment["PYTHONPATH"] = str(blocked)
    hark.ok("ls")

    answer = hark.api("GET", "/metrics")

    assert (answer.status, answer.json["code"]) == (501, "not-available")
    assert "hark[metrics]" in answer.json["hint"]
    assert hark.json("stats")["sessions"] == 0
