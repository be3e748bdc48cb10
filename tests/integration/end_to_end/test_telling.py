"""People are told of signals, once each; and a model is asked about agents that have fallen silent."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.integration.end_to_end.running import DEADLINE_S, RunningHark
from tests.support.stand_in import StandIn
from tests.support.terminals import wait_until


@contextmanager
def listening() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The address of a webhook, and what was posted to it."""
    posted: list[dict[str, Any]] = []

    class Hook(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            posted.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Silent."""

    server = HTTPServer(("127.0.0.1", 0), Hook)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/hook", posted
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def announce(hark: RunningHark, *words: str) -> None:
    session = hark.json("ls")["sessions"][0]["id"]
    hark.api("POST", f"/sessions/{session}/signal", {"state": words[0], "text": " ".join(words[1:])})


def test_a_webhook_is_told_once_of_what_is_wanted() -> None:
    with listening() as (url, posted), RunningHark(notify_by="webhook", notify_webhook=url, notify="error,*:q") as hark:
        hark.ok("new", "-d", "-n", "p", "--", "cat")
        announce(hark, "completed", "not", "wanted")
        announce(hark, "error", "no", "disk")
        hark.ok("daemon", "stop")
        hark.ok("daemon", "start")
        announce(hark, "error", "again")

        wait_until(lambda: len(posted) == 2, DEADLINE_S, "two posts", lambda: posted)

    assert [(one["session"], one["state"], one["text"], one["nudge_seq"]) for one in posted] == [
        ("p", "error", "no disk", 2),
        ("p", "error", "again", 3),
    ]


def test_a_terminal_that_is_attached_is_told() -> None:
    with RunningHark(notify_by="osc9") as hark:
        hark.ok("new", "-d", "-n", "p", "--", "cat")
        ours, theirs = pty.openpty()
        client = subprocess.Popen(
            ["tmux", "-S", str(hark.tmux_socket), "attach"],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=hark.environment | {"TERM": "xterm-256color"},
            start_new_session=True,
        )
        os.close(theirs)
        os.set_blocking(ours, False)
        try:
            wait_until(lambda: "/dev/" in hark.tmux("list-clients", "-F", "#{client_tty}"), DEADLINE_S, "a client")
            announce(hark, "needs_input", "which one?")
            shown = b""

            def has_come() -> bool:
                nonlocal shown
                try:
                    shown += os.read(ours, 65536)
                except BlockingIOError:
                    return False
                return b"\x1b]9;p needs input: which one?\x07" in shown

            wait_until(has_come, DEADLINE_S, "the words on the terminal", lambda: shown)
        finally:
            client.kill()
            client.wait()
            os.close(ours)


def test_the_desktop_is_told_by_the_program_for_it(tmp_path: Path) -> None:
    """Words that begin like options, or mean something to a shell, are words."""
    program = tmp_path / "notify-send"
    program.write_text('#!/bin/sh\nprintf "%s\\n" "$@" > "$0.words"\n')
    program.chmod(0o755)
    told = tmp_path / "notify-send.words"
    with RunningHark(notify_by="desktop") as hark:
        hark.environment["PATH"] = f"{tmp_path}:{hark.environment['PATH']}"
        hark.ok("new", "-d", "-n", "p", "--", "cat")
        announce(hark, "needs_input", "--help", "$(id)")
        wait_until(told.exists, DEADLINE_S, "the desktop to be told")
        wait_until(lambda: told.read_text().endswith("\n"), DEADLINE_S, "all words")

    assert told.read_text().splitlines() == ["--app-name=hark", "--", "hark", "p needs input: --help $(id)"]


@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
def test_a_model_is_asked_about_a_silent_agent_once_and_its_answer_is_marked_as_a_guess(protocol: str) -> None:
    answer = '[[say={"state": "needs_input", "text": "which database"}]]'
    settings = {"infer_protocol": protocol, "infer_model": "stand-in", "infer_after": "1"}
    with StandIn() as stand_in, RunningHark(infer_url=stand_in.url, **settings) as hark:
        hark.ok("new", "-d", "-n", "p", "--", "sh", "-c", f"echo 'my password: hunter2'; echo '{answer}'; exec cat")

        wait_until(
            lambda: hark.json("ls")["sessions"][0]["signal_source"] == "inferred", DEADLINE_S, "a guess", hark.log
        )

        [event] = hark.json("signals", "p")["events"]
        assert (event["data"]["state"], event["data"]["text"]) == ("needs_input", "which database")
        asked = [text for one in stand_in.received() for text in one.texts]
        assert len(asked) == 1
        assert "hunter2" not in asked[0]


@pytest.mark.parametrize(
    "setting", [{"notify_by": "smoke"}, {"notify": "done"}, {"notify_quiet": "late"}, {"infer_url": "ftp://x"}]
)
def test_a_setting_that_nobody_can_mean_stops_the_daemon(setting: dict[str, str]) -> None:
    with RunningHark(**setting) as hark:
        assert hark.refused("ls").code == "config-invalid"
