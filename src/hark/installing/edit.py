"""Small changes of a JSON text: one more child at the end of a container, or one child less.

Everything but the child itself stays to the byte, and taking out what was just put in gives the text from before (except
the blanks in a container that was empty). Two rules make that so. A new child goes behind everything that stands on the
line of the last child, comments too, so that the blanks before the new child belong to it. If the last child has no comma, a comma is
put right behind it, and that comma goes when the new child goes.
"""

import json
import re
from typing import Any

from msgspec import Struct

from hark.installing.jsonc import Node

_COMMENT = re.compile(r"//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_COMMENTS_ON_THE_LINE = re.compile(r"(?:[ \t]*(?:/\*(?:(?!\*/)[^\r\n])*\*/|//[^\r\n]*))+")


class Layout(Struct, frozen=True):
    """The way in which the children of a container are laid out in the text."""

    newline: str | None
    """The line break and the blanks that go before a child; None if all children stand on one line."""
    closing: str
    """The text that goes before the closing bracket of a container that was empty."""
    unit: str


def append(text: str, container: Node, value: Any, name: str | None = None) -> str:
    """Return the text with one more child in the container. `name` is the child's name if the container is an object."""
    layout = _layout(text, container)
    child = _render(value, name, layout)
    if not container.children:
        return _fill(text, container, child, layout)
    gap, last = layout.newline or " ", container.children[-1]
    if last.comma is not None:
        place = _behind_comments(text, last.comma + 1)
        return text[:place] + gap + child + "," + text[place:]
    place = _behind_comments(text, last.end)
    return text[: last.end] + "," + text[last.end : place] + gap + child + text[place:]


def remove(text: str, container: Node, number: int) -> str:
    """Return the text without the child of that number. Comments stay, wherever they are."""
    children = container.children or ()
    child, before = children[number], children[number - 1] if number else None
    has_comma = child.comma is not None
    rest = text[child.end : child.comma] + text[child.comma + 1 :] if child.comma is not None else text[child.end :]
    edge = container.start + 1 if before is None else before.end if before.comma is None else before.comma + 1
    start = _start_of_blanks(text, edge, child.start, rest)
    if len(children) == 1 and start == edge:
        rest = rest.lstrip(" \t\r\n")
    if before is not None and before.comma is not None and not has_comma:
        return text[: before.comma] + text[before.comma + 1 : start] + rest
    return text[:start] + rest


def _start_of_blanks(text: str, edge: int, end: int, rest: str) -> int:
    """Return the position at which the blanks before a child begin. Blanks behind a line comment do not count if nothing else would end
    the comment's line."""
    comments = list(_COMMENT.finditer(text, edge, end))
    if not comments:
        return edge
    ends_a_line = re.match(r"\r?\n", rest) is not None
    is_line_comment = comments[-1][0].startswith("//")
    return end if is_line_comment and not ends_a_line else comments[-1].end()


def _fill(text: str, container: Node, child: str, layout: Layout) -> str:
    """Return the text with a first child in the container, behind the container's comments if it has some."""
    comments = list(_COMMENT.finditer(text, container.start + 1, container.end - 1))
    place = comments[-1].end() if comments else container.start + 1
    blanks = text[place : container.end - 1]
    ending = blanks if "\n" in blanks else layout.closing
    return text[:place] + (layout.newline or "") + child + ending + text[container.end - 1 :]


def _render(value: Any, name: str | None, layout: Layout) -> str:
    label = "" if name is None else f"{json.dumps(name, ensure_ascii=False)}: "
    if layout.newline is None:
        return label + json.dumps(value, ensure_ascii=False)
    return label + json.dumps(value, ensure_ascii=False, indent=layout.unit).replace("\n", layout.newline)


def _layout(text: str, container: Node) -> Layout:
    unit = _indent_unit(text)
    if not _is_spread(text, container):
        return Layout(newline=None, closing="", unit=unit)
    closing = ("\r\n" if "\r\n" in text else "\n") + _margin(text, container.start)
    return Layout(newline=closing + unit, closing=closing, unit=unit)


def _is_spread(text: str, container: Node) -> bool:
    """Return True if the container is written over several lines. An empty container is treated like the rest of the text."""
    if not container.children:
        return "\n" in text or not text[: container.start].strip()
    edges = [container.start + 1, *(child.end for child in container.children)]
    starts = [*(child.start for child in container.children), container.end - 1]
    return any("\n" in text[edge:start] for edge, start in zip(edges, starts, strict=True))


def _margin(text: str, position: int) -> str:
    """Return the blanks with which the line of this position begins."""
    line = text[text.rfind("\n", 0, position) + 1 : position]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _indent_unit(text: str) -> str:
    """Return the indent of the first line that has one; two blanks if no line has an indent."""
    found = re.search(r"\n([ \t]+)[^ \t\r\n/*]", text)
    return found[1] if found else "  "


def _behind_comments(text: str, position: int) -> int:
    """Return the position behind the comments on the same line, but before the blanks after them."""
    found = _COMMENTS_ON_THE_LINE.match(text, position)
    return found.end() if found else position
