"""Typed ids, and the rules by which a name, an id or a prefix of either finds one session."""

import difflib
import re
from collections.abc import Container, Iterable
from fnmatch import fnmatchcase
from typing import NewType

from hark.model.errors import HarkError
from hark.model.text.names import check_not_reserved, shorten

SessionId = NewType("SessionId", str)
MessageId = NewType("MessageId", str)
ReminderId = NewType("ReminderId", str)
QuestionId = NewType("QuestionId", str)

SESSION_ID_LENGTH = 8
MESSAGE_ID_LENGTH = 12
FEWEST_ID_DIGITS = 4
"""The fewest digits that a prefix must have to be taken for the beginning of a session's id."""

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./@+-]{0,63}")


def check_name(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise HarkError(
            "name-invalid",
            f"{shorten(name)!r} cannot be a session name",
            "use 1 to 64 letters, digits and . _ - / @ +, starting with a letter, a digit or _",
        )
    check_not_reserved(name)
    return name


def is_group(wanted: str) -> bool:
    """Return True for several names with commas between them, or for a pattern: neither can be the name of a session."""
    return any(character in wanted for character in ",*?[")


def find_group(
    wanted: str,
    named: Iterable[tuple[SessionId, str]],
    sender: SessionId | None = None,
    used_names: Container[str] = frozenset(),
) -> list[SessionId]:
    """Return every session that the text names, each once, in the order of the text. A pattern means every session that it fits
    except the sender. Raise `session-not-found` for a pattern that fits nobody and for a name that nobody has."""
    pairs = list(named)
    found: dict[SessionId, None] = {}
    for part in (part.strip() for part in wanted.split(",")):
        if not part:
            continue
        if not is_group(part):
            found[find_session(part, pairs, used_names)] = None
            continue
        hits = [session_id for session_id, name in pairs if session_id != sender and fnmatchcase(name, part)]
        if not hits:
            raise HarkError("session-not-found", f"no session fits {part!r}", "`hark ls` shows the sessions there are")
        found.update(dict.fromkeys(hits))
    if not found:
        raise HarkError(
            "session-not-found", "the request names no session", "name one, or several with commas between them"
        )
    return list(found)


def find_session(
    wanted: str, named: Iterable[tuple[SessionId, str]], used_names: Container[str] = frozenset()
) -> SessionId:
    """Return the session with exactly this id or name; otherwise the only session whose id or name begins with the text. A prefix
    of an id has at least four digits and is not in `used_names`: ids are random, and somebody who types the former name of a
    session does not mean the session whose id happens to begin like that name."""
    pairs = list(named)
    for session_id, name in pairs:
        if wanted in (session_id, name):
            return session_id
    may_be_id = len(wanted) >= FEWEST_ID_DIGITS and wanted not in used_names
    hits = [(i, n) for i, n in pairs if wanted and (n.startswith(wanted) or (may_be_id and i.startswith(wanted)))]
    if len(hits) == 1:
        return hits[0][0]
    if hits:
        names = ", ".join(f"{n} ({i})" for i, n in hits[:8])
        raise HarkError("session-ambiguous", f"{wanted!r} fits {len(hits)} sessions: {names}", "type more of the name")
    near = difflib.get_close_matches(wanted, [n for _, n in pairs], n=3, cutoff=0.5)
    hint = f"did you mean {', '.join(near)}?" if near else "`hark ls` shows the sessions there are"
    raise HarkError("session-not-found", f"no session {wanted!r}", hint)
