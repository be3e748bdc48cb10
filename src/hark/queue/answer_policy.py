"""The policy: rules of the human's by which hark answers permissions by itself. What no rule decides is left to the human.

    [[rule]]
    answer = "allow"                  # or "deny"
    commands = ["git status", "npm run *", "ls **"]
    agents = ["claude"]               # optional, as are sessions and directories
    sessions = ["build-*"]
    directories = ["/srv/project"]    # this directory and what lies below it

A pattern stands for whole commands, word by word: `*` is exactly one word, `**` at the end is any number of words, and any other word
stands for itself, to the letter. A command is compared only if it is one simple command: plain ASCII words with blanks between them,
in which nothing means anything to a shell but quotes around plain text. Everything else never matches an `allow`: operators, pipes,
redirections, substitutions, variables, globs, comments, newlines, assignments before a command, escapes. A word that `*` stands for is no
option and no assignment, and holds nothing but letters, digits, blanks and `_ @ % + : , . / -`: `git -c core.pager=… log` does not fit
`git * log`, and `make SHELL=…` does not fit `make *`.

A `deny` is the careful side, so it matches more: the pattern may stand for the beginning of a command, anywhere in the line, behind other
programs and inside quotes. A `deny` that fits wins over every `allow`.
"""

import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

import msgspec
from msgspec import Struct

from hark.model.errors import HarkError
from hark.model.question import ALLOW, DENY, Question, QuestionKind

ANY_WORD, ANY_WORDS = "*", "**"
LONGEST_COMMAND = 4096
MOST_RULES, MOST_PATTERNS = 500, 500
_PLAIN = re.compile(r"[A-Za-z0-9_@%+:,./-][A-Za-z0-9_@%+=:,./-]*")
"""A word that means itself in every shell: no quotes, no globs, no expansions, and not an assignment, unless `=` comes later."""
_QUOTED = re.compile(
    r"'([ A-Za-z0-9_@%+=:,./;&|<>(){}\[\]*?~#!\"\\^-]*)'|\"([ A-Za-z0-9_@%+=:,./;&|<>(){}\[\]*?~#'^-]*)\""
)
"""A word in quotes in which nothing is expanded: no `$`, no backtick, and in double quotes no backslash and no `!`."""
_ARGUMENT = re.compile(r"[A-Za-z0-9_%:,./][A-Za-z0-9_@%+:,./ -]*")
"""A word that `*` stands for: programs take what begins with `-`, `+` or `@`, or has a `=` in it, for more than a name."""
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\+?=")
_BORDERS = re.compile(r"[;&|\n\r(){}`<>]|\$\(")
"""Where a shell may begin another command."""
RUNNERS = frozenset(
    {"sudo", "doas", "su", "env", "nice", "nohup", "setsid", "timeout", "time", "xargs", "exec", "eval", "command"}
    | {"builtin", "sh", "bash", "zsh", "dash", "fish", "ksh", "ssh", "watch", "stdbuf", "strace", "unshare", "chroot"}
    | {"source", ".", "trap", "parallel", "script", "flock", "ionice", "taskset", "busybox", "coproc"}
)
"""Programs that run whatever they are given: `*` and `**` never stand for their arguments, and they are never stood for."""


class Rule(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    answer: str
    commands: tuple[str, ...]
    agents: tuple[str, ...] = ()
    """The kinds of agents that the rule is for; empty for all."""
    sessions: tuple[str, ...] = ()
    """The names of sessions that the rule is for, or patterns of names; empty for all."""
    directories: tuple[str, ...] = ()
    """The directories that the rule is for, with all that lies below them; empty for all."""
    message: str = ""
    """What the agent is told beside a `deny`."""


class Policy(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    rule: tuple[Rule, ...] = ()


class Place(Struct, frozen=True, kw_only=True):
    """Where a permission is asked for."""

    agent: str
    session: str
    directory: str
    """The directory in which the command would run, as the agent says; empty if it does not say."""


class Decision(Struct, frozen=True, kw_only=True):
    answer: str
    """`allow` or `deny`."""
    rule: int
    """The number of the rule that has decided, from 1."""
    message: str = ""


def read_policy(table: Mapping[str, Any]) -> Policy:
    """Return the policy that a TOML file holds. Raise `config-invalid` if it is not certain what the file means."""
    try:
        policy = msgspec.convert(table, Policy)
    except msgspec.ValidationError as wrong:
        raise _invalid(str(wrong)) from wrong
    if len(policy.rule) > MOST_RULES:
        raise _invalid(f"a policy has at most {MOST_RULES} rules")
    for number, rule in enumerate(policy.rule, start=1):
        _check_rule(rule, number)
    return policy


def _check_rule(rule: Rule, number: int) -> None:
    if rule.answer not in (ALLOW, DENY):
        raise _invalid(f"rule {number}: answer must be allow or deny")
    if not 0 < len(rule.commands) <= MOST_PATTERNS:
        raise _invalid(f"rule {number}: commands must name 1 to {MOST_PATTERNS} patterns")
    for pattern in rule.commands:
        words = _pattern_words(pattern)
        if words is None or not words:
            raise _invalid(f"rule {number}: {pattern!r} is not a pattern of plain words")
        if ANY_WORDS in words[:-1]:
            raise _invalid(f"rule {number}: ** stands only at the end of a pattern ({pattern!r})")
        if rule.answer == ALLOW and words[0] in (ANY_WORD, ANY_WORDS):
            raise _invalid(f"rule {number}: an allow must name the program ({pattern!r})")
        if (
            rule.answer == ALLOW
            and _program(words[0]) in RUNNERS
            and any(word in (ANY_WORD, ANY_WORDS) for word in words)
        ):
            raise _invalid(
                f"rule {number}: {words[0]} runs whatever it is given, so * cannot stand for that ({pattern!r})"
            )
    for directory in rule.directories:
        if not directory.startswith("/") or "/../" in f"{directory}/":
            raise _invalid(f"rule {number}: {directory!r} is not a whole path")


def decide(policy: Policy, question: Question, place: Place) -> Decision | None:
    """Return what the policy says about a question; None if it leaves the question to the human. Only permissions for whole commands
    are decided."""
    if question.kind is not QuestionKind.PERMISSION or not question.is_command:
        return None
    rules = [(number, rule) for number, rule in enumerate(policy.rule, start=1) if _is_for(rule, place)]
    for number, rule in rules:
        if rule.answer == DENY and any(_may_contain(pattern, question.text) for pattern in rule.commands):
            return Decision(answer=DENY, rule=number, message=rule.message)
    if question.is_cut:
        return None
    for number, rule in rules:
        if rule.answer == ALLOW and any(is_whole_match(pattern, question.text) for pattern in rule.commands):
            return Decision(answer=ALLOW, rule=number)
    return None


def _is_for(rule: Rule, place: Place) -> bool:
    is_agent = not rule.agents or place.agent in rule.agents
    is_session = not rule.sessions or any(fnmatchcase(place.session, pattern) for pattern in rule.sessions)
    return is_agent and is_session and (not rule.directories or _is_below(place.directory, rule.directories))


def _is_below(directory: str, roots: Sequence[str]) -> bool:
    if not directory.startswith("/") or "/../" in f"{directory}/":
        return False
    return any(f"{directory.rstrip('/')}/".startswith(f"{root.rstrip('/')}/") for root in roots)


def is_whole_match(pattern: str, command: str) -> bool:
    """Return True if the command is one simple command, and the pattern stands for all of it."""
    wanted, words = _pattern_words(pattern), simple_words(command)
    if wanted is None or words is None or not words:
        return False
    if wanted[-1] == ANY_WORDS:
        wanted = (*wanted[:-1], *[ANY_WORD] * (len(words) - len(wanted) + 1))
    if len(wanted) != len(words):
        return False
    return all(_stands_for(one, word) for one, word in zip(wanted, words, strict=True))


def _stands_for(wanted: str, word: str) -> bool:
    if wanted == ANY_WORD:
        return _ARGUMENT.fullmatch(word) is not None
    return wanted == word


def simple_words(command: str) -> tuple[str, ...] | None:
    """Return the words of a command if it is one simple command whose words mean themselves; None if it is anything else."""
    if len(command) > LONGEST_COMMAND or not command.isascii():
        return None
    text, words = command.strip(" "), []
    while text:
        found = _PLAIN.match(text) or _QUOTED.match(text)
        if found is None:
            return None
        rest = text[found.end() :]
        if rest and not rest.startswith(" "):
            return None
        quoted = found.re is _QUOTED
        words.append((found[1] if found[1] is not None else found[2]) if quoted else found[0])
        text = rest.lstrip(" ")
    if not words or _ASSIGNMENT.match(words[0]) or not words[0]:
        return None
    return tuple(words)


def _pattern_words(pattern: str) -> tuple[str, ...] | None:
    """Return the words of a pattern; None if a word is neither plain nor a star."""
    words = pattern.split(" ")
    is_plain = [word in (ANY_WORD, ANY_WORDS) or _PLAIN.fullmatch(word) is not None for word in words]
    return tuple(words) if all(is_plain) else None


def _may_contain(pattern: str, command: str) -> bool:
    """Return True if a line could run what the pattern stands for, as a command of its own, behind another program, or hidden in quotes.
    This errs on the side of a match."""
    wanted = _pattern_words(pattern)
    if wanted is None:
        return True
    line = re.sub(r"[\"'\\]", "", command.casefold())
    parts = [part.split() for part in _BORDERS.split(line)]
    fixed = tuple(word.casefold() for word in wanted)
    return any(_fits_at(fixed, part[start:]) for part in parts for start in range(len(part)))


def _fits_at(wanted: tuple[str, ...], words: Sequence[str]) -> bool:
    """Return True if the words begin like the pattern, with the program by its name or by a path."""
    for place, one in enumerate(wanted):
        if one == ANY_WORDS:
            return True
        if place >= len(words):
            return False
        word = _program(words[place]) if place == 0 and "/" not in one else words[place]
        if one != ANY_WORD and one != word:
            return False
    return True


def _program(word: str) -> str:
    return word.rpartition("/")[2]


def _invalid(detail: str) -> HarkError:
    return HarkError("config-invalid", f"answer_policy: {detail}", "see docs/questions.md")
