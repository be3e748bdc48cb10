"""Our plugin for OpenCode, which has no hooks in its settings: a file of our own in its plugin directory that runs `hark-hook`.

The file is ours from its first line to its last. A file of the same name that does not begin with our first line is somebody else's, and
hark refuses to touch it.
"""

import json
import re
from collections.abc import Iterator
from importlib import resources

from hark.agents.registry import find_agent
from hark.installing.hooks import Misshapen, Ours

AGENT = "opencode"
_PROGRAM = re.compile(r"^const PROGRAM = (\".*\")$", re.MULTILINE)


def put(text: str, agent: str, program: str) -> str:
    """Return the text of the whole plugin file."""
    if text.strip() and not _is_ours(text):
        raise Misshapen("it is not a file of hark's")
    line = f"const PROGRAM = {json.dumps(program, ensure_ascii=False)}"
    return _PROGRAM.sub(lambda _: line, _template(), count=1)


def take(text: str, agent: str, original: str | None = None) -> str:
    return "" if _is_ours(text) else text


def find(text: str, agent: str) -> Iterator[Ours]:
    """Yield one handler for each event that the plugin reports."""
    named = _PROGRAM.search(text) if _is_ours(text) else None
    program = _string(named[1]) if named else ""
    for event in find_agent(AGENT).events if program else ():
        if f'"{event}"' in text:
            yield Ours(agent=AGENT, event=event, program=program, path=())


def switched_off(text: str, agent: str) -> str | None:
    """Return None: OpenCode has no setting that switches plugins off, only the option `--pure`, for one run."""
    return None


def _is_ours(text: str) -> bool:
    return text.partition("\n")[0] == _template().partition("\n")[0]


def _template() -> str:
    return (resources.files("hark.installing") / "opencode.js").read_text(encoding="utf-8")


def _string(text: str) -> str:
    try:
        value = json.loads(text)
    except ValueError:
        return ""
    return value if isinstance(value, str) else ""
