from collections.abc import Callable
from pathlib import Path

import click
import pytest

from hark.cli.main import run
from hark.cli.starting_agents.new import existing_directory
from hark.environment import session_environment
from hark.model.errors import Exit
from tests.unit.cli.canned import CannedServer, answer
from tests.unit.cli.samples import session


def test_an_agent_gets_the_callers_environment_but_not_the_callers_terminal() -> None:
    kept = {"PATH": "/bin", "LANG": "C.UTF-8", "TERMINFO": "/t", "HARKEN": "1", "COLORTERM": "truecolor"}
    left_out = {
        "TMUX": "/s,1,0",
        "TMUX_PANE": "%1",
        "HARK_SESSION": "x",
        "HARK_HOME": "/h",
        "TERM": "xterm",
        "TERM_PROGRAM": "tmux",
        "TERM_PROGRAM_VERSION": "3.4",
        "COLUMNS": "80",
        "LINES": "24",
        "PWD": "/",
        "OLDPWD": "/",
        "SHLVL": "1",
        "_": "/bin/hark",
        "CLAUDECODE": "1",
        "GEMINI_CLI": "1",
    }

    assert session_environment(kept | left_out) == kept


# the caller's editors, and the agent's: ours gives way to the human's own, which it stands for
EDITORS: tuple[tuple[dict[str, str], dict[str, str]], ...] = (
    ({"EDITOR": "vi"}, {"EDITOR": "vi"}),
    ({"EDITOR": "/v/bin/hark-editor", "HARK_EDITOR": "emacs -nw"}, {"EDITOR": "emacs -nw"}),
    ({"EDITOR": "/v/bin/hark-editor", "VISUAL": "/v/bin/hark-editor"}, {}),
)


@pytest.mark.parametrize(("callers", "agents"), EDITORS)
def test_an_agent_that_an_agent_starts_has_the_humans_editor(callers: dict[str, str], agents: dict[str, str]) -> None:
    assert session_environment(callers) == agents


def test_what_json_cannot_carry_stays_behind() -> None:
    assert session_environment({"A": "\udcff", "\udcff": "b", "C": "ü"}) == {"C": "ü"}


def test_a_directory_is_absolute_and_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path)

    assert existing_directory(None) == str(tmp_path)
    assert existing_directory("sub") == str(tmp_path / "sub")
    with pytest.raises(click.UsageError, match="is not a directory"):
        existing_directory("nowhere")


def test_options_after_the_command_belong_to_the_command(
    serve: Callable[..., CannedServer], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server = serve(answer(session(), 201))

    code = run(["new", "-n", "backend", "-C", str(tmp_path), "-L", "mine", "./agent", "-n", "5", "--json"])

    assert code == Exit.OK
    assert capsys.readouterr().out == "backend 5e551011\n"
    body = server.requests[0].body
    assert body.pop("environment")["PATH"]
    assert body == {
        "command": ["./agent", "-n", "5", "--json"],
        "name": "backend",
        "directory": str(tmp_path),
        "socket_name": "mine",
    }


@pytest.mark.parametrize(
    "arguments",
    [
        ["new", "-n", "not a name", "--", "sh"],
        ["new", "-C", "/nonexistent", "--", "sh"],
        ["new", "-L", "a", "-S", "/b", "--", "sh"],  # two servers
    ],
)
def test_bad_input_is_a_usage_error_without_a_daemon(arguments: list[str]) -> None:
    assert run(arguments) == Exit.USAGE
