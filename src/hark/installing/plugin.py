"""Our plugin for an agent that has no hooks in its settings: a file of our own in its plugin directory that runs `hark-hook`.

The file is ours from its first line to its last. A file of the same name that does not begin with our first line is somebody else's, and
hark refuses to touch it.
"""

import json
import re
from collections.abc import Iterator

from hark.agents.registry import find_agent
from hark.installing.hooks import Misshapen, Ours

_PROGRAM = re.compile(r"^const PROGRAM = (\".*\")$", re.MULTILINE)


def put(text: str, agent: str, program: str) -> str:
    """Return the text of the whole plugin file."""
    if text.strip() and not _is_ours(text, agent):
        raise Misshapen("it is not a file of hark's")
    line = f"const PROGRAM = {json.dumps(program, ensure_ascii=False)}"
    return _PROGRAM.sub(lambda _: line, _template(agent), count=1)


def take(text: str, agent: str, original: str | None = None) -> str:
    return "" if _is_ours(text, agent) else text


def find(text: str, agent: str) -> Iterator[Ours]:
    """Yield one handler for each event that the plugin reports."""
    named = _PROGRAM.search(text) if _is_ours(text, agent) else None
    program = _string(named[1]) if named else ""
    for event in find_agent(agent).events if program else ():
        if f'"{event}"' in text:
            yield Ours(agent=agent, event=event, program=program, path=())


def switched_off(text: str, agent: str) -> str | None:
    """Return None: no agent that takes a plugin has a setting that switches plugins off; OpenCode has an option for one run (`--pure`)."""
    return None


def _is_ours(text: str, agent: str) -> bool:
    return text.partition("\n")[0] == _template(agent).partition("\n")[0]


def _template(agent: str) -> str:
    file = find_agent(agent).plugin
    if file is None:
        raise ValueError(f"hark has no plugin for {agent}")
    return file.read_text(encoding="utf-8")


def _string(text: str) -> str:
    try:
        value = json.loads(text)
    except ValueError:
        return ""
    return value if isinstance(value, str) else ""
