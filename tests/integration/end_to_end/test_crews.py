"""Crew files: `hark up FILE` starts a team, as often as one likes, and `hark down FILE` ends it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.integration.end_to_end.agents import PROGRAM
from tests.integration.end_to_end.running import DEADLINE_S, RunningHark
from tests.support.terminals import wait_until


def write_crew(hark: RunningHark, *more: str) -> Path:
    (hark.home / "work").mkdir(exist_ok=True)
    file = hark.home / "crew.toml"
    entries = [
        f'[[session]]\nname = "lead"\ncommand = {json.dumps([PROGRAM])}\nagent = "demo"\n',
        f'[[session]]\nname = "worker"\ncommand = {json.dumps([PROGRAM, "--log", str(hark.home / "worker.log")])}\n'
        'agent = "demo"\ndirectory = "work"\ntask = "begin with it"\nnotify = "lead"\n',
    ]
    file.write_text("\n".join([*entries, *more]))
    return file


def texts_of(hark: RunningHark, name: str) -> list[str]:
    return [message["text"] for message in hark.json("history", name)["messages"]]


def test_a_crew_starts_with_its_tasks_and_ends(hark: RunningHark) -> None:
    crew = str(write_crew(hark))

    made = hark.json("up", crew)

    assert [session["name"] for session in made["started"]] == ["lead", "worker"]
    assert made["started"][1]["directory"] == str(hark.home / "work")
    assert texts_of(hark, "worker") == ["begin with it"]
    wait_until(lambda: texts_of(hark, "lead"), DEADLINE_S, "the notice that the worker has stopped")
    assert [session["name"] for session in hark.json("down", crew)["sessions"]] == ["worker", "lead"]
    assert hark.json("ls")["sessions"] == []
    assert hark.json("down", crew)["sessions"] == []


def test_a_crew_that_runs_stays_and_one_that_is_gone_comes_back_without_its_task(hark: RunningHark) -> None:
    crew = str(write_crew(hark))
    first = {session["name"]: session["id"] for session in hark.json("up", crew)["started"]}

    assert hark.json("up", crew) == {"started": [], "restarted": [], "failed": []}
    hark.ok("kill", "worker")
    again = hark.json("up", crew)

    assert [one["session"]["id"] for one in again["restarted"]] == [first["worker"]]
    assert (again["started"], again["failed"]) == ([], [])
    assert texts_of(hark, "worker") == ["begin with it"]


def test_one_session_that_cannot_start_keeps_no_other_one(hark: RunningHark) -> None:
    crew = str(write_crew(hark, '[[session]]\nname = "broken"\ncommand = ["no-such-program-anywhere"]\ntask = "x"\n'))

    finished = hark.run("up", "--json", crew)

    assert finished.returncode == 1
    made = json.loads(finished.stdout)
    assert [session["name"] for session in made["started"]] == ["lead", "worker"]
    assert [(one["name"], one["code"]) for one in made["failed"]] == [("broken", "request-invalid")]


def test_a_file_that_is_no_crew_file_starts_nothing(hark: RunningHark) -> None:
    wrong = hark.home / "wrong.toml"
    wrong.write_text("[[session]\n")

    for path in (str(wrong), str(hark.home), str(hark.home / "missing.toml")):
        refusal = hark.refused("up", path)
        assert (refusal.code, refusal.exit_code) == ("crew-invalid", 2)
        assert refusal.hint
