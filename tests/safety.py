"""docs/safety.md: tables of what campaigns have found, each row written by the command that found it."""

from __future__ import annotations

from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs/safety.md"
TITLE = "# What was tried to break it\n"


def write_section(name: str, note: str, head: str, key: str, row: str) -> None:
    """Puts a row into the section's table, in the place of the one that begins with the same key."""
    page = PAGE.read_text() if PAGE.exists() else TITLE
    begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
    if begin not in page:
        rule = "|" + "---|" * (head.count("|") - 1)
        page += f"\n{begin}{note}\n\n{head}\n{rule}\n{end}"
    before, _, rest = page.partition(begin)
    section, _, after = rest.partition(end)
    rows = [line for line in section.splitlines() if not line.startswith(f"| {key} |")]
    PAGE.write_text(before + begin + "\n".join([*rows, row]) + "\n" + end + after)
