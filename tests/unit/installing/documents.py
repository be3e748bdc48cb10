"""Settings files as people write them: JSON with comments, trailing commas, any blanks, and hooks of their own."""

from __future__ import annotations

import json
import re
from itertools import cycle
from typing import Any

from hypothesis import strategies as st

from hark.agents.registry import find_agent
from hark.installing.jsonc import parse, value_of

NAMES = st.sampled_from(["model", "permissions", "env", "ä ß", "a//b", "a/*b*/", 'q"q', "hook", ""]) | st.text(
    max_size=4
)
BLANKS = [
    "",
    "",
    " ",
    "\n",
    "\n  ",
    "\n\t\t",
    "\r\n    ",
    "  \n",
    " /* one */ ",
    " // two  \n",
    "\n// three, {[\n  ",
    "/* 4\n 4 */",
]
HOOKS = [
    {"hooks": [{"type": "command", "command": "notify-send done"}]},
    {"matcher": "Bash", "hooks": [{"type": "command", "command": "/opt/their-hark-hook x y"}]},
    {"hooks": [{"type": "command", "command": "hark-hook"}, {"type": "prompt", "prompt": "hark-hook claude Stop"}]},
    {"matcher": "*", "hooks": []},
    {},
]


@st.composite
def texts(draw: st.DrawFn, agent: str) -> str:
    """A document with a root object, whose hooks, if any, have the right shape."""
    root: dict[str, Any] = draw(st.dictionaries(NAMES.filter(lambda name: name != "hooks"), values(), max_size=3))
    if draw(st.booleans()):
        events = st.sampled_from([*find_agent(agent).events, "Other"])
        hooks = draw(st.dictionaries(events, st.lists(st.sampled_from(HOOKS), max_size=2), max_size=3))
        place = draw(st.integers(0, len(root)))
        root = dict([*list(root.items())[:place], ("hooks", hooks), *list(root.items())[place:]])
    mark = draw(st.sampled_from(["", "", "", "\ufeff"]))
    return mark + Writer(
        draw(st.lists(st.sampled_from(BLANKS), min_size=1, max_size=9)), draw(st.integers(1, 5))
    ).document(root)


def values() -> st.SearchStrategy[Any]:
    scalars = (
        st.none() | st.booleans() | st.integers(-9, 10**9) | st.text(max_size=8) | st.sampled_from([0.5, "//", "/*"])
    )
    return st.recursive(
        scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3), max_leaves=6
    )


def comments(text: str) -> list[str]:
    """All that are in it, in order."""
    tokens = re.findall(r'"(?:[^"\\]|\\.)*"|//[^\r\n]*|/\*.*?\*/', text, re.DOTALL)
    return [token for token in tokens if token.startswith("/")]


def value(text: str) -> Any:
    return value_of(text, parse(text))


class Writer:
    """Puts one of its blanks after the other between all tokens, and a comma too many into every so manyth container."""

    def __init__(self, blanks: list[str], every: int) -> None:
        self._blanks = cycle(blanks)
        self._commas = cycle([","] + [""] * (every - 1))

    def document(self, root: object) -> str:
        return self._spaced(root)

    def _spaced(self, one: object) -> str:
        return f"{next(self._blanks)}{self._rendered(one)}{next(self._blanks)}"

    def _rendered(self, one: object) -> str:
        if isinstance(one, dict):
            return "{" + self._joined([self._member(name, inner) for name, inner in one.items()]) + "}"
        if isinstance(one, list):
            return "[" + self._joined([self._spaced(inner) for inner in one]) + "]"
        return json.dumps(one, ensure_ascii=next(self._blanks) == "")

    def _member(self, name: str, inner: object) -> str:
        return f"{next(self._blanks)}{self._rendered(name)}{next(self._blanks)}:{self._spaced(inner)}"

    def _joined(self, children: list[str]) -> str:
        return ",".join(children) + (next(self._commas) if children else "") + next(self._blanks)
