"""Our plugin for OpenCode: a file of our own, which says in order what happens, and is quiet where it shall be."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from hark.agents.registry import find_agent
from hark.installing.change import apply, diff, installation, removal
from hark.installing.hooks import Misshapen
from hark.installing.places import settings_path
from hark.installing.plugin import find, put, take
from hark.model.errors import HarkError
from tests.agents.launch import node_directory

PROGRAM = '/opt/a "place"/ä/hark-hook'
DEADLINE_S = 60.0


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return {"HOME": str(tmp_path)}


def test_it_names_the_program_and_tells_of_all_that_is_understood() -> None:
    text = put("", "opencode", PROGRAM)

    assert [(ours.event, ours.program) for ours in find(text, "opencode")] == [
        (event, PROGRAM) for event in find_agent("opencode").events
    ]


def test_it_is_put_once_and_replaces_one_of_an_older_hark() -> None:
    once = put("", "opencode", PROGRAM)
    older = put("", "opencode", "/old/hark-hook").replace("session.idle", "session.old")

    assert put(once, "opencode", PROGRAM) == once
    assert put(older, "opencode", PROGRAM) == once
    assert "session.idle" not in [ours.event for ours in find(older, "opencode")]
    assert take(older, "opencode") == ""


@pytest.mark.parametrize("text", ["export const Hark = 1\n", "// hark-hook opencode session.idle\n"])
def test_a_file_of_somebody_else_is_refused_and_left_alone(text: str, environment: dict[str, str]) -> None:
    path = settings_path("opencode", environment)
    path.parent.mkdir(parents=True)
    path.write_text(text)

    with pytest.raises(Misshapen):
        put(text, "opencode", PROGRAM)
    with pytest.raises(HarkError, match="not a file of hark's") as refused:
        installation("opencode", environment, PROGRAM)
    assert refused.value.code == "agent-config-invalid"
    assert not removal("opencode", environment).is_change
    assert path.read_text() == text


def test_it_comes_and_goes_beside_other_plugins(environment: dict[str, str]) -> None:
    path = settings_path("opencode", environment)
    path.parent.mkdir(parents=True)
    (path.parent / "theirs.js").write_text("export const Theirs = async () => ({})\n")

    change = installation("opencode", environment, PROGRAM)
    assert diff(change).startswith(f"--- /dev/null\n+++ {path}\n@@ -0,0 +1,")
    apply(change)
    assert not installation("opencode", environment, PROGRAM).is_change
    assert {one.name for one in path.parent.iterdir()} == {"hark.js", "theirs.js"}
    apply(removal("opencode", environment))

    assert {one.name for one in path.parent.iterdir()} == {"theirs.js"}


def test_it_is_where_opencode_looks_for_it() -> None:
    moved = {"HOME": "/home/me", "XDG_CONFIG_HOME": "/x"}

    assert settings_path("opencode", {"HOME": "/home/me"}) == Path("/home/me/.config/opencode/plugin/hark.js")
    assert settings_path("opencode", moved) == Path("/x/opencode/plugin/hark.js")


# What OpenCode does with a plugin, without OpenCode: [hook, its arguments...].
PLAY = """
import {{ Hark }} from "{plugin}"
const hooks = await Hark({{}})
for (const [name, ...words] of {calls}) await hooks[name]?.(...words)
"""
MAIN, CHILD = "ses_main", "ses_child"


def event(kind: str, **properties: Any) -> list[Any]:
    return ["event", {"event": {"type": kind, "properties": properties}}]


def play(directory: Path, calls: Sequence[list[Any]], **variables: str) -> list[tuple[str, str, dict[str, Any]]]:
    """What `hark-hook` is called with, in order."""
    told, program = directory / "told", directory / "hark-hook"
    program.write_text(f'#!/bin/sh\n{{ printf "%s\\t%s\\t" "$1" "$2"; cat; echo; }} >> "{told}"\n')
    program.chmod(0o700)
    plugin = directory / "hark.mjs"
    plugin.write_text(put("", "opencode", str(program)))
    script = PLAY.format(plugin=plugin, calls=json.dumps(calls))
    subprocess.run(
        [str(node_directory() / "node"), "--input-type=module", "-e", script],
        env={"PATH": "/usr/bin:/bin", "HARK_HOME": str(directory / "no hark"), **variables},
        check=True,
        timeout=DEADLINE_S,
    )
    lines = told.read_text().splitlines() if told.exists() else []
    return [(agent, name, json.loads(payload)) for agent, name, payload in (line.split("\t", 2) for line in lines)]


def test_a_turn_is_told_of_in_order(tmp_path: Path) -> None:
    tool = {"tool": "bash", "sessionID": MAIN, "callID": "1"}
    calls = [
        [
            "chat.message",
            {"sessionID": MAIN},
            {"parts": [{"type": "text", "text": "one"}, {"type": "file"}, {"type": "text", "text": "two"}]},
        ],
        ["tool.execute.before", tool, {"args": {"command": "ls"}}],
        event("permission.asked", sessionID=MAIN, permission="bash", metadata={"command": "ls"}),
        event("message.updated", info={"id": MAIN, "parentID": "msg_before"}),
        event("permission.replied", sessionID=MAIN),
        ["tool.execute.after", tool, {"output": ""}],
        event("session.error", sessionID=MAIN, error={"name": "MessageAbortedError"}),
        event("session.idle", sessionID=MAIN),
    ]

    told = play(tmp_path, calls)

    assert [(agent, payload.pop("session_id")) for agent, _, payload in told] == [("opencode", MAIN)] * 7
    assert [(name, payload) for _, name, payload in told] == [
        ("chat.message", {"prompt": "one\ntwo"}),
        ("tool.execute.before", {"tool_name": "bash", "command": "ls"}),
        ("permission.asked", {"tool_name": "bash", "command": "ls"}),
        ("permission.replied", {}),
        ("tool.execute.after", {"tool_name": "bash"}),
        ("session.error", {"error": "MessageAbortedError"}),
        ("session.idle", {}),
    ]


def test_of_what_another_agent_of_its_own_does_only_the_questions_are_told(tmp_path: Path) -> None:
    calls = [
        event("session.created", info={"id": CHILD, "parentID": MAIN}),
        ["chat.message", {"sessionID": CHILD}, {"parts": [{"type": "text", "text": "a part of it"}]}],
        event("permission.asked", sessionID=CHILD, permission="edit"),
        event("session.idle", sessionID=CHILD),
        event("session.idle", sessionID=MAIN),
    ]

    told = play(tmp_path, calls)

    assert [(name, payload["session_id"]) for _, name, payload in told] == [
        ("permission.asked", CHILD),
        ("session.idle", MAIN),
    ]


def test_it_is_quiet_in_a_session_that_says_the_same_otherwise(tmp_path: Path) -> None:
    assert play(tmp_path, [event("session.idle", sessionID=MAIN)], HARK_HOOKS="1") == []


def text_part(message: str, text: str, **time: int) -> list[Any]:
    part = {"id": f"prt_{text}", "messageID": message, "type": "text", "text": text, "time": {"start": 1} | time}
    return event("message.part.updated", part=part)


def test_what_the_agent_has_said_is_kept_whole_and_named(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir(mode=0o700)
    (run / "opencode-999999999.jsonl").write_text("of one that has ended\n")
    calls = [
        event("session.created", info={"id": CHILD, "parentID": MAIN}),
        event("message.updated", info={"id": "msg_human", "role": "user", "sessionID": MAIN}),
        event("message.updated", info={"id": "msg_agent", "role": "assistant", "sessionID": MAIN}),
        event("message.updated", info={"id": "msg_child", "role": "assistant", "sessionID": CHILD}),
        text_part("msg_human", "asked", end=1_000),
        text_part("msg_agent", "half"),
        text_part("msg_child", "beside", end=1_500),
        event(
            "message.part.updated", part={"id": "x", "messageID": "msg_agent", "type": "reasoning", "time": {"end": 1}}
        ),
        text_part("msg_agent", "whole", end=2_500),
        event("session.idle", sessionID=MAIN),
    ]

    [(_, _, payload)] = play(tmp_path, calls, HARK_HOME=str(tmp_path))

    [record] = run.iterdir()
    assert payload["transcript_path"] == str(record)
    assert record.stat().st_mode & 0o777 == 0o600
    assert [json.loads(line) for line in record.read_text().splitlines()] == [
        {"type": "words", "id": "prt_whole", "text": "whole", "timestamp": "1970-01-01T00:00:02.500Z"}
    ]


def test_without_its_program_nothing_happens(tmp_path: Path) -> None:
    plugin = tmp_path / "hark.mjs"
    plugin.write_text(put("", "opencode", str(tmp_path / "gone")))
    script = PLAY.format(plugin=plugin, calls=json.dumps([event("session.idle", sessionID=MAIN)] * 2))

    finished = subprocess.run(
        [str(node_directory() / "node"), "--input-type=module", "-e", script],
        env={"PATH": "/usr/bin:/bin"},
        capture_output=True,
        encoding="utf-8",
        timeout=DEADLINE_S,
        check=False,
    )

    assert (finished.returncode, finished.stdout, finished.stderr) == (0, "", "")
