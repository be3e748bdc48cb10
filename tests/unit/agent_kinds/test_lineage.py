"""Whose a hook report is, by the processes that it comes from."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hark.agents.kinds import GENERIC, load_kinds
from hark.agents.lineage import Lineage, Process, is_own_editor, may_count, trace

KINDS = load_kinds()
PANE = 100

HOOK = ("/usr/bin/python3", "-ISE", "/run/hark-hook", "claude", "Stop")
SHELL_OF_HOOK = ("/bin/sh", "-c", "/run/hark-hook claude Stop")
CLAUDE = ("claude",)
NODE_CLAUDE = ("node", "--no-warnings", "/lib/node_modules/@anthropic-ai/claude-code/cli.js", "--resume")
TOOL = ("/bin/bash", "-c", "eval 'claude -p hi' && pwd")
BASH = ("-bash",)
AIRLOCK = ("/usr/bin/python3", "/lib/hark/airlock.py", "/run/x.sock", "--", "claude")

Chain = list[tuple[tuple[str, ...], int]]


def lineage(chain: Chain, pane: int = PANE) -> Lineage:
    """Of command lines with their process groups, the hook first and the pane's own process last."""
    numbers = range(PANE + len(chain) - 1, PANE - 1, -1)
    processes = [Process(pid, group, words) for pid, (words, group) in zip(numbers, chain, strict=True)]
    return trace(processes, pane, lambda words: KINDS.recognise(words) != GENERIC)


STORIES: dict[str, tuple[Chain, Lineage]] = {
    "in a shell": ([(HOOK, 2), (SHELL_OF_HOOK, 2), (CLAUDE, 2), (BASH, 1)], Lineage.OWN),
    "as the pane's own process": ([(HOOK, 2), (CLAUDE, 2)], Lineage.OWN),
    "behind an airlock": ([(HOOK, 2), (CLAUDE, 2), (AIRLOCK, 1)], Lineage.OWN),
    "a hook in a group of its own": ([(HOOK, 9), (SHELL_OF_HOOK, 9), (NODE_CLAUDE, 2), (BASH, 1)], Lineage.OWN),
    "a launcher and its program": ([(HOOK, 2), (("codex",), 2), (("node", "/bin/codex"), 2), (BASH, 1)], Lineage.OWN),
    "by npx": (
        [(HOOK, 2), (CLAUDE, 2), (("sh", "-c", "claude"), 2), (("npm exec @anthropic-ai/claude-code",), 2), (BASH, 1)],
        Lineage.OWN,
    ),
    "by a script that is called like the agent": ([(HOOK, 2), (CLAUDE, 2), (("bash", "/bin/claude"), 2)], Lineage.OWN),
    "an agent that nobody knows": ([(HOOK, 2), (("mine",), 2), (BASH, 1)], Lineage.OWN),
    "in a tool's shell": ([(HOOK, 3), (CLAUDE, 3), (TOOL, 3), (CLAUDE, 2), (BASH, 1)], Lineage.NESTED),
    "in a tool's shell that has become it": ([(HOOK, 3), (CLAUDE, 3), (CLAUDE, 2), (BASH, 1)], Lineage.NESTED),
    "in another agent": ([(HOOK, 3), (("codex", "exec"), 3), (TOOL, 3), (NODE_CLAUDE, 2), (BASH, 1)], Lineage.NESTED),
    "two levels down": (
        [(HOOK, 4), (CLAUDE, 4), (TOOL, 4), (CLAUDE, 3), (TOOL, 3), (CLAUDE, 2), (BASH, 1)],
        Lineage.NESTED,
    ),
}


@pytest.mark.parametrize(("chain", "expected"), STORIES.values(), ids=STORIES.keys())
def test_two_agents_between_the_hook_and_the_pane_are_one_too_many(chain: Chain, expected: Lineage) -> None:
    assert lineage(chain) is expected


def test_what_does_not_come_from_the_pane_is_foreign_and_without_processes_nothing_is_known() -> None:
    assert lineage([(HOOK, 2), (CLAUDE, 2)], pane=5) is Lineage.FOREIGN
    assert trace([], PANE, lambda _: True) is Lineage.UNKNOWN


@given(st.lists(st.lists(st.text(max_size=8), max_size=4).map(tuple), min_size=1, max_size=6))
def test_no_command_line_breaks_it(words: list[tuple[str, ...]]) -> None:
    assert lineage([(one, 1) for one in words]) in Lineage


GIT = ("git", "commit")
EDITOR = ("/usr/bin/python3", "/bin/hark-editor", "/tmp/draft.md")
SH = ("/bin/sh", "-c", "hark-editor /tmp/draft.md")

# The editor first; where the editor reads from, and where the agent does; then whether it is the agent's own.
EDITORS: dict[str, tuple[tuple[tuple[str, ...], ...], str | None, str | None, bool]] = {
    "by the agent": ((EDITOR, CLAUDE, BASH), "/dev/pts/1", "/dev/pts/1", True),
    "by the agent's shell": ((EDITOR, SH, NODE_CLAUDE, AIRLOCK), "/dev/pts/1", "/dev/pts/1", True),
    "at the terminal by its other name": ((EDITOR, CLAUDE), "/dev/tty", "/dev/pts/1", True),
    "by git in a tool": ((EDITOR, SH, GIT, TOOL, CLAUDE, BASH), "/dev/null", "/dev/pts/1", False),
    "by git in a tool that has the terminal": ((EDITOR, SH, GIT, TOOL, CLAUDE), "/dev/pts/1", "/dev/pts/1", False),
    "by a tool's shell": ((EDITOR, TOOL, CLAUDE), "/dev/null", "/dev/pts/1", False),
    "by a tool's shell at a terminal of its own": ((EDITOR, TOOL, CLAUDE), "/dev/pts/9", "/dev/pts/1", False),
    "terminals are not told": ((EDITOR, CLAUDE), None, None, True),
    "by an agent that nobody knows": ((EDITOR, ("mine",), BASH), "/dev/pts/1", "/dev/pts/1", True),
    "nothing is told": ((), None, None, True),
}


@pytest.mark.parametrize(("chain", "here", "agents", "is_own"), EDITORS.values(), ids=EDITORS.keys())
def test_an_editor_is_the_agents_own_if_the_agent_opened_it_at_its_terminal(
    chain: tuple[tuple[str, ...], ...], here: str | None, agents: str | None, is_own: bool
) -> None:
    processes = [Process(number, 1, words) for number, words in enumerate(chain)]
    terminal = lambda pid: here if pid == 0 else agents  # noqa: E731

    assert is_own_editor(processes, lambda words: KINDS.recognise(words) != GENERIC, terminal) is is_own


COUNTS = {
    # lineage, named by its pane only, another conversation, at work -> counts
    (Lineage.OWN, True, True, True): True,
    (Lineage.NESTED, True, False, False): False,
    (Lineage.NESTED, False, False, False): False,
    (Lineage.FOREIGN, True, False, False): False,
    (Lineage.FOREIGN, False, False, True): True,
    (Lineage.FOREIGN, False, True, True): False,
    (Lineage.UNKNOWN, True, False, True): True,
    (Lineage.UNKNOWN, True, True, True): False,
    (Lineage.UNKNOWN, True, True, False): True,
}


@pytest.mark.parametrize(("case", "counts"), COUNTS.items(), ids=map(str, COUNTS))
def test_no_second_conversation_takes_over_while_one_is_at_work(
    case: tuple[Lineage, bool, bool, bool], counts: bool
) -> None:
    found, is_by_pane, is_another, is_at_work = case

    assert counts is may_count(
        found,
        is_by_pane=is_by_pane,
        conversation="one",
        reported="two" if is_another else "one",
        is_at_work=is_at_work,
    )


def test_a_conversation_that_is_not_named_is_no_other_one() -> None:
    for conversation, reported in itertools.product(("", "one"), ("", "one")):
        assert may_count(
            Lineage.UNKNOWN, is_by_pane=True, conversation=conversation, reported=reported, is_at_work=True
        )
