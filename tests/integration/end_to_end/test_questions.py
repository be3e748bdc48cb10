"""What agents ask: listed with the exact command, answered through the agent's hook, never by keys, and on record when it has ended."""

from __future__ import annotations

import os
import signal
from typing import Any

from tests.integration.end_to_end.agents import SENDER, Agent
from tests.integration.end_to_end.running import DEADLINE_S, HARK, RunningHark
from tests.support.terminals import wait_until

COMMAND = "rm -r 'a b'; echo \u202e漢字"


def ask(agent: Agent, command: str = COMMAND) -> dict[str, Any]:
    """Let the agent ask, and return its question."""
    agent.post(f"[[ask={command}]] go")
    return wait_question(agent.hark, command)


def wait_question(hark: RunningHark, command: str = COMMAND) -> dict[str, Any]:
    found = wait_until(
        lambda: [one for one in listed(hark) if one["text"] == command], DEADLINE_S, command, lambda: listed(hark)
    )
    return found[0]


def listed(hark: RunningHark, *options: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = hark.json("questions", *options)["questions"]
    return found


def wait_ended(hark: RunningHark, question_id: str) -> dict[str, Any]:
    def ended() -> list[dict[str, Any]]:
        return [one for one in listed(hark, "--all") if one["id"] == question_id and one["end"]]

    return wait_until(ended, DEADLINE_S, f"the end of {question_id}", lambda: listed(hark, "--all"))[0]


def end_of(question: dict[str, Any]) -> tuple[str, str, str | None, str]:
    return question["end"], question["answer"], question["answered_by"], question["answered_as"]


def test_a_permission_is_listed_with_its_exact_command_and_ends_when_the_human_answers(hark: RunningHark) -> None:
    agent = Agent(hark)

    question = ask(agent)

    assert (question["session_name"], question["kind"], question["is_command"]) == ("a", "permission", True)
    assert (question["answers"], question["cannot_answer"]) == ([], "the setting `answers` is off")
    assert [one["id"] for one in hark.session("a")["open_questions"]] == [question["id"]]
    shown = hark.ok("questions", "a")
    assert f"{question['id']}  a  permission" in shown
    assert "$ rm -r 'a b'; echo \\u202e漢字" in shown
    with agent.human() as human:
        human.wait_attached(DEADLINE_S)
        human.press("Escape")
        ended = wait_ended(hark, question["id"])
    assert end_of(ended) == ("answered", "", "unknown", "")
    assert hark.ok("questions") == ""
    assert hark.session("a")["open_questions"] == []


def test_an_answer_is_refused_unless_the_setting_is_on(hark: RunningHark) -> None:
    agent = Agent(hark, "a", "--take-answers")
    question = ask(agent)

    refusal = hark.refused("answer", question["id"], "allow")

    assert (refusal.code, refusal.exit_code) == ("answers-off", 4)
    assert "answers = true" in refusal.hint
    assert agent.named("approved", "denied") == []


def test_an_answer_goes_through_the_hook_that_waits_beside_the_dialog(hark: RunningHark) -> None:
    hark.set(answers="true")
    agent = Agent(hark, "a", "--take-answers")
    allowed = ask(agent, "make all")
    assert (allowed["answers"], allowed["answered_through"]) == (["allow", "deny"], "hook")

    answered = hark.json("answer", "a", "allow")

    assert end_of(answered) == ("answered", "allow", "hark", SENDER)
    agent.wait_event("approved")
    assert len(agent.named("decided")) == 1
    denied = ask(agent, "make none")
    hark.ok("answer", denied["id"], "deny", "-m", "not now")
    agent.wait_event("denied")
    assert end_of(wait_ended(hark, denied["id"])) == ("answered", "deny", "hark", SENDER)
    kinds = [one["kind"] for one in map(dict, _events(hark)) if one["kind"].startswith("question.")]
    assert kinds == ["question.asked", "question.ended"] * 2


def _events(hark: RunningHark) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = hark.api("GET", "/events?limit=1000").json["events"]
    return found


def test_an_answer_that_does_not_fit_or_comes_too_late_is_refused(hark: RunningHark) -> None:
    hark.set(answers="true")
    agent = Agent(hark, "a", "--take-answers")
    question = ask(agent)

    assert hark.refused("answer", "a", "maybe").code == "answer-invalid"
    assert hark.refused("answer", "a", "allow", "deny").code == "answer-invalid"
    assert hark.refused("answer", "nobody", "allow").code == "question-not-found"
    assert agent.named("approved", "denied") == []
    with agent.human() as human:
        human.wait_attached(DEADLINE_S)
        human.press("Enter")
        agent.wait_event("approved")
    wait_ended(hark, question["id"])
    path = f"/questions/{question['id']}/answer"
    late = hark.api("POST", path, {"answers": ["deny"]})
    assert (late.status, late.json["code"]) == (409, "question-ended")
    assert hark.refused("answer", "a", "deny").code == "question-not-found"


def test_a_daemon_that_dies_leaves_the_dialog_to_the_human(hark: RunningHark) -> None:
    hark.set(answers="true")
    agent = Agent(hark, "a", "--take-answers")
    question = ask(agent)

    hark.kill_daemon()
    hark.ok("daemon", "start")

    again = wait_question(hark)
    assert again["id"] == question["id"]
    assert again["answers"] == []
    assert "started again" in again["cannot_answer"]
    assert hark.refused("answer", "a", "allow").code == "not-answerable"
    assert agent.named("approved", "denied", "decided") == []
    with agent.human() as human:
        human.wait_attached(DEADLINE_S)
        human.press("Enter")
        agent.wait_event("approved")
    assert end_of(wait_ended(hark, question["id"]))[2] == "unknown"


def test_a_question_ends_with_its_turn_and_with_its_session(hark: RunningHark) -> None:
    first, second = Agent(hark, "a"), Agent(hark, "b")
    interrupted, left = ask(first, "one"), ask(second, "two")

    report = {"agent": "demo", "event": "stopped", "session_id": first.id, "emitted_at": "2999-01-01T00:00:00Z"}
    assert hark.api("POST", "/hooks", report | {"payload": {}}).status == 202
    hark.ok("kill", "b")

    assert end_of(wait_ended(hark, left["id"])) == ("session-gone", "", None, "")
    assert end_of(wait_ended(hark, interrupted["id"])) == ("turn-ended", "", None, "")
    assert listed(hark) == []


def test_an_agent_answers_nobody_unless_the_human_grants_it_and_never_itself(hark: RunningHark) -> None:
    hark.set(answers="true")
    asking = Agent(hark, "a", "--take-answers")
    hark.ok("new", "-d", "-n", "b", "--", "sh", "-i")
    question = ask(asking)
    script = hark.home / "try"
    answer = f"{HARK} answer {question['id']} allow"
    # With the session's own access, and without it: the process tree tells.
    script.write_text(
        f"{answer} --json 2> {hark.home}/with\n"
        f"env -u HARK_TOKEN -u HARK_AGENT_SOCKET -u HARK_SESSION {answer} --json 2> {hark.home}/without\n"
        f"touch {hark.home}/tried\n"
    )

    hark.tmux("send-keys", "-t", hark.session("b")["pane_id"], f"sh {script}", "Enter")

    wait_until((hark.home / "tried").exists, DEADLINE_S, "the tries")
    for name in ("with", "without"):
        assert '"not-permitted"' in (hark.home / name).read_text()
    assert asking.named("approved", "denied") == []
    assert listed(hark)[0]["id"] == question["id"]


def test_a_hook_that_is_killed_leaves_the_dialog_to_the_human(hark: RunningHark) -> None:
    hark.set(answers="true")
    agent = Agent(hark, "a", "--take-answers")
    question = ask(agent)
    pids = [int(name) for name in os.listdir("/proc") if name.isdigit() and _is_waiting_hook(hark, name)]

    for pid in pids:
        os.kill(pid, signal.SIGKILL)

    wait_until(lambda: wait_question(hark)["answers"] == [], DEADLINE_S, "no way to answer", lambda: listed(hark))
    assert len(pids) == 1
    assert wait_question(hark)["id"] == question["id"]
    assert hark.refused("answer", "a", "allow").code == "not-answerable"
    assert agent.named("approved", "denied", "decided") == []
    agent.wait_shown("rm -r 'a b'")


def _is_waiting_hook(hark: RunningHark, pid: str) -> bool:
    """Only the hooks of this very hark count: others may run beside this test."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file, open(f"/proc/{pid}/environ", "rb") as environment:
            words = file.read().split(b"\0")
            if f"HARK_HOME={hark.home}".encode() not in environment.read().split(b"\0"):
                return False
    except OSError:
        return False
    return any(word.endswith(b"hark-hook") for word in words) and b"permission-asked" in words


def test_an_enter_for_a_dialog_that_was_answered_from_elsewhere_answers_nothing_else(hark: RunningHark) -> None:
    hark.set(answers="true")
    agent = Agent(hark, "a", "--take-answers")
    with agent.human() as human:
        human.wait_attached(DEADLINE_S)
        agent.post("[[ask=one]] [[ask=two]] go")
        first = wait_question(hark, "one")
        agent.wait_shown("one")

        assert hark.api("POST", f"/questions/{first['id']}/answer", {"answers": ["deny"]}).status == 200
        human.press("Enter")

        second = wait_question(hark, "two")
        agent.wait_shown("two")
        hark.wait_keys_flow()
        assert len(agent.named("approved")) == 0
        human.press("Escape")
        agent.wait_event("denied", 2)
        assert end_of(wait_ended(hark, first["id"]))[1:3] == ("deny", "hark")
        assert wait_ended(hark, second["id"])["answered_by"] == "unknown"
        assert agent.named("approved") == []


def test_the_policy_allows_denies_and_leaves_the_rest_to_the_human(hark: RunningHark) -> None:
    policy = hark.home / "policy.toml"
    policy.write_text(
        '[[rule]]\nanswer = "allow"\ncommands = ["make *"]\nagents = ["demo"]\n'
        '[[rule]]\nanswer = "deny"\ncommands = ["git push **"]\nmessage = "not from here"\n'
    )
    policy.chmod(0o600)
    hark.set(answers="true", answer_policy=str(policy))
    agent = Agent(hark, "a", "--take-answers")

    agent.post("[[ask=make all]] [[ask=cd x && git push]] [[ask=make all; rm x]] go")

    left = wait_question(hark, "make all; rm x")
    ended = [(one["text"], *end_of(one)) for one in listed(hark, "--all") if one["end"]]
    assert ended == [
        ("make all", "answered", "allow", "hark", "policy rule 1"),
        ("cd x && git push", "answered", "deny", "hark", "policy rule 2"),
    ]
    assert [event["command"] for event in agent.named("approved")] == ["make all"]
    assert [event["command"] for event in agent.named("denied")] == ["cd x && git push"]
    hark.ok("answer", left["id"], "deny")
    agent.wait_event("denied", 2)


def test_a_policy_that_is_wrong_or_open_to_others_keeps_the_daemon_from_starting(hark: RunningHark) -> None:
    policy = hark.home / "policy.toml"
    policy.write_text('[[rule]]\nanswer = "allow"\ncommands = ["*"]\n')
    policy.chmod(0o600)
    hark.set(answers="true", answer_policy=str(policy))
    assert "must name the program" in hark.refused("questions").detail
    policy.write_text('[[rule]]\nanswer = "allow"\ncommands = ["ls"]\n')
    policy.chmod(0o666)
    assert "nobody else can write" in hark.refused("questions").detail
    policy.unlink()
    assert "No such file" in hark.refused("questions").detail
