"""`hark install` and `hark uninstall` of one agent: what would change, and the change itself.

hark keeps a copy of the file from before the change for two reasons: the user has the copy if anything is wrong, and `uninstall` can tell
by it that nobody has changed the file since, and then restores the file as it was.
"""

import difflib
import re
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from hark.agents.registry import find_agent
from hark.installing import files
from hark.installing.hooks import Misshapen
from hark.installing.jsonc import Broken
from hark.installing.places import backup_path, settings_path
from hark.installing.ways import way_of
from hark.model.errors import HarkError


class Change(Struct, frozen=True, kw_only=True):
    agent: str
    path: Path
    before: str | None
    """The text of the file before the change; None if there is no such file."""
    after: str | None
    """The text of the file after the change; None if the file is removed."""
    had_ours: bool
    switched_off: str | None = None
    """The setting by which the user has switched all hooks off; None if there is none."""
    note: str = ""
    """What the user has to do after the change, for people to read."""

    @property
    def backup(self) -> Path:
        return backup_path(self.path)

    @property
    def is_change(self) -> bool:
        return self.before != self.after


def installation(agent: str, environment: Mapping[str, str], program: str) -> Change:
    path, way = settings_path(agent, environment), way_of(agent)
    before = files.read(path)
    try:
        had_ours = any(way.find(before or "", agent))
        after = way.put(before or "", agent, program)
        if before is not None and had_ours and after != before:
            after = way.put(_from_before(agent, path, before) or "", agent, program)
        off = way.switched_off(after, agent)
        note = find_agent(agent).install_note if after != before else ""
        return Change(
            agent=agent, path=path, before=before, after=after, had_ours=had_ours, switched_off=off, note=note
        )
    except (Broken, Misshapen) as wrong:
        raise invalid(path, wrong) from wrong


def removal(agent: str, environment: Mapping[str, str]) -> Change:
    path = settings_path(agent, environment)
    before = files.read(path)
    try:
        had_ours = any(way_of(agent).find(before or "", agent))
        after = _from_before(agent, path, before) if before is not None and had_ours else before
    except (Broken, Misshapen) as wrong:
        raise invalid(path, wrong) from wrong
    return Change(agent=agent, path=path, before=before, after=after, had_ours=had_ours)


def _from_before(agent: str, path: Path, text: str) -> str | None:
    original = files.read(backup_path(path))
    try:
        after = way_of(agent).take(text, agent, original or "")
    except (Broken, Misshapen):
        # The copy cannot be understood, so we go on without it. A text that cannot be understood raises here again.
        return way_of(agent).take(text, agent, None)
    return None if original is None and not after else after


def apply(change: Change) -> None:
    if not change.is_change:
        return
    if files.read(change.path) != change.before:
        raise HarkError("agent-config-invalid", f"{change.path} was changed at this very moment", "try it again")
    if not change.had_ours:
        _back_up(change)
    _write(change)
    if change.had_ours and files.read(change.backup) == change.after:
        files.delete(change.backup)


def diff(change: Change) -> str:
    """Return the change as `diff -u` shows it."""
    old, new = ("/dev/null" if text is None else str(change.path) for text in (change.before, change.after))
    lines = difflib.unified_diff(_lines(change.before), _lines(change.after), old, new)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def invalid(path: Path, wrong: Exception) -> HarkError:
    hint = "nothing was changed; mend the file, then try again"
    return HarkError("agent-config-invalid", f"{path} cannot be understood: {wrong}", hint)


def _back_up(change: Change) -> None:
    if change.before is None:
        files.delete(change.backup)
    else:
        files.copy(change.path, change.backup)


def _write(change: Change) -> None:
    if change.after is None:
        files.delete(change.path.resolve())
    else:
        files.write(change.path, change.after)


def _lines(text: str | None) -> list[str]:
    return re.findall(r"[^\n]*\n|[^\n]+", text or "")
