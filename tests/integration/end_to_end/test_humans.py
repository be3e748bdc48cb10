"""A human sits at the same terminal: what they type, answer and read is theirs, and messages wait for them."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator

import pytest

from hark.delivery.gate import NOT_BEGUN
from hark.demo.human import Human
from tests.integration.end_to_end.agents import PROGRAM, Agent
from tests.integration.end_to_end.running import DEADLINE_S, RunningHark
from tests.support.terminals import PrivateTmux, wait_until

QUESTION_AFTER_S = (0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.45)


@pytest.fixture
def hark() -> Iterator[RunningHark]:
    # tmux tells the time of a key in whole seconds, so a pause lasts one second longer than it says.
    with RunningHark(human_pause="0.2") as running:
        yield running


@pytest.fixture
def human(agent: Agent) -> Iterator[Human]:
    with agent.human() as person:
        person.wait_attached(DEADLINE_S)
        yield person


@pytest.mark.parametrize("carrier", ["stash", "editor"])
def test_a_draft_is_carried_out_of_the_way_and_back(hark: RunningHark, carrier: str) -> None:
    hark.describe_demo(prefers_editor=carrier == "editor")
    agent = Agent(hark, "a")
    with agent.human() as human:
        human.wait_attached(DEADLINE_S)
        human.paste("first line\n\nhalf a thou")
        agent.wait_box("first line", "", "half a thou")
        human.press("Left")

        message_id = agent.send("not in your way")

        message = agent.hark.wait_status(message_id, "completed")
        assert agent.box() == ["first line", "", "half a thou"]
        human.type("g", keys_per_second=50)
        agent.wait_box("first line", "", "half a thogu")
    assert agent.bodies() == ["not in your way"]
    assert [receipt["status"] for receipt in message["receipts"]][-1] == "completed"
    assert agent.hark.json("queue", "a")["saved_user_input"] is None


CARRIERS = {
    "sentinel": ("[sentinel]\n", "logical"),
    "interrupt": ("[interrupt]\n", "logical"),
    "sentinel, to be found out": ("[sentinel]\n", "unknown"),
}
WIDE = " ".join(f"word{number}" for number in range(25))
DRAFTS = {
    "one line": ("half a thou", 2, "half a thXou"),
    "lines, one of them empty": ("first line\n\nhalf a thou", 1, "first line\n\nhalf a thoXu"),
    "a wrapped line": (f"{WIDE} end", 4, f"{WIDE}X end"),
    "trailing blanks": ("one  \ntwo  ", 0, "one  \ntwo  X"),
    "wide characters": ("日本語 and a 漢字", 1, "日本語 and a 漢X字"),
}


@pytest.mark.parametrize("carrier", CARRIERS)
def test_a_draft_that_the_screen_alone_can_tell_is_carried_to_the_letter(carrier: str) -> None:
    with RunningHark(human_pause="0.2", input_stale_timeout="0.5") as hark:
        carriers, lines = CARRIERS[carrier]
        hark.describe_demo(carriers, lines=lines)
        agent = Agent(hark, "a")
        with agent.human() as human:
            human.wait_attached(DEADLINE_S)
            for number, (draft, lefts, expected) in enumerate(DRAFTS.values()):
                if number and carrier == "interrupt":
                    break  # One must be ten seconds from the next.
                human.paste(draft)
                agent.wait_shown(draft[-5:].strip())
                for _ in range(lefts):
                    human.press("Left")

                message_id = agent.send(f"beside draft {number}")

                message = hark.wait_status(message_id, "completed")
                human.type("X\n", keys_per_second=10)
                agent.wait_event("prompt", 2 * number + 2)
                assert agent.prompts()[-2:] == [agent.prompts()[-2], expected]
                assert {receipt.get("carrier") for receipt in message["receipts"]} >= {carrier.partition(",")[0]}
        assert agent.bodies() == [f"beside draft {number}" for number in range(len(agent.bodies()))]


@pytest.mark.parametrize("draft", ["lines, one of them empty", "a wrapped line"])
def test_an_interrupt_carries_a_draft_of_several_rows_in_one_go(draft: str) -> None:
    text, lefts, expected = DRAFTS[draft]
    with RunningHark(human_pause="0.2", input_stale_timeout="0.5") as hark:
        carriers, lines = CARRIERS["interrupt"]
        hark.describe_demo(carriers, lines=lines)
        agent = Agent(hark, "a")
        with agent.human() as human:
            human.wait_attached(DEADLINE_S)
            human.paste(text)
            agent.wait_shown(text[-5:].strip())
            for _ in range(lefts):
                human.press("Left")

            message = hark.wait_status(agent.send("beside it"), "completed")

            human.type("X\n", keys_per_second=10)
            agent.wait_event("prompt", 2)
            assert agent.prompts()[1:] == [expected]
            staged = [receipt for receipt in message["receipts"] if receipt["status"] == "staged"]
            assert [receipt["carrier"] for receipt in staged] == ["interrupt"]


@pytest.mark.parametrize("is_urgent", [False, True])
def test_a_program_that_nobody_has_described_gets_a_message_beside_a_forgotten_draft(is_urgent: bool) -> None:
    """The kind `generic`, as it ships: a draft that has stood untouched is carried, and stands in the way of nothing urgent."""
    with RunningHark(human_pause="0.2", input_stale_timeout="600" if is_urgent else "1.5") as hark:
        agent = Agent(hark, "a", kind="generic")
        with agent.human() as human:
            human.wait_attached(DEADLINE_S)
            human.paste("first line\nhalf a thou")
            agent.wait_box("first line", "half a thou")
            human.press("Left")

            message_id = agent.send("after a while", *(["--urgent"] if is_urgent else []))

            message = hark.wait_reached(message_id, "submitted")
            reasons = [receipt["reason"] for receipt in message["receipts"] if receipt["status"] == "held"]
            assert ("draft" in reasons) is not is_urgent
            agent.wait_box("first line", "half a thou")
            human.type("g", keys_per_second=50)
            agent.wait_box("first line", "half a thogu")
        assert agent.bodies() == ["after a while"]


def test_without_a_carrier_a_draft_holds_a_message_until_the_human_has_submitted_it(hark: RunningHark) -> None:
    hark.describe_demo(carriers="")
    agent = Agent(hark, "a")
    with agent.human() as human:
        human.wait_attached(DEADLINE_S)
        human.type("half a thou", keys_per_second=50)
        agent.wait_box("half a thou")

        message_id = agent.send("not now")

        agent.hark.wait_status(message_id, "held", "draft")
        assert agent.box() == ["half a thou"]
        assert agent.prompts() == []
        human.type("ght\n", keys_per_second=50)
        agent.hark.wait_status(message_id, "completed")
    assert agent.prompts()[0] == "half a thought"
    assert agent.bodies() == ["not now"]


def test_an_urgent_message_says_at_once_that_it_waits_for_a_draft(hark: RunningHark) -> None:
    hark.describe_demo(carriers="")
    agent = Agent(hark, "a")
    with agent.human() as human:
        human.wait_attached(DEADLINE_S)
        human.type("half a thou", keys_per_second=50)
        agent.wait_box("half a thou")

        first = hark.ok("send", "--urgent", "a", "stop")
        second = hark.json("send", "--urgent", "--timeout", "2s", "a", "stop it")

    assert "held: a human's draft is in the input box" in first
    assert second["status"] == "queued"
    assert agent.prompts() == []


def test_a_human_who_is_typing_is_waited_for(agent: Agent, human: Human) -> None:
    is_held = threading.Event()

    def fidget() -> None:
        while not is_held.is_set():
            human.type("x", keys_per_second=20)
            human.press("Backspace")

    typist = threading.Thread(target=fidget)
    typist.start()
    try:
        message_id = agent.send("after you")
        agent.hark.wait_status(message_id, "held", "human-typing")
        assert agent.bodies() == []
    finally:
        is_held.set()
        typist.join()

    agent.hark.wait_status(message_id, "completed")
    assert agent.bodies() == ["after you"]


def test_every_key_and_every_message_of_a_busy_evening_arrive_exact(agent: Agent, human: Human) -> None:
    lines = [f"line {number} by hand" for number in range(4)]
    typist = threading.Thread(target=lambda: human.type("".join(f"{line}\n" for line in lines), keys_per_second=25))

    typist.start()
    ids = [agent.send(f"message {number}") for number in range(6)]
    typist.join()

    for message_id in ids:
        agent.hark.wait_status(message_id, "completed")
    assert [text for text in agent.prompts() if not text.startswith("[Input")] == lines
    assert agent.bodies() == [f"message {number}" for number in range(6)]


def test_an_open_dialog_holds_a_message_and_is_answered_by_nobody_but_the_human(hark: RunningHark) -> None:
    agent = Agent(hark, "a", "--ask-at-start", "rm -rf build")

    message_id = agent.send("1")

    hark.wait_status(message_id, "held", "dialog")
    assert "Run rm -rf build?" in agent.screen()
    assert agent.named("approved", "denied") == []
    with agent.human() as person:
        person.wait_attached(DEADLINE_S)
        person.press("Escape")
        agent.wait_event("denied")
    hark.wait_status(message_id, "completed")
    assert agent.bodies() == ["1"]
    assert agent.named("approved") == []


def test_a_dialog_that_opens_during_deliveries_is_never_answered_by_them(hark: RunningHark) -> None:
    agent = Agent(hark, "a", "--busy", "0.05")
    ids: list[str] = []

    for number, after_s in enumerate(QUESTION_AFTER_S, start=1):
        ids.append(agent.send(f"[[ask-after={after_s}:step {number}]]"))
        ids += [agent.send(f"{number}.{part}") for part in range(4)]
        agent.wait_event("asked", number)
        assert [event["event"] for event in agent.named("approved", "denied")] == ["denied"] * (number - 1)
        hark.tmux("send-keys", "-t", agent.pane, "2")
        agent.wait_event("denied", number)

    # A paste that a dialog swallowed cannot be told from one that somebody has submitted: such a message says so.
    ends = [hark.wait_end(message_id) for message_id in ids]
    assert set(ends) <= {"completed", "uncertain"}
    assert agent.named("approved") == []
    assert len(agent.named("denied")) == len(QUESTION_AFTER_S)
    assert len(agent.bodies()) == len(set(agent.bodies()))
    assert len(agent.bodies()) >= ends.count("completed")


def test_an_agent_whose_dialogs_take_anybodys_enter_is_not_typed_to_while_it_works(hark: RunningHark) -> None:
    hark.describe_demo(more="idle_only = true\n")
    agent = Agent(hark, "a")
    first = agent.send("[[busy=3]]")
    agent.wait_event("prompt")

    second = agent.send("after that")

    hark.wait_status(second, "held", "busy")
    assert agent.named("stopped", "queued") == []
    hark.wait_status(second, "completed")
    assert [event["event"] for event in agent.named("prompt", "queued", "stopped")] == ["prompt", "stopped"] * 2
    assert hark.message(first)["status"] == "completed"


def test_an_agent_that_looks_idle_before_it_begins_is_not_given_two_prompts_at_once(hark: RunningHark) -> None:
    hark.describe_demo(more="idle_only = true\n")
    agent = Agent(hark, "a")
    agent.send_and_wait("so that its hooks are heard", "completed")

    first = agent.send("[[begin=3]]")
    hark.wait_reached(first, "submitted")

    second = agent.send("after that")

    details = [receipt["detail"] for receipt in hark.wait_status(second, "completed")["receipts"]]
    assert NOT_BEGUN in details
    assert hark.message(first)["status"] == "completed"
    assert agent.bodies()[1:] == ["[[begin=3]]", "after that"]
    assert agent.named("queued") == []


def test_a_raw_command_that_begins_no_turn_holds_nothing_up(hark: RunningHark) -> None:
    hark.describe_demo(more="idle_only = true\n")
    agent = Agent(hark, "a")
    agent.send_and_wait("so that its hooks are heard", "completed")
    raw = agent.send("[[begin=30]]", "--raw")
    hark.wait_reached(raw, "submitted")

    second = agent.send("at once")

    details = [receipt["detail"] for receipt in hark.wait_status(second, "completed")["receipts"]]
    assert NOT_BEGUN not in details


def test_behind_an_airlock_copy_mode_is_no_obstacle_and_stays_on(agent: Agent) -> None:
    tmux = agent.hark.tmux
    tmux("copy-mode", "-t", agent.pane)

    agent.hark.wait_status(agent.send("while you read"), "completed")

    assert tmux("display-message", "-p", "-t", agent.pane, "#{pane_mode}").strip() == "copy-mode"
    assert agent.bodies() == ["while you read"]


def test_copy_mode_on_an_adopted_pane_holds_a_message_and_stays_on(hark: RunningHark) -> None:
    log = hark.home / "log"
    with PrivateTmux() as tmux:
        pane = tmux.new(f"{PROGRAM} --log {log}")
        wait_until(lambda: log.exists() and "ready" in log.read_text(), DEADLINE_S, "the agent")
        hark.ok("adopt", "-S", str(tmux.socket), "-n", "mine", pane)
        tmux.run("copy-mode", "-t", pane)

        message_id = hark.ok("send", "-q", "mine", "when you are back").strip()

        hark.wait_status(message_id, "held", "copy-mode")
        assert tmux.read(pane, "#{pane_mode}") == "copy-mode"
        assert "when you are back" not in log.read_text()
        tmux.run("send-keys", "-X", "-t", pane, "cancel")
        hark.wait_reached(message_id, "submitted")
        wait_until(lambda: "when you are back" in log.read_text(), DEADLINE_S, "the message")


def test_a_human_at_an_adopted_pane_types_on_while_a_draft_is_carried(hark: RunningHark) -> None:
    log = hark.home / "log"
    with PrivateTmux() as tmux:
        pane = tmux.new(f"{PROGRAM} --log {log}")
        wait_until(lambda: log.exists() and "ready" in log.read_text(), DEADLINE_S, "the agent")
        hark.ok("adopt", "-S", str(tmux.socket), "-n", "mine", pane)
        with Human(tmux.socket, pane) as human:
            human.wait_attached(DEADLINE_S)
            typist = threading.Thread(target=lambda: human.type("a long sentence, typed without a pause\n", 12))
            typist.start()
            message_id = hark.ok("send", "-q", "mine", "in between").strip()
            typist.join()
            hark.wait_reached(message_id, "submitted")
            wait_until(lambda: "without a pause" in log.read_text(), DEADLINE_S, "the human's prompt")
    prompts = [json.loads(line)["text"] for line in log.read_text().splitlines() if '"prompt"' in line]
    assert "a long sentence, typed without a pause" in prompts
    assert [text.partition("\n")[2] for text in prompts if text.startswith("[Input")] == ["in between"]


def test_hark_hold_keeps_messages_back_until_hark_release(agent: Agent) -> None:
    agent.hark.ok("hold", "a")

    message_id = agent.send("not now")

    agent.hark.wait_status(message_id, "held", "do-not-disturb")
    assert agent.prompts() == []
    agent.hark.ok("release", "a")
    agent.hark.wait_status(message_id, "completed")
    assert agent.bodies() == ["not now"]


def test_nothing_is_typed_into_the_shell_that_an_agent_has_left_behind(hark: RunningHark) -> None:
    log = hark.home / "log"
    with PrivateTmux() as tmux:
        pane = tmux.new("exec env PS1='shell> ' bash --norc --noprofile -i")
        tmux.type(pane, f"{PROGRAM} --log {log}\n")
        wait_until(lambda: log.exists() and "ready" in log.read_text(), DEADLINE_S, "the agent in the shell")
        hark.ok("adopt", "-S", str(tmux.socket), "-n", "mine", pane)
        tmux.press(pane, "C-d")
        wait_until(lambda: tmux.capture(pane).rstrip().endswith("\nshell>"), DEADLINE_S, "the shell to be back")
        before = tmux.capture(pane, history=True)

        message_id = hark.ok("send", "-q", "mine", "touch /tmp/never").strip()

        hark.wait_status(message_id, "held", "agent-not-running")
        assert tmux.capture(pane, history=True) == before
        tmux.type(pane, f"{PROGRAM} --log {log}\n")
        hark.wait_reached(message_id, "submitted")
        assert "touch /tmp/never" in log.read_text()
