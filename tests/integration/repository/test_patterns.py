"""What regular expressions of hark may not contain, because some Python that hark runs on misreads it."""

from __future__ import annotations

import ast
import re
import tomllib
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[3]
FILES = [
    path for folder in ("src", "tests") for end in ("py", "toml") for path in (REPOSITORY / folder).rglob(f"*.{end}")
]
_POSSESSIVE = re.compile(r"(?<!\\)(?:\\\\)*(?:[*+?}]\+|\(\?>)")
"""A quantifier with a plus behind it, or an atomic group."""


def texts(path: Path) -> Iterator[str]:
    """Every text in a file that may be a pattern, or a part of one: all constants of a program, all values of a data file."""
    content = path.read_text()
    if not _POSSESSIVE.search(content):
        return
    if path.suffix == ".toml":
        yield from _values(tomllib.loads(content))
        return
    for node in ast.walk(ast.parse(content)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes):
            yield node.value if isinstance(node.value, str) else node.value.decode("latin-1")


def _values(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _values(inner)


def is_misread(text: str) -> bool:
    """Whether the text is a pattern, and has something in it that CPython 3.11.0 to 3.11.4 misread: a match with a possessive
    quantifier or an atomic group can be lost there."""
    if not _POSSESSIVE.search(text):
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(text, re.VERBOSE)
            return True
    except re.error:
        return False


@pytest.mark.parametrize("text", [r"a*+b", r"a++", r"(?:ab)?+", r"[xy]{2,3}+", r"(?>ab|a)b", r"\\*+"])
def test_possessive_quantifiers_and_atomic_groups_are_known(text: str) -> None:
    assert is_misread(text)


@pytest.mark.parametrize("text", [r"a\*+", r"\++", r"a+ +b", "no pattern (", r"a\?+", r"(?:a)+"])
def test_what_only_looks_like_them_is_not_taken_for_them(text: str) -> None:
    assert not is_misread(text)


def test_no_pattern_has_possessive_quantifiers_or_atomic_groups() -> None:
    found = [
        f"{path.relative_to(REPOSITORY)}: {text[:60]!r}"
        for path in FILES
        if path != Path(__file__)
        for text in texts(path)
        if is_misread(text)
    ]

    assert FILES
    assert not found
