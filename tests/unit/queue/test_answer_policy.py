"""The policy: what it allows, what it denies, and that no trick of a shell passes for a simple command."""

import shlex
import subprocess
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hark.model.errors import HarkError
from hark.model.ids import QuestionId, SessionId
from hark.model.question import Question, QuestionKind
from hark.queue.answer_policy import Decision, Place, decide, is_whole_match, read_policy, simple_words

HERE = Place(agent="claude", session="build-1", directory="/srv/project")


def question(command: str, **fields: Any) -> Question:
    known: dict[str, Any] = {"kind": QuestionKind.PERMISSION, "is_command": True}
    return Question(
        id=QuestionId("q"),
        session_id=SessionId("s"),
        text=command,
        asked_at=datetime(2026, 1, 1, tzinfo=UTC),
        **(known | fields),
    )


def answer(command: str, *rules: dict[str, Any], place: Place = HERE, **fields: Any) -> str | None:
    found = decide(read_policy({"rule": list(rules)}), question(command, **fields), place)
    return found.answer if found else None


def allow(*commands: str, **fields: Any) -> dict[str, Any]:
    return {"answer": "allow", "commands": list(commands), **fields}


def deny(*commands: str, **fields: Any) -> dict[str, Any]:
    return {"answer": "deny", "commands": list(commands), **fields}


# A pattern, a command, and whether the pattern stands for the whole command.
MATCHES: list[tuple[str, str, bool]] = [
    ("git status", "git status", True),
    ("git status", "  git   status ", True),
    ("git status", "git 'status'", True),
    ("git status", 'git "status"', True),
    ("git status", "git status -s", False),
    ("git status", "git", False),
    ("git status", "GIT status", False),
    ("npm run *", "npm run build", True),
    ("npm run *", "npm run", False),
    ("npm run *", "npm run build now", False),
    ("git add **", "git add", True),
    ("git add **", "git add a b/c.py d", True),
    ("git commit -m *", "git commit -m 'a few words'", True),
    # An option is never what a star stands for.
    ("git log *", "git log --output=/etc/passwd", False),
    ("git * log", "git -c log", False),
    ("git log **", "git log -p", False),
    ("git log", "git -c core.pager=touch\\ x log", False),
    ("git log", "git -c core.pager='touch x' log", False),
    ("git log", "git --exec-path=/tmp/evil log", False),
    ("make *", "make SHELL=/tmp/evil", False),
    ("make *", "make @file", False),
    ("vim *", "vim +:!touch", False),
    ("ls *", "ls ''", False),
    # Another command behind, before or within the first.
    ("ls **", "ls; rm x", False),
    ("ls **", "ls;rm x", False),
    ("ls **", "ls && rm x", False),
    ("ls **", "ls || rm x", False),
    ("ls **", "ls | sh", False),
    ("ls **", "ls |& sh", False),
    ("ls **", "ls & rm x", False),
    ("ls **", "ls\nrm x", False),
    ("ls **", "ls\r\nrm x", False),
    ("ls **", "ls\trm", False),
    ("ls **", "ls \\\nrm x", False),
    ("ls **", "ls $(rm x)", False),
    ("ls **", 'ls "$(rm x)"', False),
    ("ls **", "ls `rm x`", False),
    ("ls **", 'ls "`rm x`"', False),
    ("ls **", "ls <(rm x)", False),
    ("ls **", "ls >(rm x)", False),
    ("ls **", "(ls)", False),
    ("ls **", "{ ls; }", False),
    ("ls **", "! ls", False),
    # Redirections and here-documents.
    ("ls **", "ls > x", False),
    ("ls **", "ls >x", False),
    ("ls **", "ls 2>x", False),
    ("ls **", "ls >> x", False),
    ("ls **", "ls < x", False),
    ("cat **", "cat <<EOF\nx\nEOF", False),
    ("cat **", "cat <<< x", False),
    # Expansions.
    ("ls **", "ls $HOME", False),
    ("ls **", "ls ${x}", False),
    ("ls **", 'ls "$x"', False),
    ("ls **", "ls ~", False),
    ("ls **", "ls *", False),
    ("ls **", "ls a?", False),
    ("ls **", "ls [ab]", False),
    ("ls **", "ls {a,b}", False),
    ("ls **", "ls $'\\x3b'", False),
    ("ls **", "ls !!", False),
    ("ls **", "ls #x", False),
    ("ls **", "=ls", False),
    # Programs around the program.
    ("ls **", "X=1 ls", False),
    ("ls **", "PATH=/tmp ls", False),
    ("ls **", "env X=1 ls", False),
    ("ls **", "sudo ls", False),
    ("ls **", "'X=1' ls", False),
    ("ls **", "/tmp/ls", False),
    ("ls **", "./ls", False),
    # Quotes that glue or hide.
    ("ls **", "l's'", False),
    ("ls **", "ls 'a'b", False),
    ("ls **", "ls 'a", False),
    ("ls **", "'ls; rm x'", False),
    ("ls **", "ls '; rm x'", False),
    ("ls **", r"l\s", False),
    # Letters that only look the same, and characters that nobody sees.
    ("ls **", "lѕ", False),
    ("ls **", "ls\u00a0x", False),
    ("ls **", "ls \u200bx", False),
    ("ls **", "ls \u202ex", False),
    ("ls **", "ｌｓ", False),
    ("ls **", "ls\x00x", False),
    ("ls **", "ls \x1b[2K", False),
    ("ls **", "ls " + "a" * 5000, False),
    ("ls **", "", False),
]


@pytest.mark.parametrize(("pattern", "command", "is_match"), MATCHES)
def test_a_pattern_stands_for_a_whole_simple_command(pattern: str, command: str, is_match: bool) -> None:
    assert is_whole_match(pattern, command) is is_match
    assert answer(command, allow(pattern)) == ("allow" if is_match else None)


NASTY = st.sampled_from(list(";&|<>()$`\\\"'\n\r\t*?[]{}!#~^=\0\x1b\x7f\u00a0\u200b\u202e\u2028;｜"))
SIMPLE = st.text("abcxyzABC0189_./:,%", min_size=1, max_size=8)


@given(st.lists(SIMPLE, max_size=4), NASTY, st.text(max_size=10), st.integers(min_value=0, max_value=20))
def test_a_command_with_anything_else_in_it_unquoted_is_never_allowed(
    words: list[str], nasty: str, after: str, place: int
) -> None:
    line = " ".join(["ls", *words])
    place = min(place, len(line))
    command = line[:place] + nasty + after + line[place:]
    assume("'" not in command and '"' not in command)

    assert answer(command, allow("ls **", "ls", "ls *")) is None


@given(st.text(max_size=60))
def test_what_counts_as_simple_words_is_what_a_shell_makes_of_it(command: str) -> None:
    words = simple_words(command)

    if words is not None:
        assert list(words) == shlex.split(command)
        assert words[0]
        assert command.isascii()


TRICKY = st.text("ab '\"\\$`;&|<>(){}*?~#!=\n-", min_size=1, max_size=14)


@given(TRICKY)
def test_a_real_shell_sees_one_command_with_the_same_words(command: str) -> None:
    words = simple_words(f"ls {command}")

    if words is None:
        return
    # Two programs that are not there cannot be run by accident: the words are only printed.
    printed = subprocess.run(
        ["sh", "-c", f'ls() {{ printf "%s\\0" ls "$@"; }}; ls {command}'],
        capture_output=True,
        check=True,
        cwd="/",
        env={},
        timeout=20,
    )
    assert printed.stdout.decode().split("\0")[:-1] == list(words)


@given(st.lists(SIMPLE, min_size=1, max_size=4))
def test_plain_words_are_allowed_by_their_own_pattern(words: list[str]) -> None:
    command = " ".join(words)

    assert is_whole_match(command, command)


def test_a_rule_is_for_the_agents_sessions_and_directories_that_it_names() -> None:
    rule = allow("ls", agents=["claude"], sessions=["build-*"], directories=["/srv/project/"])

    assert answer("ls", rule) == "allow"
    assert answer("ls", rule, place=Place(agent="codex", session="build-1", directory="/srv/project")) is None
    assert answer("ls", rule, place=Place(agent="claude", session="other", directory="/srv/project")) is None
    for directory, expected in (
        ("/srv/project/a/b", "allow"),
        ("/srv/project2", None),
        ("/srv", None),
        ("/srv/project/../secret", None),
        ("/srv/project/..", None),
        ("srv/project", None),
        ("", None),
    ):
        assert answer("ls", rule, place=Place(agent="claude", session="build-1", directory=directory)) == expected


def test_what_no_rule_decides_is_left_to_the_human() -> None:
    assert answer("ls") is None
    assert answer("rm x", allow("ls")) is None
    assert answer("ls", allow("ls"), is_command=False) is None
    assert answer("ls", allow("ls"), is_cut=True) is None
    assert answer("ls", allow("ls"), kind=QuestionKind.CHOICE) is None


# Commands that a rule which denies `rm -rf` and `git push **` must see.
DENIED = [
    "rm -rf x",
    "rm -rf",
    "/bin/rm -rf x",
    "sudo rm -rf x",
    "X=1 rm -rf x",
    "ls; rm -rf x",
    "ls && rm  -rf  x",
    "ls | xargs rm -rf",
    "$(rm -rf x)",
    "`rm -rf x`",
    "(rm -rf x)",
    "sh -c 'rm -rf x'",
    "r\\m -rf x",
    "'rm' -rf x",
    "ls\nrm -rf x",
    "RM -rf x",
    "git push",
    "cd x && git push origin main",
]


@pytest.mark.parametrize("command", DENIED)
def test_a_deny_sees_through_what_stands_around_a_command_and_wins(command: str) -> None:
    rules = (allow("rm **", "git push **", "ls **"), deny("rm -rf", "git push **", message="not here"))

    found = decide(read_policy({"rule": list(rules)}), question(command), HERE)

    assert found == Decision(answer="deny", rule=2, message="not here")


@pytest.mark.parametrize("command", ["rm x", "git pull", "echo rmdir -rf", "trim -rf x"])
def test_a_deny_leaves_other_commands_to_the_human(command: str) -> None:
    assert answer(command, deny("rm -rf", "git push **")) is None


@pytest.mark.parametrize(
    "table",
    [
        {"rules": []},
        {"rule": [{"answer": "allow"}]},
        {"rule": [allow()]},
        {"rule": [allow("ls", when="now")]},
        {"rule": [{"answer": "perhaps", "commands": ["ls"]}]},
        {"rule": [allow("")]},
        {"rule": [allow("ls; rm")]},
        {"rule": [allow("ls  -l")]},
        {"rule": [allow("lѕ")]},
        {"rule": [allow("** ls")]},
        {"rule": [allow("git ** log")]},
        {"rule": [allow("*")]},
        {"rule": [allow("sudo *")]},
        {"rule": [allow("env **")]},
        {"rule": [allow("/usr/bin/bash *")]},
        {"rule": [allow("ls", directories=["project"])]},
        {"rule": [allow("ls", directories=["/srv/../etc"])]},
    ],
)
def test_a_policy_that_could_mean_something_else_is_refused(table: dict[str, Any]) -> None:
    with pytest.raises(HarkError) as refused:
        read_policy(table)

    assert refused.value.code == "config-invalid"
