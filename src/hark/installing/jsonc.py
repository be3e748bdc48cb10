"""JSON with comments and trailing commas, as a tree that knows where everything stands in the text.

Agents' settings are files that people write: hark makes its changes in the text itself, so that comments, order
and indentation stay as they are. So a node holds positions in the text; `value_of` makes a value from a node when somebody needs one.
"""

import json
import re
from typing import Any

from msgspec import Struct

_TRIVIA = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)+", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_SCALAR = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null")
_BYTE_ORDER_MARK = "\ufeff"


class Broken(Exception):
    """The text is not JSON, not even with comments."""

    def __init__(self, text: str, position: int, wanted: str) -> None:
        line = text.count("\n", 0, position) + 1
        column = position - text.rfind("\n", 0, position)
        super().__init__(f"line {line}, column {column}: {wanted}")


class Node(Struct, frozen=True):
    start: int
    end: int
    children: tuple["Child", ...] | None = None
    """The children of an object or an array; None for every other value."""
    is_object: bool = False


class Child(Struct, frozen=True):
    """An element of an array, or a member of an object. A member begins with its name."""

    start: int
    value: Node
    name: str = ""
    comma: int | None = None
    """The position of the comma after the child; None if there is no comma."""

    @property
    def end(self) -> int:
        return self.value.end


def parse(text: str) -> Node:
    """Return the root of the text's tree. Raise `Broken` also for a text that holds nothing but blanks and comments: it has no root."""
    try:
        return _Parser(text).document()
    except RecursionError:
        raise Broken(text, 0, "it is nested too deeply") from None


def member(node: Node, name: str) -> Child | None:
    """Return the last member of that name, because readers of JSON take the last one too; None if there is no such member."""
    found = [child for child in node.children or () if child.name == name] if node.is_object else []
    return found[-1] if found else None


def value_of(text: str, node: Node) -> Any:
    if node.children is None:
        return json.loads(text[node.start : node.end])
    if node.is_object:
        return {child.name: value_of(text, child.value) for child in node.children}
    return [value_of(text, child.value) for child in node.children]


def skip_trivia(text: str, position: int) -> int:
    """Return the position behind blanks and comments."""
    found = _TRIVIA.match(text, position)
    return found.end() if found else position


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = len(_BYTE_ORDER_MARK) if text.startswith(_BYTE_ORDER_MARK) else 0

    def document(self) -> Node:
        self._skip()
        root = self._value()
        self._skip()
        if self._at != len(self._text):
            raise Broken(self._text, self._at, "something follows the end")
        return root

    def _value(self) -> Node:
        start = self._at
        if self._next("{"):
            return self._container(start, "}")
        if self._next("["):
            return self._container(start, "]")
        self._token(_STRING if self._text.startswith('"', start) else _SCALAR, "a value is missing here")
        return Node(start, self._at)

    def _container(self, start: int, closing: str) -> Node:
        children: list[Child] = []
        self._skip()
        while not self._next(closing):
            if children and children[-1].comma is None:
                raise Broken(self._text, self._at, f"a comma or {closing!r} is missing here")
            children.append(self._child(is_member=closing == "}"))
        return Node(start, self._at, tuple(children), is_object=closing == "}")

    def _child(self, *, is_member: bool) -> Child:
        start, name = self._at, ""
        if is_member:
            name = json.loads(self._token(_STRING, "a name in quotes is missing here"))
            self._skip()
            if not self._next(":"):
                raise Broken(self._text, self._at, "a colon is missing here")
            self._skip()
        value = self._value()
        self._skip()
        comma = self._at if self._text.startswith(",", self._at) else None
        self._next(",")
        self._skip()
        return Child(start, value, name, comma)

    def _token(self, pattern: re.Pattern[str], wanted: str) -> str:
        found = pattern.match(self._text, self._at)
        if not found:
            raise Broken(self._text, self._at, wanted)
        try:
            json.loads(found[0])
        except ValueError:
            raise Broken(self._text, self._at, "this string has an escape that JSON does not know") from None
        self._at = found.end()
        return found[0]

    def _next(self, character: str) -> bool:
        is_next = self._text.startswith(character, self._at)
        self._at += is_next
        return is_next

    def _skip(self) -> None:
        self._at = skip_trivia(self._text, self._at)
