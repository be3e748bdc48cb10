"""What has changed between two captures, and whose change it was.

The shortest edit script of Myers (O(ND)) says what is equal, deleted and inserted. The changed region around our text in the
second capture tells three things apart: the `original` that was there before, the `gap` that was typed before our text, and what
was typed `after` our text.

Two texts that have nothing to do with each other still share letters: so an equal run of less than four characters does not end a
region. Equal text at both ends is skipped first, so that only the box is compared, and not the whole screen. A middle part with
too many changes counts as replaced whole. Both bound the time, because a human's keys are held meanwhile.
"""

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

SHORTEST_EQUAL = 4
MOST_EDITS = 200
"""The largest number of edits to search for in one block of rows. This many edits take a few hundredths of a second, of the two seconds
for which keys are held."""
_FIRST_NAME = 0xE000
_OURS = "\ue0fa"
"""The character that stands for our text while captures are compared: so no letter of our text counts as one that was there before."""

Kind = Literal["equal", "delete", "insert"]


class Edit(Struct, frozen=True):
    kind: Kind
    text: str


class Change(Struct, frozen=True, kw_only=True):
    original: str
    gap: str
    after: str

    @property
    def is_clean(self) -> bool:
        """True if nobody typed between our clearing of the box and our text, nor behind our text."""
        return not self.gap and not self.after

    @property
    def text_to_restore(self) -> str:
        return self.original + self.gap + self.after


def find(before: str, after: str, text: str) -> Change | None:
    """Return the change around our text, or None if our text is not in the second capture. The last occurrence is ours."""
    at = after.rfind(text)
    if at < 0 or not text:
        return None
    # A box that has shrunk leaves more blank rows at the end of a screen: these rows say nothing.
    rest = after[at + len(text) :].rstrip("\n")
    script = edits(before.rstrip("\n").replace(_OURS, " "), after[:at].replace(_OURS, " ") + _OURS + rest)
    for deleted, inserted in _regions(script):
        if _OURS in inserted:
            gap, _, behind = inserted.partition(_OURS)
            return Change(original=deleted, gap=gap, after=behind)
    raise AssertionError("what was not there before has been inserted")


def is_continued(before: str, after: str) -> bool:
    """Return whether the second text is the first one with something typed into it, in one place."""
    prefix = _common_prefix(before, after)
    suffix = _common_prefix(before[::-1], after[::-1])
    return bool(before) and prefix + suffix >= len(before)


def edits(before: str, after: str) -> list[Edit]:
    """Return the equal, deleted and inserted runs that lead from one text to the other, in order. Whole rows are compared first, then
    the characters of the changed rows: so the newline of one row never counts as that of another, and the time depends on the rows."""
    names: dict[str, str] = {}
    old, new = (_named(text, names) for text in (before, after))
    rows = {name: row for row, name in names.items()}
    script: list[Edit] = []
    deleted = inserted = ""
    for run in [*_compare(old, new), Edit("equal", "")]:
        text = "".join(rows[name] for name in run.text)
        if run.kind != "equal":
            deleted, inserted = (deleted + text, inserted) if run.kind == "delete" else (deleted, inserted + text)
            continue
        script += [*_compare(deleted, inserted), Edit("equal", text)]
        deleted = inserted = ""
    return _merged(script)


def _named(text: str, names: dict[str, str]) -> str:
    """Return a text with one character for every row, the same character for equal rows."""
    return "".join(names.setdefault(row, chr(_FIRST_NAME + len(names))) for row in text.splitlines(keepends=True))


def _merged(script: list[Edit]) -> list[Edit]:
    """Return the runs without empty ones, and with neighbours of one kind joined."""
    runs: list[Edit] = []
    for edit in script:
        if runs and edit.text and runs[-1].kind == edit.kind:
            edit = Edit(edit.kind, runs.pop().text + edit.text)
        runs += [edit] if edit.text else []
    return runs


def _compare(before: str, after: str) -> list[Edit]:
    prefix = _common_prefix(before, after)
    suffix = _common_prefix(before[prefix:][::-1], after[prefix:][::-1])
    old, new = before[prefix : len(before) - suffix], after[prefix : len(after) - suffix]
    runs = [Edit("equal", before[:prefix]), *_middle(old, new), Edit("equal", before[len(before) - suffix :])]
    return [run for run in runs if run.text]


def _regions(script: list[Edit]) -> Iterator[tuple[str, str]]:
    """Yield what was deleted and what was inserted between every two equal runs that are long enough."""
    deleted = inserted = ""
    for index, edit in enumerate(script):
        if edit.kind == "equal" and _ends_region(script, index):
            yield deleted, inserted
            deleted = inserted = ""
        else:
            deleted += edit.text if edit.kind != "insert" else ""
            inserted += edit.text if edit.kind != "delete" else ""
    yield deleted, inserted


def _ends_region(script: list[Edit], index: int) -> bool:
    """Return whether an equal run ends a region. At either end of the captures a short run does so too, because there is nothing on its
    other side to join."""
    return len(script[index].text) >= SHORTEST_EQUAL or index in (0, len(script) - 1)


def _middle(old: str, new: str) -> list[Edit]:
    if set(old).isdisjoint(new):
        return [Edit("delete", old), Edit("insert", new)]
    rounds = _search(old, new)
    if rounds is None:
        return [Edit("delete", old), Edit("insert", new)]
    return _joined(_walk_back(rounds, old, new))


def _search(old: str, new: str) -> list[dict[int, int]] | None:
    """Return the furthest point on every diagonal, round by round, or None if there are too many edits."""
    furthest = {1: 0}
    rounds: list[dict[int, int]] = []
    for edit_count in range(min(len(old) + len(new), MOST_EDITS) + 1):
        rounds.append(dict(furthest))
        for diagonal in range(-edit_count, edit_count + 1, 2):
            x = _step(furthest, diagonal, edit_count)
            while x < len(old) and 0 <= x - diagonal < len(new) and old[x] == new[x - diagonal]:
                x += 1
            furthest[diagonal] = x
            if x >= len(old) and x - diagonal >= len(new):
                return rounds
    return None


def _step(furthest: dict[int, int], diagonal: int, edit_count: int) -> int:
    """Return the next point on a diagonal: an insertion comes from the diagonal above, a deletion from the one below."""
    if _is_insertion(furthest, diagonal, edit_count):
        return furthest[diagonal + 1]
    return furthest[diagonal - 1] + 1


def _is_insertion(furthest: dict[int, int], diagonal: int, edit_count: int) -> bool:
    return diagonal == -edit_count or (diagonal != edit_count and furthest[diagonal - 1] < furthest[diagonal + 1])


def _walk_back(rounds: list[dict[int, int]], old: str, new: str) -> Iterator[Edit]:
    """Yield the edits from the end to the start, one character at a time."""
    x, y = len(old), len(new)
    for edit_count in range(len(rounds) - 1, -1, -1):
        is_insertion = _is_insertion(rounds[edit_count], x - y, edit_count)
        came_to = _step(rounds[edit_count], x - y, edit_count)
        while x > came_to:
            x, y = x - 1, y - 1
            yield Edit("equal", old[x])
        if edit_count == 0:
            return
        if is_insertion:
            y -= 1
            yield Edit("insert", new[y])
        else:
            x -= 1
            yield Edit("delete", old[x])


def _joined(backwards: Iterator[Edit]) -> list[Edit]:
    runs: list[tuple[Kind, list[str]]] = []
    for edit in reversed(list(backwards)):
        if not runs or runs[-1][0] != edit.kind:
            runs.append((edit.kind, []))
        runs[-1][1].append(edit.text)
    return [Edit(kind, "".join(texts)) for kind, texts in runs]


def _common_prefix(one: str, other: str) -> int:
    shorter = min(len(one), len(other))
    if one[:shorter] == other[:shorter]:
        return shorter
    low, high = 0, shorter
    while low < high:
        middle = (low + high + 1) // 2
        if one[:middle] == other[:middle]:
            low = middle
        else:
            high = middle - 1
    return low
