"""Remembers what a session has announced, to recognise an announcement that is drawn, read or recorded again.

How hark decides that an announcement is new depends on where it comes from:
  - In the agent's own record every piece of words has a name. An announcement from the record is new if its name is new.
  - On the terminal only words can be compared. Words that were never announced are new. Words that were announced are new only in
    a later turn, and only if they stand in another context than before, or if the terminal shows them more often than they were
    announced. A redraw, a scroll and another window size show the same words in the same context. In the middle of a redraw words may
    stand anywhere, so words that were announced before must be seen twice, a moment apart.
An announcement that comes from the record and from the terminal in the same turn, or in two turns that follow each other, is one.
"""

from collections.abc import Callable, Sequence

from msgspec import Struct, structs

from hark.signals.marker import Marker
from hark.signals.rendered import Sighting, is_same_context

MOST_ANNOUNCED = 200
MOST_NAMES = 400


class Announced(Struct, frozen=True, array_like=True):
    fingerprint: str
    turn: int
    context: str = ""
    by_record: bool = False
    by_terminal: bool = False


class New(Struct, frozen=True):
    marker: Marker
    memory: "Memory"
    """The memory after this announcement and before the next one: the daemon may die between the two."""


class Memory(Struct, frozen=True, kw_only=True):
    turn: int = 0
    """The number of prompts and messages that the agent has received."""
    announced: tuple[Announced, ...] = ()
    """The signals that were announced, the oldest first."""
    names: tuple[str, ...] = ()
    """The names of the pieces of words in the agent's record that hark has read."""
    doubted: tuple[tuple[str, str], ...] = ()
    """Words that were announced before and now stand in another context, with that context: they are new if they still stand in it when
    hark looks again."""
    record: str = ""
    """The path of the agent's record."""
    record_read: int = 0
    """The number of bytes of the agent's record that hark has read."""


def begin_turn(memory: Memory) -> Memory:
    return structs.replace(memory, turn=memory.turn + 1)


def merge_sightings(kept: Sequence[Sighting], seen: Sequence[Sighting]) -> list[Sighting]:
    """Return the sightings of now, and before them the earlier ones whose words are out of sight. For words that are seen now, only
    their context of now counts, because in the middle of a redraw they may have stood anywhere."""
    now = {one.marker.fingerprint for one in seen}
    return [*(one for one in kept if one.marker.fingerprint not in now), *seen]


def is_heard_by_screen_only(memory: Memory) -> bool:
    """True if the session has announced something on its terminal, and the agent's record was never read."""
    return bool(memory.announced) and not memory.names and all(one.by_terminal for one in memory.announced)


def hear_words(memory: Memory, name: str, markers: Sequence[Marker]) -> tuple[Memory, list[New]]:
    """Take in a named piece of words from the agent's record, with the markers in it; return the memory and the markers that are new."""
    if name in memory.names:
        return memory, []
    new: list[New] = []
    for number, marker in enumerate(markers):
        part = f"{name}#{number}"
        if part in memory.names:
            continue
        memory = structs.replace(memory, names=(*memory.names, part))
        counterpart = _find(memory, marker, lambda one: one.by_terminal and not one.by_record)
        if counterpart is None:
            memory = _add(memory, Announced(marker.fingerprint, memory.turn, by_record=True))
            new.append(New(marker, memory))
        else:
            memory = _replace(memory, counterpart, structs.replace(counterpart, by_record=True))
    kept = tuple(one for one in memory.names if not one.startswith(f"{name}#"))
    return structs.replace(memory, names=(*kept, name)[-MOST_NAMES:]), new


def see(memory: Memory, sightings: Sequence[Sighting], *, has_turns: bool) -> tuple[Memory, list[New]]:
    """Take in the markers that the terminal shows now; return the memory and the markers that are new. `has_turns` is True if somebody
    tells hark when a turn begins. If the returned memory has doubted words, the caller should look at the terminal again."""
    new: list[New] = []
    doubted: list[tuple[str, str]] = []
    for number, sighting in enumerate(sightings):
        seen_so_far = [one for one in sightings[: number + 1] if _is_like(one, sighting)]
        after, is_new = _see(memory, sighting, len(seen_so_far), has_turns=has_turns)
        doubt = (sighting.marker.fingerprint, sighting.context)
        if is_new and _is_announced(memory, sighting.marker) and doubt not in memory.doubted:
            doubted.append(doubt)
            continue
        memory = after
        new += [New(sighting.marker, memory)] if is_new else []
    return structs.replace(memory, doubted=tuple(doubted)), new


def count_lines(memory: Memory, sightings: Sequence[Sighting]) -> tuple[Memory, list[New]]:
    """Take in the markers in the scrollback of a program that only prints lines, after nobody has listened for a while. Such a program
    never draws anything again, so a marker that stands there more often than it was announced is new."""
    new: list[New] = []
    for number, sighting in enumerate(sightings):
        fingerprint = sighting.marker.fingerprint
        count = sum(one.marker.fingerprint == fingerprint for one in sightings[: number + 1])
        if count > sum(one.fingerprint == fingerprint for one in memory.announced):
            memory = _add(memory, Announced(fingerprint, memory.turn, sighting.context, by_terminal=True))
            new.append(New(sighting.marker, memory))
    return memory, new


def print_line(memory: Memory, marker: Marker) -> Memory:
    """Record a marker from a program that only prints lines: the marker is new, whatever was printed before."""
    return _add(memory, Announced(marker.fingerprint, memory.turn, by_terminal=True))


def _see(memory: Memory, sighting: Sighting, count: int, *, has_turns: bool) -> tuple[Memory, bool]:
    of_same_words = [one for one in memory.announced if one.fingerprint == sighting.marker.fingerprint]
    counterpart = _find(memory, sighting.marker, lambda one: one.by_record and not one.by_terminal)
    if counterpart is not None:
        seen = structs.replace(counterpart, by_terminal=True, context=sighting.context)
        return _replace(memory, counterpart, seen), False
    if of_same_words and has_turns and of_same_words[-1].turn == memory.turn:
        return memory, False
    alike = [one for one in of_same_words if is_same_context(one.context, sighting.context)]
    if alike and (count <= len(alike) or not has_turns):
        return memory, False
    added = Announced(sighting.marker.fingerprint, memory.turn, sighting.context, by_terminal=True)
    return _add(memory, added), True


def _is_announced(memory: Memory, marker: Marker) -> bool:
    return any(one.fingerprint == marker.fingerprint for one in memory.announced)


def _is_like(one: Sighting, other: Sighting) -> bool:
    return one.marker.fingerprint == other.marker.fingerprint and is_same_context(one.context, other.context)


def _find(memory: Memory, marker: Marker, wanted: Callable[[Announced], bool]) -> Announced | None:
    """Find a fitting announcement of this turn or the turn before: an agent may write its record when the next prompt is already there."""
    fitting = (
        one
        for one in memory.announced
        if one.fingerprint == marker.fingerprint and memory.turn - one.turn <= 1 and wanted(one)
    )
    return next(fitting, None)


def _replace(memory: Memory, old: Announced, new: Announced) -> Memory:
    place = memory.announced.index(old)
    return structs.replace(memory, announced=(*memory.announced[:place], new, *memory.announced[place + 1 :]))


def _add(memory: Memory, announced: Announced) -> Memory:
    return structs.replace(memory, announced=(*memory.announced, announced)[-MOST_ANNOUNCED:])
