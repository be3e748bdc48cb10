from __future__ import annotations

from pathlib import Path

import pytest

from hark.agents.native.launch import start
from hark.agents.opencode.native import PASSWORD_VARIABLE

DOOR = Path("/door")

# words, whether anything is added
WORDS = (
    (["codex"], True),
    (["/usr/bin/codex", "-m", "gpt-5", "--sandbox=read-only", "-c", "a=1"], True),
    (["codex", "fix the tests"], True),
    (["codex", "resume", "--last"], True),
    (["codex", "resume", "01a1de8f-757d-7931-a900-9d3fa4f843f3"], True),
    # a command that is not for a terminal, known or not
    (["codex", "exec", "do it"], False),
    (["codex", "--search", "some-new-command"], False),
    (["codex", "-m", "exec", "login"], False),
    # what its app-server does not know, and what says itself where the server is
    (["codex", "-p", "work"], False),
    (["codex", "--oss"], False),
    (["codex", "--remote", "unix://x"], False),
    (["codex", "--something-new"], False),
    (["codex", "-m"], False),
    (["opencode"], True),
    (["opencode", ".", "--continue"], True),
    (["opencode", "/some/project"], True),
    (["opencode", "serve"], False),
    (["opencode", "--port", "4096"], False),
    (["opencode", "--hostname=0.0.0.0"], False),
    (["claude"], False),
)


@pytest.mark.parametrize(("words", "is_changed"), WORDS, ids=[" ".join(words) for words, _ in WORDS])
def test_only_what_is_known_to_start_a_terminal_program_is_added_to(words: list[str], is_changed: bool) -> None:
    begun = start(Path(words[0]).name, words, {}, DOOR, "secret")

    assert (begun.words != tuple(words)) is is_changed
    assert is_changed or begun.environment == {}


def test_codex_starts_behind_its_keeper() -> None:
    begun = start("codex", ["codex", "-m", "gpt-5"], {}, DOOR, "secret")

    assert begun.words[-6:] == ("--socket", "/door/codex.sock", "--", "codex", "-m", "gpt-5")
    assert begun.secret == ""


def test_opencode_listens_on_the_loopback_behind_a_password() -> None:
    begun = start("opencode", ["opencode"], {}, DOOR, "secret")

    assert begun.words == ("opencode", "--port", "0", "--hostname", "127.0.0.1")
    assert begun.environment == {PASSWORD_VARIABLE: "secret"}
    assert begun.secret == "secret"


def test_a_password_that_the_user_has_chosen_is_kept() -> None:
    begun = start("opencode", ["opencode"], {PASSWORD_VARIABLE: "theirs"}, DOOR, "secret")

    assert begun.secret == "theirs"
