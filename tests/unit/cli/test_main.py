import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hark import __version__, paths
from hark.cli.main import NAMES, cli, run
from hark.model.errors import Exit
from tests.unit.cli.canned import CannedServer, refusal

HARK = [sys.executable, "-m", "hark.cli.main"]
DAEMON = [["daemon", name] for name in ("start", "stop", "status", "install")]
HEAVY = {"asyncio", "msgspec", "starlette", "uvicorn", "apsw", "rich", "http.client", "websockets", "subprocess", "ssl"}


def imported(*arguments: str) -> set[str]:
    """Not from -X importtime, which is silent about modules loaded by name."""
    program = f"import sys; from hark.cli.main import run; run({list(arguments)!r}); print('modules', *sys.modules)"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    return set(done.stdout.splitlines()[-1].split())


@pytest.mark.parametrize("arguments", [[], *[[name] for name in NAMES], *DAEMON], ids=" ".join)
def test_every_command_explains_itself_with_an_example(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*arguments, "--help"]) == Exit.OK

    assert "Example:\n" in capsys.readouterr().out


def test_the_table_of_commands_is_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    context = cli.make_context("hark", ["--version"], resilient_parsing=True)

    assert all(cli.get_command(context, name) for name in NAMES)
    run(["--help"])
    assert set(NAMES) <= set(capsys.readouterr().out.split())


def test_help_imports_no_command() -> None:
    loaded = imported("--help")

    assert {name for name in loaded if name.startswith("hark.cli.")} == {"hark.cli.main"}
    assert not loaded & HEAVY


@pytest.mark.parametrize(
    "arguments",
    [
        ("send", "--help"),
        ("send", "backend", "text"),  # up to the point where there is no daemon
    ],
)
def test_sending_imports_nothing_heavy(arguments: tuple[str, ...]) -> None:
    loaded = imported(*arguments)

    assert "hark.cli.messages.send" in loaded
    assert not loaded & HEAVY


def test_both_names_say_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == Exit.OK
    assert capsys.readouterr().out == f"hark {__version__}\n"

    assert run(["version", "--json"]) == Exit.OK
    assert json.loads(capsys.readouterr().out)["version"] == __version__


@pytest.mark.parametrize(
    ("arguments", "detail"),
    [
        ([], "Usage: hark"),
        (["sned"], "did you mean send?"),
        (["frobnicate"], "there is no command 'frobnicate'"),
        (["ls", "--nonsense"], "No such option"),
        (["daemon"], "Missing command"),
        (["output", "backend", "-n", "0"], "Invalid value for '-n'"),
        (["rename", "backend", "not a name"], "cannot be a session name"),
        (["completion", "tcsh"], "Invalid value"),
    ],
)
def test_usage_errors_say_what_is_wrong(arguments: list[str], detail: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(arguments) == Exit.USAGE

    shown = capsys.readouterr()
    assert shown.out == ""
    assert detail in shown.err


def test_an_error_is_a_sentence_and_a_hint(
    serve: Callable[..., CannedServer], capsys: pytest.CaptureFixture[str]
) -> None:
    serve(refusal("session-not-found", 404, "no session 'x'", "did you mean y?"))

    assert run(["kill", "x"]) == Exit.NOT_FOUND

    assert capsys.readouterr().err == "hark: no session 'x'\n  hint: did you mean y?\n"


def test_with_json_an_error_is_the_problem_object(
    serve: Callable[..., CannedServer], capsys: pytest.CaptureFixture[str]
) -> None:
    serve(refusal("session-not-found", 404, "no session 'x'", "did you mean y?"))

    assert run(["kill", "x", "--json"]) == Exit.NOT_FOUND

    shown = capsys.readouterr()
    assert shown.out == ""
    assert json.loads(shown.err) == {
        "type": "about:blank",
        "title": "session not found",
        "status": 404,
        "detail": "no session 'x'",
        "code": "session-not-found",
        "hint": "did you mean y?",
    }


def test_what_nobody_expected_is_one_line_unless_one_asks_for_more() -> None:
    paths.log_path().mkdir(parents=True)  # a directory where a file should be

    plain = subprocess.run([*HARK, "logs"], capture_output=True, text=True, timeout=60, check=False)
    debug = subprocess.run(
        [*HARK, "logs"], capture_output=True, text=True, timeout=60, check=False, env=os.environ | {"HARK_DEBUG": "1"}
    )

    assert plain.returncode == Exit.FAILURE
    assert plain.stderr.splitlines()[0].startswith("hark: unexpected IsADirectoryError")
    assert "Traceback" not in plain.stderr
    assert "Traceback" in debug.stderr


@pytest.fixture
def log(home: Path) -> Path:
    paths.make_private(paths.state_dir())
    paths.log_path().write_text("line\n" * 100_000)
    return paths.log_path()


def test_a_reader_that_has_seen_enough_is_no_error(log: Path) -> None:
    command = [*HARK, "logs", "-n", "100000"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()

        assert process.stderr.read() == b""
        assert process.wait(timeout=60) == Exit.FAILURE


def test_an_interrupted_command_says_so_by_its_exit_code(log: Path) -> None:
    command = [*HARK, "logs", "-f", "-n", "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.send_signal(signal.SIGINT)

        assert process.stderr.read().strip() == b""
        assert process.wait(timeout=60) == Exit.INTERRUPTED
