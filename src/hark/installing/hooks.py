"""Our hooks in an agent's own settings: `put` writes them into the text, `take` takes them out, and `find` recognises them there.

Several agents have settings of the same shape: `hooks` → event → groups → `hooks` → handlers with a `command`. Each agent's folder says
how its handlers differ (`HookEntries`). The handlers that run `hark-hook AGENT EVENT` are ours; nothing else is touched. `put` is idempotent; `take` gives the text from before,
to the byte, if it is told what that text was and nobody has changed anything since.
"""

import json
import re
import shlex
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from hark.agents.installation import HookEntries, HookGroups
from hark.agents.registry import find_agent
from hark.installing.edit import append, remove
from hark.installing.jsonc import Node, member, parse, value_of

PROGRAM = "hark-hook"
WAIT = "Wait"
MARK = "HARK_HOOKS"
"""The environment variable of sessions that were started with hooks of their own: in these sessions the installed hooks do nothing."""
EMPTY = "{}\n"
_GUARD = f'[ -n "${MARK}" ] || '

Path = tuple[tuple[Node, int], ...]
"""The way from the root to a node: each container on the way, with the number of its child through which the way goes."""


class Misshapen(Exception):
    """The text is JSON, but not the settings of an agent."""


class Ours(Struct, frozen=True):
    """A handler that runs `hark-hook`."""

    agent: str
    event: str
    program: str
    path: Path


def subscribed(agent: str) -> list[str]:
    """Return the events that an agent's hooks subscribe to."""
    known = find_agent(agent)
    left_out = known.entries.left_out if known.entries else ()
    return [event for event in known.events if event not in left_out]


def handler(agent: str, event: str, program: str, *, is_installed: bool = False) -> dict[str, Any]:
    """Return the settings of a handler that runs `hark-hook` at this event. In a session with hooks of its own, an installed handler
    leaves the report to those."""
    entries = _entries_of(agent)
    line = f"{_GUARD if is_installed else ''}{shlex.quote(program)} {agent} {event}"
    beside = {"async": True} if event in entries.beside else {}
    timeout = entries.timeouts.get(event, entries.timeout)
    return {**entries.fields, "type": "command", "command": line, "timeout": timeout} | beside


def groups(agent: str, program: str, *, has_waiter: bool = False) -> HookGroups:
    """Return all hooks for one run of an agent. With `has_waiter`, a hook also waits for messages while the agent is idle, if the agent
    can be woken so."""
    found: HookGroups = {event: [{"hooks": [handler(agent, event, program)]}] for event in subscribed(agent)}
    entries = _entries_of(agent)
    if has_waiter and entries.waiter is not None:
        line = f"{shlex.quote(program)} {agent} {WAIT}"
        for event in entries.waits_from:
            found[event].append({"hooks": [{"type": "command", "command": line, **entries.waiter}]})
    return found


def put(text: str, agent: str, program: str) -> str:
    """Return the text with each of our hooks in it once; the same text if they are already in it."""
    if _is_put(text, agent, program):
        return text
    text = take(text, agent)
    text = text if text.strip() else EMPTY
    for event in subscribed(agent):
        text = _put_event(text, event, {"hooks": [handler(agent, event, program, is_installed=True)]})
    return text


def take(text: str, agent: str, original: str | None = None) -> str:
    """Return the text without our hooks, and without the containers that would be empty without them.

    `original` is the text from before our hooks were put in, if that is known; it counts only if nothing else has changed since."""
    programs = {ours.program for ours in find(text, agent)}
    if original is not None and len(programs) == 1 and put(original, agent, programs.pop()) == text:
        return original
    while ours := next(find(text, agent), None):
        text = remove(text, *_outermost(text, ours.path))
    return text


def find(text: str, agent: str) -> Iterator[Ours]:
    """Yield our handlers, in their order in the text."""
    for event, path, node in _handlers(text):
        command = member(node, "command")
        words = _words(text, command.value) if command else []
        if len(words) == 3 and words[0].rpartition("/")[2] == PROGRAM and words[1] == agent:
            yield Ours(agent=agent, event=event, program=words[0], path=path)


def switched_off(text: str, agent: str) -> str | None:
    """Return the setting by which the user has switched off all hooks; None if the hooks are on."""
    settings = value_of(text, _root(text)) if text.strip() else {}
    switch = _entries_of(agent).off_switch
    for name in switch.path if switch else ():
        settings = settings.get(name) if isinstance(settings, dict) else None
    return ".".join(switch.path) if switch and settings is switch.value else None


def _entries_of(agent: str) -> HookEntries:
    entries = find_agent(agent).entries
    if entries is None:
        raise ValueError(f"{agent} has no hooks in its settings")
    return entries


def _is_put(text: str, agent: str, program: str) -> bool:
    found = {ours.event: value_of(text, _at(ours.path)) for ours in find(text, agent)}
    return len(found) == len(list(find(text, agent))) and found == {
        event: handler(agent, event, program, is_installed=True) for event in subscribed(agent)
    }


def _put_event(text: str, event: str, group: dict[str, Any]) -> str:
    root = _root(text)
    hooks = member(root, "hooks")
    if hooks is None:
        return append(text, root, {event: [group]}, "hooks")
    there = member(_expect(hooks.value, "hooks", is_object=True), event)
    if there is None:
        return append(text, hooks.value, [group], event)
    return append(text, _expect(there.value, f"hooks.{event}", is_object=False), group)


def _root(text: str) -> Node:
    return _expect(parse(text), "it", is_object=True)


def _expect(node: Node, what: str, *, is_object: bool) -> Node:
    if node.children is None or node.is_object is not is_object:
        raise Misshapen(f"{what} is not an {'object' if is_object else 'array'}")
    return node


def _handlers(text: str) -> Iterator[tuple[str, Path, Node]]:
    if not text.strip():
        return
    root = _root(text)
    for at_hooks in _named(root, "hooks"):
        hooks = _at((at_hooks,))
        for number, event in enumerate(hooks.children or ()):
            for place in range(len(event.value.children or ())):
                for at_handlers in _named(_at(((event.value, place),)), "hooks"):
                    inner = _at((at_handlers,))
                    for last, one in enumerate(inner.children or ()):
                        path = (at_hooks, (hooks, number), (event.value, place), at_handlers, (inner, last))
                        yield event.name, path, one.value


def _named(node: Node, name: str) -> list[tuple[Node, int]]:
    found = member(node, name)
    return [(node, (node.children or ()).index(found))] if found else []


def _at(path: Path) -> Node:
    container, number = path[-1]
    return (container.children or ())[number].value


def _words(text: str, node: Node) -> list[str]:
    """Return the words of a command of hark's without its guard; no words for any other command."""
    try:
        line = json.loads(text[node.start : node.end])
        return shlex.split(line.removeprefix(_GUARD)) if isinstance(line, str) and PROGRAM in line else []
    except ValueError:
        return []


def _outermost(text: str, path: Path) -> tuple[Node, int]:
    """Return the place of the largest node on the way to our handler that holds nothing but that handler. The largest possible node is a
    child of the root."""
    chosen = path[-1]
    for container, number in reversed(path[:-1]):
        child, inner = (container.children or ())[number], (chosen[0].children or ())[chosen[1]]
        around = text[child.start : inner.start] + text[inner.end : child.end]
        if len(chosen[0].children or ()) != 1 or _has_comment(around):
            break
        chosen = (container, number)
    return chosen


def _has_comment(text: str) -> bool:
    """Return True if the text around a child holds a comment, and not only brackets, blanks, a comma and the name of the child."""
    return re.fullmatch(r'("(?:[^"\\]|\\.)*"\s*:)?[\s,\[\]{}]*', text) is None
