import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hark.cli.main import run
from hark.model.errors import Exit
from tests.unit.cli.canned import CannedServer, answer
from tests.unit.cli.samples import pending, session

Serve = Callable[..., CannedServer]


def complete(*words: str) -> list[str]:
    """What the shell is offered for the last word."""
    environment = os.environ | {
        "_HARK_COMPLETE": "bash_complete",
        "COMP_WORDS": " ".join(["hark", *words]),
        "COMP_CWORD": str(len(words)),
    }
    environment.pop("HARK_NO_AUTOSTART")
    command = [sys.executable, "-m", "hark.cli.main"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.stderr == ""
    return [line.removeprefix("plain,") for line in done.stdout.splitlines() if line]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_for_both_names(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["completion", shell]) == Exit.OK

    script = capsys.readouterr().out
    assert "_HARK_COMPLETE" in script
    assert "_SM_COMPLETE" in script


def test_bash_takes_the_script(capsys: pytest.CaptureFixture[str]) -> None:
    bash = shutil.which("bash")
    assert bash
    run(["completion", "bash"])

    script = capsys.readouterr().out + "complete -p hark sm"
    done = subprocess.run([bash, "--norc"], input=script, capture_output=True, text=True, timeout=60, check=True)

    assert done.stdout.splitlines() == [
        "complete -o nosort -F _hark_completion hark",
        "complete -o nosort -F _sm_completion sm",
    ]


def test_commands_complete() -> None:
    assert complete("se") == ["send", "serve"]


def test_session_names_complete_live(serve: Serve) -> None:
    serve(answer({"sessions": [session(name="backend"), session(name="bench"), session(name="web")]}))

    assert complete("attach", "be") == ["bench"]


def test_message_ids_complete_from_the_queues_that_are_not_empty(serve: Serve) -> None:
    sessions = [session(id="aaaa", pending_count=0), session(id="bbbb", pending_count=2)]
    queue = {"pending_messages": [pending(id="4f1c"), pending(id="77aa")]}
    server = serve(answer({"sessions": sessions}), answer(queue))

    assert complete("cancel", "4") == ["4f1c"]
    assert server.requests[1].line.startswith("GET /sessions/bbbb/send-queue ")


def test_without_a_daemon_nothing_is_offered_and_none_is_started(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started = home / "started"
    monkeypatch.setenv("HARK_SERVE_COMMAND", f"sh -c 'touch {started}'")

    assert complete("attach", "") == []
    assert not started.exists()
