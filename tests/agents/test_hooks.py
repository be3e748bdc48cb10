"""The hooks that hark gives to real agents: they fire, in the session's own environment, beside the user's, and nobody is asked."""

from __future__ import annotations

import json
import os
import shlex
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from hark.agents.codex import trust
from hark.agents.decoders import decode
from hark.agents.registry import agents_with_hooks
from hark.cli.agents.install import hook_program
from hark.diagnosis.agents import look_at_hooks
from hark.diagnosis.finding import Level
from hark.installing.change import apply, installation
from hark.installing.injection import inject, prepare
from hark.installing.places import settings_path
from hark.model.heard import Said
from tests.agents.delivering import delivering
from tests.agents.launch import Launch, write_json
from tests.agents.running import DEADLINE_S, START_DEADLINE_S, Agent, running
from tests.support.terminals import wait_until

KINDS = ("claude", "codex", "gemini")
SESSION = "5e551011"


class Heard(msgspec.Struct, frozen=True):
    by: str
    """Whose hook it was: the words it was called with, before the event."""
    event: str
    session: str
    payload: dict[str, Any]


class Recorder:
    """Stands in for `hark-hook`: puts down whatever it is told, a file a call, whole when it has its name."""

    def __init__(self, directory: Path) -> None:
        self._told = directory / "told"
        self._told.mkdir(parents=True)
        self.program = str(directory / "a place with blanks" / "hark-hook")
        Path(self.program).parent.mkdir()
        new, told = shlex.quote(str(self._told / "new")), shlex.quote(str(self._told))
        Path(self.program).write_text(
            "#!/bin/sh\n"
            f'at=$(date +%s%N); {{ printf "%s\\n%s\\n%s\\n" "$1" "$2" "$HARK_SESSION"; cat; }} > {new}.$$.$at\n'
            f"mv {new}.$$.$at {told}/$at.$$.heard\n"
        )
        os.chmod(self.program, 0o700)

    def heard(self) -> list[Heard]:
        found = [path.read_text().split("\n", 3) for path in sorted(self._told.glob("*.heard"))]
        return [Heard(by, event, session, json.loads(payload)) for by, event, session, payload in found]

    def said(self) -> list[Said]:
        return [decode(one.by, one.event, one.payload).said for one in self.heard() if one.by in agents_with_hooks()]


def injected(recorder: Recorder, directory: Path) -> Callable[[Launch], Launch]:
    def change(launch: Launch) -> Launch:
        injection = prepare(
            launch.kind,
            inject(launch.kind, tuple(launch.command), recorder.program, directory, launch.environment),
            launch.environment,
        )
        environment = launch.environment | injection.environment | {"HARK_SESSION": SESSION}
        return msgspec.structs.replace(launch, command=list(injection.command), environment=environment)

    return change


@pytest.fixture
def ours() -> Iterator[Path]:
    """A directory for our files, which is not root's all the way up: nobody else has such a directory."""
    with tempfile.TemporaryDirectory(prefix="hark-test-") as made:
        yield Path(made).resolve()


def a_turn(agent: Agent, recorder: Recorder, text: str) -> list[Heard]:
    """What was heard until the agent has stopped."""
    agent.wait_ready()
    agent.submit(text)
    wait_until(
        lambda: Said.STOPPED in recorder.said(), DEADLINE_S, "the stop", lambda: (recorder.heard(), agent.screen().text)
    )
    return recorder.heard()


@pytest.mark.parametrize("kind", KINDS)
def test_injected_hooks_report_the_prompt_and_the_stop_once_in_the_sessions_name(
    kind: str, tmp_path: Path, ours: Path
) -> None:
    recorder = Recorder(tmp_path)
    with running(kind, change=injected(recorder, ours)) as agent:
        heard = a_turn(agent, recorder, "hello there")

    prompts = [one for one in heard if decode(kind, one.event, one.payload).said is Said.PROMPT_SUBMITTED]
    assert [decode(kind, one.event, one.payload).prompt for one in prompts] == ["hello there"]
    assert recorder.said().count(Said.STOPPED) == 1
    assert {(one.by, one.session) for one in heard} == {(kind, SESSION)}


@pytest.mark.parametrize("kind", KINDS)
def test_injected_hooks_leave_the_users_own_hooks_and_files_alone(kind: str, tmp_path: Path, ours: Path) -> None:
    recorder = Recorder(tmp_path)
    before: dict[Path, bytes] = {}

    def with_hooks_of_the_user(launch: Launch) -> Launch:
        path = settings_path(kind, launch.environment)
        before[path] = add_users_hook(launch, path, recorder.program)
        return injected(recorder, ours)(launch)

    with running(kind, change=with_hooks_of_the_user) as agent:
        a_turn(agent, recorder, "hello there")
        wait_until(lambda: {one.by for one in recorder.heard()} == {kind, "the-user"}, DEADLINE_S, "the user's hook")
        [path] = before
        assert path.read_bytes() == before[path]


@pytest.mark.parametrize("kind", ["claude", "gemini"])
def test_installed_hooks_report_and_keep_quiet_in_a_session_that_has_its_own(
    kind: str, tmp_path: Path, ours: Path
) -> None:
    plain, own = Recorder(tmp_path / "plain"), Recorder(tmp_path / "own")

    def installed(launch: Launch) -> Launch:
        apply(installation(kind, launch.environment, plain.program))
        return msgspec.structs.replace(launch, environment=launch.environment | {"HARK_SESSION": SESSION})

    with running(kind, change=installed) as agent:
        heard = a_turn(agent, plain, "hello there")
    assert {(one.by, one.session) for one in heard} == {(kind, SESSION)}

    with running(kind, change=lambda launch: injected(own, ours)(installed(launch))) as agent:
        a_turn(agent, own, "hello there")
    assert plain.heard() == heard


@pytest.mark.parametrize("kind", ["codex"])
def test_installed_hooks_run_once_the_user_trusts_them_and_the_doctor_knows(kind: str, tmp_path: Path) -> None:
    recorder = Recorder(tmp_path)

    def installed(launch: Launch) -> Launch:
        apply(installation(kind, launch.environment, recorder.program))
        return msgspec.structs.replace(launch, environment=launch.environment | {"HARK_SESSION": SESSION})

    with running(kind, change=installed) as agent:
        agent.wait_for(
            lambda screen: "Trust all and continue" in screen.text, "the review of the hooks", START_DEADLINE_S
        )
        assert look_at_hooks(kind, agent.launch.environment).level is Level.PROBLEM
        agent.wait_quiet()
        agent.tmux.press(agent.pane, "Down")
        agent.wait_for(lambda screen: "› 2. Trust all" in screen.text, "the answer to be chosen")
        agent.tmux.press(agent.pane, "Enter")

        heard = a_turn(agent, recorder, "hello there")

        assert {(one.by, one.session) for one in heard} == {(kind, SESSION)}
        assert look_at_hooks(kind, agent.launch.environment).level is Level.OK


def with_installed_hooks(launch: Launch) -> Launch:
    apply(installation(launch.kind, launch.environment, hook_program()))
    return launch


@pytest.mark.parametrize("is_adopted", [False, True], ids=["started", "adopted"])
@pytest.mark.parametrize("kind", ["claude", "gemini"])
def test_what_installed_hooks_say_of_a_humans_turn_is_heard_of_the_right_session(kind: str, is_adopted: bool) -> None:
    with delivering(kind, is_adopted=is_adopted, change=with_installed_hooks) as agent:
        human = Agent(agent.launch, agent.pane, agent.tmux, agent.stand_in)
        human.wait_quiet()
        human.submit("hello there")

        def said() -> list[Said]:
            lines = [json.loads(line) for line in agent.hark.ok("events", "--json").splitlines()]
            heard = [line["data"] for line in lines if line["kind"] == "hook" and line["session_id"] == session]
            return [decode(kind, data["event"], {}).said for data in heard]

        session = agent.hark.session("a")["id"]
        wait_until(lambda: Said.STOPPED in said(), DEADLINE_S, "the stop", lambda: (said(), agent.screen().text))
        assert said()[-2:] == [Said.PROMPT_SUBMITTED, Said.STOPPED]


@pytest.mark.parametrize("is_adopted", [False, True], ids=["started", "adopted"])
@pytest.mark.parametrize("kind", ["claude"])
def test_with_installed_hooks_a_message_is_acknowledged_and_completed(kind: str, is_adopted: bool) -> None:
    with delivering(kind, is_adopted=is_adopted, change=with_installed_hooks) as agent:
        message = agent.send("hello there")
        agent.hark.wait_end(message)

        # The agent may say it before hark has seen the box let go: then there is no receipt for that.
        statuses = [receipt["status"] for receipt in agent.hark.message(message)["receipts"]]
        assert statuses[-2:] == ["acknowledged", "completed"], agent.hark.ok("events")


def add_users_hook(launch: Launch, path: Path, program: str) -> bytes:
    """And in Codex the user has looked at it and trusts it."""
    event = "AfterAgent" if launch.kind == "gemini" else "Stop"
    hook = {"type": "command", "command": f"{shlex.quote(program)} the-user {event}", "timeout": 60}
    settings = json.loads(path.read_bytes()) if path.exists() else {}
    write_json(path, settings | {"hooks": {event: [{"hooks": [hook]}]}})
    if launch.kind == "codex":
        with open(path.with_name("config.toml"), "a") as config:
            config.write(
                f'[hooks.state."{trust.key(str(path), event)}"]\ntrusted_hash = "{trust.checksum(event, hook)}"\n'
            )
    return path.read_bytes()
