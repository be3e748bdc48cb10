"""python -m tests.integration.repository.fields: write the table of the fields of agents' data files into docs/agents.md, from the structs
that read the files and the words below each field."""

from __future__ import annotations

import ast
import inspect
import textwrap
import types
from collections.abc import Iterator
from dataclasses import MISSING, dataclass
from dataclasses import fields as dataclass_fields
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import msgspec

from hark.agents.kinds import AgentKind

DOCUMENT = Path(__file__).parents[3] / "docs/agents.md"
BEGIN, END = "<!-- fields: written by scripts/fields -->", "<!-- end of the fields -->"


@dataclass(frozen=True)
class Row:
    field: str
    default: str
    words: str


def main() -> None:
    DOCUMENT.write_text(with_table(DOCUMENT.read_text()))


def with_table(text: str) -> str:
    before, _, rest = text.partition(BEGIN)
    return f"{before}{BEGIN}\n{table()}{END}{rest.partition(END)[2]}"


def table() -> str:
    rows = [*rows_of(AgentKind, "", set())]
    lines = ["| field | default | what it says |", "|---|---|---|"]
    lines += [f"| {row.field} | {row.default} | {row.words.replace('|', chr(92) + '|')} |" for row in rows]
    return "\n".join(lines) + "\n"


def rows_of(kind: type, section: str, seen: set[type]) -> Iterator[Row]:
    """The rows of a struct: first its own fields, then those of its sections. The fields of a struct stand in the table once."""
    seen.add(kind)
    words, hints = words_of(kind), get_type_hints(kind)
    sections: list[tuple[str, type]] = []
    for name, default in defaults_of(kind).items():
        if inner := section_of(hints[name]):
            sections.append((name, inner))
        else:
            yield Row(f"`[{section}] {name}`" if section else f"`{name}`", default, words[name])
    for name, inner in sections:
        path = f"{section}.{name}" if section else name
        yield Row(f"`[{path}]`", "", words[name])
        if inner not in seen:
            yield from rows_of(inner, path, seen)


def section_of(hint: Any) -> type | None:
    """The struct that a field holds, if it is a section of the file."""
    kinds = [one for one in (get_args(hint) if get_origin(hint) is types.UnionType else (hint,)) if is_struct(one)]
    return kinds[0] if kinds else None


def is_struct(kind: Any) -> bool:
    return isinstance(kind, type) and (issubclass(kind, msgspec.Struct) or hasattr(kind, "__dataclass_fields__"))


def defaults_of(kind: Any) -> dict[str, str]:
    if issubclass(kind, msgspec.Struct):
        found = msgspec.structs.fields(kind)
        return {one.name: shown(one.default, is_required=one.required) for one in found}
    return {one.name: shown(one.default, is_required=one.default is MISSING) for one in dataclass_fields(kind)}


def shown(default: object, *, is_required: bool) -> str:
    if is_required:
        return "required"
    if default in (None, "", ()):
        return ""
    return f"`{default if isinstance(default, str) else msgspec.json.encode(default).decode()}`"


def words_of(kind: type) -> dict[str, str]:
    """The text below each field of a class, as one line."""
    body = ast.parse(textwrap.dedent(inspect.getsource(kind))).body[0]
    assert isinstance(body, ast.ClassDef)
    found: dict[str, str] = {}
    for field, below in zip(body.body, body.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(below, ast.Expr):
            assert isinstance(below.value, ast.Constant)
            found[field.target.id] = " ".join(str(below.value.value).split())
    return found


if __name__ == "__main__":
    main()
