from pathlib import Path
from typing import Any

from tests.integration.end_to_end.agents import Agent
from tests.integration.end_to_end.running import RunningHark


def findings(hark: RunningHark, *words: str) -> dict[tuple[str, str], dict[str, Any]]:
    return {(one["check"], one["about"]): one for one in hark.json("doctor", *words)["findings"]}


def test_a_healthy_hark_has_no_problem_and_its_sessions_are_heard() -> None:
    with RunningHark() as hark:
        Agent(hark)
        hark.ok("send", "a", "hello", "--wait", "completed")

        found = findings(hark)

        assert found["daemon", ""]["level"] == "ok"
        assert found["socket", ""]["level"] == "ok"
        assert found["session-hooks", "a"]["level"] == "ok"
        assert found["airlock-sockets", ""]["level"] == "ok"
        assert set(findings(hark, "a")) == {("daemon", ""), ("socket", ""), ("session-hooks", "a")}


def test_looking_does_not_disturb_an_airlock() -> None:
    with RunningHark() as hark:
        Agent(hark)
        door = Path(hark.session("a")["airlock"])
        # Under another name it is one that no session is known for, so it is asked.
        strange = door.with_name("strange.sock")
        strange.symlink_to(door)

        found = findings(hark)
        strange.unlink()

        assert "an agent without a session" in found["airlock-sockets", ""]["detail"]
        hark.ok("send", "a", "hello", "--wait", "completed")
