"""Screens as drawings. `‸` stands before the cell of the cursor, dim text stands between `⟦` and `⟧`; both take no room.

`draw_box` is a renderer of its own: it lays out a draft as agents do, so that what is read back can be compared with what
was drawn.
"""

from textwrap import dedent

import msgspec
from wcwidth import wcwidth

from hark.agents.kinds import load_kinds
from hark.delivery.screen.capture import Screen, parse_rows

KINDS = load_kinds()
DEMO, CLAUDE, GENERIC = (KINDS.get(name).box for name in ("demo", "claude", "generic"))
CURSOR = "‸"
_DIM = {"⟦": "\x1b[2m", "⟧": "\x1b[0m"}


def screen(drawing: str, columns: int = 40, in_mode: bool = False, is_cursor_visible: bool = True) -> Screen:
    lines = dedent(drawing).strip("\n").split("\n")
    [(y, before)] = [(y, line.partition(CURSOR)[0]) for y, line in enumerate(lines) if CURSOR in line]
    for mark, sequence in _DIM.items():
        lines = [line.replace(mark, sequence) for line in lines]
        before = before.replace(mark, "")
    return Screen(
        rows=parse_rows([line.replace(CURSOR, "") for line in lines]),
        columns=columns,
        cursor_x=sum(max(wcwidth(character), 0) for character in before),
        cursor_y=y,
        in_mode=in_mode,
        is_cursor_visible=is_cursor_visible,
    )


def tall(seen: Screen) -> Screen:
    """With room for the message."""
    return msgspec.structs.replace(seen, rows=parse_rows([*seen.rows.lines, *[""] * 20]))


def draw_box(draft: str, cursor: int, columns: int = 24, prompt: str = "❯ ", rule: str = "─" * 24) -> Screen:
    """Rules around the draft, hard wraps, two columns before every row; without a rule only blank rows follow."""
    rows, cursor_at = [prompt], (0, 2)
    x = 2
    for index, character in enumerate([*draft, ""]):
        width = wcwidth(character) if character not in ("", "\n") else 1
        if x + width > columns:
            rows.append("  ")
            x = 2
        if index == cursor:
            cursor_at = (len(rows) - 1, x)
        if character == "\n":
            rows.append("  ")
            x = 2
        else:
            rows[-1] += character
            x += width
    above = ["answer to an earlier prompt", rule] if rule else ["an answer"]
    below = [rule, "  footer"] if rule else ["", ""]
    y, x = cursor_at
    lines = parse_rows([*above, *rows, *below])
    return Screen(rows=lines, columns=columns, cursor_x=x, cursor_y=len(above) + y)
