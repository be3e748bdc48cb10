"""What the README says is true: commands, options, targets, links, exit codes, and the session of its first minute."""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from hark.cli.main import NAMES, cli
from hark.model.errors import Exit
from tests.support.terminals import clean_environment, wait_until

ROOT = Path(__file__).resolve().parents[3]
README = (ROOT / "README.md").read_text()
SPAN = re.compile(r"`([^`\n]+)`")
OPTION = re.compile(r"(?<![\w$<-])(--?[A-Za-z][\w-]*)")
HARK = re.compile(r"\bhark ([a-z][a-z-]*)")


def section(title: str) -> str:
    return README.split(f"\n## {title}\n")[1].split("\n## ")[0]


def rows() -> list[str]:
    """The rows of the table of commands."""
    return [line for line in section("Commands").splitlines() if line.startswith("| `hark")]


def console_lines() -> list[str]:
    blocks = re.findall(r"```console\n(.*?)```", README, re.DOTALL)
    return [line.removeprefix("$ ") for block in blocks for line in block.splitlines() if line.startswith("$ ")]


def spans(text: str) -> list[str]:
    return SPAN.findall(re.sub(r"```.*?```", "", text, flags=re.DOTALL))


def command(name: str) -> click.Command:
    found = cli.get_command(click.Context(cli), name)
    assert found, f"there is no command {name}"
    return found


def declared(name: str) -> list[click.Option]:
    """The options of a command and of its own commands."""
    found = command(name)
    parts = [found, *(found.commands.values() if isinstance(found, click.Group) else ())]
    return [one for part in parts for one in part.params if isinstance(one, click.Option)]


def spellings(option: click.Option) -> set[str]:
    return {*option.opts, *option.secondary_opts}


def options(name: str) -> set[str]:
    return {"-h", "--help"}.union(*(spellings(one) for one in declared(name)))


def own_words(line: str) -> str:
    """The part of a command line that is for hark itself: not a comment, not the command that hark starts, no text in quotes."""
    return re.sub(r"\"[^\"]*\"", "", line.split("#")[0]).split(" -- ")[0]


def test_the_table_has_every_command_and_no_other() -> None:
    named = [name for row in rows() for name in HARK.findall(row.split(" | ")[0])]

    assert sorted(named) == sorted(NAMES)


def test_the_table_names_every_command_of_the_daemon() -> None:
    [named] = re.findall(r"`hark daemon ([a-z\\|]+)`", section("Commands"))
    daemon = command("daemon")

    assert isinstance(daemon, click.Group)
    assert set(named.split("\\|")) == set(daemon.commands)


LEFT_OUT = {"--json", "--print"}
"""Options that the table need not name: one of nearly every command, and one that only shows a file."""


@pytest.mark.parametrize("row", rows(), ids=lambda row: HARK.findall(row)[0])
def test_the_table_names_every_option_and_no_other(row: str) -> None:
    names = HARK.findall(row.split(" | ")[0])
    named = {option for span in spans(row) for option in OPTION.findall(span)}
    wanted = [one for name in names for one in declared(name) if not one.hidden and not spellings(one) & LEFT_OUT]

    assert named <= set().union(*(options(name) for name in names))
    assert [one.opts for one in wanted if not spellings(one) & named] == []


@pytest.mark.parametrize("line", [*console_lines(), *(span for span in spans(README) if span.startswith("hark "))])
def test_every_command_line_is_one_that_hark_knows(line: str) -> None:
    words = own_words(line.replace("\\|", "|"))
    for name in HARK.findall(words):
        assert set(OPTION.findall(words)) <= options(name)


def test_options_that_are_named_alone_exist_somewhere() -> None:
    alone = {
        option for span in spans(README) if span.startswith("-") and "<[" not in span for option in OPTION.findall(span)
    }

    assert alone <= set().union(*(options(name) for name in NAMES))


def test_every_target_and_script_exists() -> None:
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = {name for text in (*console_lines(), *spans(README)) for name in re.findall(r"\bmake (\w+)", text)}
    scripts = {name for text in console_lines() for name in re.findall(r"\bscripts/(\S+)", text)}

    assert named == targets
    assert all((ROOT / "scripts" / name).is_file() for name in scripts)


def test_every_link_leads_somewhere() -> None:
    assert [link for link in re.findall(r"\]\(([^)#]+)", README) if not (ROOT / link).exists()] == []
    assert "](docs/storm.png)" in README


def test_the_exit_codes_are_all_there_are() -> None:
    [told] = re.findall(r"^Exit codes: (.*?)\.", README, re.MULTILINE)

    assert [int(code) for code in re.findall(r"\d+", told)] == sorted({int(code) for code in Exit})


@pytest.fixture
def home() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="hk", dir="/tmp") as made:
        yield Path(made)
        shell("hark kill reviewer; hark daemon stop", Path(made))


def shell(line: str, home: Path) -> str:
    programs = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    variables = clean_environment() | {"HARK_HOME": str(home), "PATH": programs}
    done = subprocess.run(
        ["sh", "-c", line],
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=60,
    )
    return done.stdout.decode()


def normal(text: str) -> list[str]:
    """Without what differs from run to run: ids, times, and the widths of columns that hold them."""
    for pattern, instead in (
        (r"\b[0-9a-f]{12}\b|\b[0-9a-f]{8}\b", "ID"),
        (r"\d{4}-\d\d-\d\d", "DATE"),
        (r"\d\d:\d\d:\d\d", "TIME"),
        (r"\b[\d.]+m?s\b", "AGE"),
        (r" +", " "),
    ):
        text = re.sub(pattern, instead, text)
    return [line.strip() for line in text.splitlines() if line.strip()]


def wait_for_input_box(home: Path) -> None:
    """As a person waits who sees that the agent is still starting."""
    wait_until(lambda: "❯" in shell("hark output reviewer", home), 30, "the input box of the demo agent")


def test_the_first_minute_is_what_really_happens(home: Path) -> None:
    [block] = re.findall(r"```console\n(.*?)```", section("60 seconds"), re.DOTALL)
    message = ""
    for step in block.split("$ ")[1:]:
        line, told = step.split("\n", 1)
        shown = shell(re.sub(r"\b[0-9a-f]{12}\b", message, line), home)

        assert normal(shown) == normal(told), line
        wait_for_input_box(home)
        message = "".join(re.findall(r"^queued ([0-9a-f]{12})", shown)) or message


@pytest.mark.parametrize("protocol", ["hark, airlock", "hark, adopted"])
def test_the_readme_promises_what_the_typist_storm_has_shown(protocol: str) -> None:
    """The numbers of the README are the sums of the rows in docs/storm.md; a new storm must be told here too."""
    table = (ROOT / "docs/storm.md").read_text().split("## Killing")[0]
    cells = [
        [cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines() if line.startswith("| hark,")
    ]
    measured = [[int(row[number]) for number in (3, 2, 10, 9)] for row in cells if row[0] == protocol]
    exact, messages, exact_prompts, prompts = (sum(column) for column in zip(*measured, strict=True))

    words = " ".join(README.split())
    shown = f"{exact} of {messages} messages and {exact_prompts} of {prompts}"

    assert shown in words
