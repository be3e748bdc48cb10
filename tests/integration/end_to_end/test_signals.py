"""Signals as a user meets them: printed by programs that nobody looks at, heard once each."""

from __future__ import annotations

import json
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.integration.end_to_end.agents import Agent
from tests.integration.end_to_end.running import HARK, RunningHark
from tests.support.terminals import wait_until

SCRIPT = 'while read -r line; do eval "$line"; done'
"""A program that only prints lines: what it is told."""


class Printing:
    def __init__(self, hark: RunningHark) -> None:
        self.hark = hark
        hark.ok("new", "-d", "-n", "p", "--", "sh", "-c", f"stty -echo; {SCRIPT}")
        self.pane = hark.json("ls")["sessions"][0]["pane_id"]

    def do(self, command: str) -> None:
        self.hark.tmux("send-keys", "-t", self.pane, "-l", command)
        self.hark.tmux("send-keys", "-t", self.pane, "Enter")

    def print(self, *lines: str) -> None:
        self.do("; ".join(f"echo '{line}'" for line in lines))

    def wait_shown(self, text: str) -> None:
        wait_until(lambda: text in self.hark.tmux("capture-pane", "-p", "-t", self.pane), 20, f"{text} on the screen")


def signals(hark: RunningHark) -> list[tuple[str, str]]:
    return [(one["data"]["state"], one["data"]["text"]) for one in hark.json("signals", "-n", "1000")["events"]]


def wait_signals(hark: RunningHark, *expected: tuple[str, str]) -> None:
    wait_until(lambda: signals(hark) == list(expected), 20, f"{expected}", lambda: signals(hark))


@pytest.fixture
def printing(hark: RunningHark) -> Printing:
    return Printing(hark)


def test_a_printed_marker_is_heard_with_nobody_attached(printing: Printing) -> None:
    printing.print("prose", "--<[schmux:needs_input:Which one?]>--", "more prose")

    wait_signals(printing.hark, ("needs_input", "Which one?"))
    session = printing.hark.json("ls")["sessions"][0]
    assert (session["nudge_seq"], session["signal_state"], session["signal_source"]) == (1, "needs_input", "terminal")


def test_what_was_announced_before_a_restart_is_not_repeated_and_what_was_printed_meanwhile_is_found(
    printing: Printing,
) -> None:
    printing.print("--<[hark:completed:first]>--")
    wait_signals(printing.hark, ("completed", "first"))

    printing.hark.ok("daemon", "stop")
    printing.print("--<[hark:completed:while nobody listened]>--", "--<[hark:completed:first]>--", "the end")
    printing.wait_shown("the end")
    printing.hark.ok("daemon", "start")

    expected = (("completed", "first"), ("completed", "while nobody listened"), ("completed", "first"))
    wait_signals(printing.hark, *expected)
    printing.print("--<[hark:error:after]>--")
    wait_signals(printing.hark, *expected, ("error", "after"))


def test_the_same_line_printed_again_by_a_program_that_prints_lines_is_another_signal(printing: Printing) -> None:
    printing.print("--<[hark:completed:again]>--")
    wait_signals(printing.hark, ("completed", "again"))
    printing.print("--<[hark:completed:again]>--")

    wait_signals(printing.hark, ("completed", "again"), ("completed", "again"))


def test_code_blocks_quotes_and_sentences_are_no_signals(printing: Printing) -> None:
    printing.print(
        "```", "--<[hark:completed:in a block]>--", "```", "> --<[hark:completed:quoted]>--", "see --<[hark:error:x]>--"
    )
    printing.print("--<[hark:completed:real]>--")

    wait_signals(printing.hark, ("completed", "real"))
    assert set(missed(printing.hark)) >= {"--<[hark:completed:in a block]>--", "see --<[hark:error:x]>--"}


def missed(hark: RunningHark) -> list[str]:
    """The cleaned lines of the near misses in the log."""
    sign = " - potential missed signal: "
    logged = [line["message"].partition(sign) for line in hark.log()]
    return [json.loads(line) for begin, found, line in logged if found and begin.startswith("[signal] ")]


def test_a_marker_that_lost_its_brackets_leaves_a_trace_with_the_line_and_the_reason(printing: Printing) -> None:
    printing.print("--<schmux:completed:no brackets>--", "schmux:completed:plain", "--[schmux:completed:link]--")

    expected = ["--<schmux:completed:no brackets>--", "schmux:completed:plain", "--[schmux:completed:link]--"]
    wait_until(lambda: missed(printing.hark) == expected, 20, "near misses", printing.hark.log)
    session = printing.hark.json("ls")["sessions"][0]["id"]
    [first, *_] = [line for line in printing.hark.log() if "potential missed signal" in line["message"]]
    assert first["message"].startswith(f"[signal] {session} - potential missed signal: ")
    assert (first["level"], first["session"]) == ("warning", "p")
    assert "--<[NAME:state:text]>--" in first["why"]


def test_a_flood_of_mentions_is_logged_a_little_and_counted(printing: Printing) -> None:
    printing.do("i=0; while [ $i -lt 500 ]; do echo line $i of a file about schmux; i=$((i+1)); done")
    printing.print("schmux:error:lost among them", "--<[hark:completed:the end]>--")

    wait_signals(printing.hark, ("completed", "the end"))
    wait_until(lambda: "schmux:error:lost among them" in missed(printing.hark), 20, "the lost marker")
    assert len(missed(printing.hark)) <= 30
    assert any("the rest of this hour is only counted" in line["message"] for line in printing.hark.log())
    printing.hark.ok("kill", "p")
    wait_until(
        lambda: any("more potential missed signals were not logged" in line["message"] for line in printing.hark.log()),
        20,
        "the count",
    )


def test_a_program_that_draws_is_heard_once_however_often_it_draws(printing: Printing) -> None:
    draw = r"printf '\033[2J\033[H--<[hark:completed:drawn]>--\033[3;1Hmore\033[K\n'"
    printing.do(draw)
    wait_signals(printing.hark, ("completed", "drawn"))

    for size in ("100", "60", "90"):
        printing.hark.tmux("resize-window", "-t", printing.pane, "-x", size, "-y", "30")
        printing.do(draw)
    printing.do(r"printf '\033[5;1H--<[hark:completed:another]>--\n'")

    wait_signals(printing.hark, ("completed", "drawn"), ("completed", "another"))


def test_a_stream_that_is_lost_is_caught_up_with(printing: Printing) -> None:
    printing.print("--<[hark:completed:before]>--")
    wait_signals(printing.hark, ("completed", "before"))

    printing.hark.tmux("pipe-pane", "-t", printing.pane)
    printing.print("--<[hark:completed:in the gap]>--")

    wait_signals(printing.hark, ("completed", "before"), ("completed", "in the gap"))


def test_an_agent_is_heard_once_in_each_turn(agent: Agent) -> None:
    marker = "--<[hark:completed:done]>--"
    agent.send_and_wait(f"[[say={marker}]]", "completed")
    wait_signals(agent.hark, ("completed", "done"))
    agent.hark.tmux("resize-window", "-t", agent.pane, "-x", "70", "-y", "20")

    agent.send_and_wait(f"once more [[say={marker}]]", "completed")

    wait_signals(agent.hark, ("completed", "done"), ("completed", "done"))


def test_a_marker_in_a_message_that_hark_has_delivered_is_none(agent: Agent) -> None:
    agent.send_and_wait("this is how you do it:\n--<[hark:completed:an example]>--\n[[say=understood]]", "completed")
    agent.send_and_wait("[[say=--<[hark:needs_testing:real]>--]]", "completed")

    wait_signals(agent.hark, ("needs_testing", "real"))


def test_signals_are_followed(printing: Printing) -> None:
    with printing.hark.follow("signals", "-f", "p") as followed:
        printing.print("--<[hark:error:no disk]>--")

        followed.wait_printed("no disk")


def test_watch_hears_any_stream_and_ends_as_its_command_does(hark: RunningHark) -> None:
    script = "echo some words; echo '--<[schmux:completed:far away]>--'; exit 3"

    done = subprocess.run(
        [HARK, "watch", "-q", "--", "sh", "-c", script],
        capture_output=True,
        text=True,
        env=hark.environment,
        timeout=30,
    )

    assert (done.returncode, done.stdout) == (3, "")
    assert "signal completed: far away" in done.stderr


def test_watch_announces_for_a_session(printing: Printing) -> None:
    script = "echo '--<[hark:needs_input:from far]>--'"
    printing.hark.ok("watch", "-n", "p", "--", "sh", "-c", script)

    wait_signals(printing.hark, ("needs_input", "from far"))


def tell_hook(hark: RunningHark, said: str, detail: str = "", record: str = "") -> None:
    session = hark.json("ls")["sessions"][0]["id"]
    body = {
        "agent": "demo",
        "event": said,
        "emitted_at": datetime.now(UTC).isoformat(),
        "session_id": session,
        "payload": {"command": detail, "transcript_path": record},
    }
    assert hark.api("POST", "/hooks", body).status == 202


def state(hark: RunningHark) -> tuple[str | None, str | None]:
    session = hark.json("ls")["sessions"][0]
    return session["signal_state"], session["signal_source"]


def test_a_permission_that_is_asked_for_needs_input_once_until_it_is_answered(printing: Printing) -> None:
    hark = printing.hark
    tell_hook(hark, "permission-asked", "touch made")
    tell_hook(hark, "permission-asked", "touch made")

    assert state(hark) == ("needs_input", "hook")
    assert signals(hark) == [("needs_input", "touch made")]

    tell_hook(hark, "permission-answered")
    assert state(hark) == (None, None)


def test_what_the_agent_says_is_stronger_than_its_hooks_and_ends_with_the_next_prompt(printing: Printing) -> None:
    hark = printing.hark
    printing.print("--<[hark:needs_input:which one?]>--")
    wait_signals(hark, ("needs_input", "which one?"))

    tell_hook(hark, "permission-asked", "touch made")
    tell_hook(hark, "stopped")
    assert state(hark) == ("needs_input", "terminal")

    tell_hook(hark, "prompt-submitted")
    assert state(hark) == (None, None)
    assert signals(hark) == [("needs_input", "which one?")]


def test_work_that_was_announced_ends_when_the_agent_stops(printing: Printing) -> None:
    printing.print("--<[hark:working:on it]>--")
    wait_signals(printing.hark, ("working", "on it"))

    tell_hook(printing.hark, "stopped")

    assert state(printing.hark) == (None, None)


def test_the_record_of_an_agent_is_read_instead_of_its_screen(hark: RunningHark) -> None:
    record = hark.home / "record.jsonl"
    record.write_text("")
    hark.ok("new", "-d", "-n", "p", "--agent", "claude", "--", "sh", "-c", "cat; exec cat")
    session = hark.json("ls")["sessions"][0]
    body = {
        "agent": "claude",
        "event": "SessionStart",
        "emitted_at": datetime.now(UTC).isoformat(),
        "session_id": session["id"],
        "payload": {"transcript_path": str(record)},
    }
    assert hark.api("POST", "/hooks", body).status == 202
    say(record, "old", "--<[hark:error:of before]>--", at="2020-01-01T00:00:00Z")
    say(record, "one", "```\n--<[hark:completed:code]>--\n```\n--<[hark:completed:prose]>--")
    hark.tmux("send-keys", "-t", session["pane_id"], "-l", "--", "--<[hark:error:typed]>--")
    hark.tmux("send-keys", "-t", session["pane_id"], "Enter")

    wait_signals(hark, ("completed", "prose"))
    hark.ok("daemon", "stop")
    say(record, "one", "--<[hark:completed:prose]>--")
    say(record, "two", "--<[hark:needs_testing:meanwhile]>--")
    hark.ok("daemon", "start")

    wait_signals(hark, ("completed", "prose"), ("needs_testing", "meanwhile"))


def test_what_leaves_the_screen_before_it_is_certain_that_there_is_no_record_is_heard(hark: RunningHark) -> None:
    hark.ok("new", "-d", "-n", "p", "--agent", "claude", "--", "sh", "-c", f"stty -echo; {SCRIPT}")
    pane = hark.json("ls")["sessions"][0]["pane_id"]
    draw = r"printf '\033[2J\033[H\342\227\217 --<[hark:completed:soon gone]>--\n  hark:error:a near miss\n'"
    hark.tmux("send-keys", "-t", pane, "-l", draw)
    hark.tmux("send-keys", "-t", pane, "Enter")
    wait_until(lambda: "hark:error:a near miss" in missed(hark), 20, "a look at the screen", hark.log)

    hark.tmux("send-keys", "-t", pane, "-l", r"printf '\033[2J\033[3J\033[Hnothing\n'")
    hark.tmux("send-keys", "-t", pane, "Enter")

    wait_signals(hark, ("completed", "soon gone"))


def test_an_agent_is_taught_to_signal_for_one_run(hark: RunningHark) -> None:
    program = hark.home / "claude"
    program.write_text('#!/bin/sh\nprintf "%s\\n" "$@" > "$0.words"\nexec cat\n')
    program.chmod(0o700)
    words = program.with_name("claude.words")

    hark.ok("new", "-d", "-n", "c", "--signals", "--", str(program), "--model", "opus")

    wait_until(lambda: words.exists() and "opus" in words.read_text(), 20, "the program to run")
    told = words.read_text()
    assert told.startswith(("--settings\n", "--append-system-prompt\n"))
    assert "--append-system-prompt\nWhen your status changes" in told
    assert told.endswith("--model\nopus\n")


def say(record: Path, name: str, text: str, at: str | None = None) -> None:
    message = {"role": "assistant", "content": [{"type": "text", "text": text}]}
    at = at or datetime.now(UTC).isoformat()
    line = {"type": "assistant", "uuid": name, "timestamp": at, "isSidechain": False, "message": message}
    with record.open("a") as file:
        file.write(json.dumps(line) + "\n")
