"""python -m tests.support.tmux_versions [--parts terminal,keyhold,...] TMUX...

Runs what depends on tmux with each of these programs, and writes what came of it into the table of docs/terminals.md, a cell for each
part. Cells of parts that were not run this time stay as they are. Exits with 1 if anything failed.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.support.chosen_tmux import VARIABLE
from tests.support.safety import read_row, write_section

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/terminals.md"
SECTION = "tmux-versions"
NOTE = "What passed on which version; `scripts/tmux-versions` runs it and writes this table."
FOLDERS = ("terminal", "keyhold", "airlock", "end_to_end")
COMMANDS: dict[str, list[str]] = {
    **{folder: ["-m", "pytest", f"tests/integration/{folder}", "-q", "-p", "no:cacheprovider"] for folder in FOLDERS},
    "holds": ["-m", "tests.integration.keyhold.campaign", "1000", "100"],
}
HEAD = f"| tmux | {' | '.join(COMMANDS)} |"
NOT_RUN = "not run"

_RESULTS = (
    re.compile(r"^tmux \S+: (\d+ holds, \d+ killed daemons, \d+ differences)", re.MULTILINE),
    re.compile(r"^((?:\d+ [a-z]+, )*\d+ [a-z]+) in [\d.]+s", re.MULTILINE),
)


def cell_of(output: str) -> str:
    """What a run of a campaign or of pytest says about its result."""
    for result in _RESULTS:
        if found := result.findall(output):
            return str(found[-1])
    return "broke off"


def merged(row: str | None, version: str, cells: Mapping[str, str]) -> str:
    """The row of a version, with new cells in the place of old ones."""
    old = [cell.strip() for cell in row.strip("| ").split("|")][1:] if row else [NOT_RUN] * len(COMMANDS)
    new = [cells.get(part, cell) for part, cell in zip(COMMANDS, old, strict=True)]
    return f"| {version} | {' | '.join(new)} |"


def version_of(program: str) -> str:
    said = subprocess.run([program, "-V"], capture_output=True, text=True, check=True).stdout
    return said.strip().removeprefix("tmux ")


def run(program: str, part: str) -> tuple[str, bool]:
    """What came of one part, and whether it is well."""
    environment = {**os.environ, VARIABLE: program}
    done = subprocess.run(
        [sys.executable, *COMMANDS[part]], cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=False
    )
    if done.returncode:
        print(done.stdout, file=sys.stderr)
    return cell_of(done.stdout), done.returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(description="Runs the tests of terminals on several tmux.")
    parser.add_argument("--parts", default=",".join(COMMANDS), help="which parts, with commas between them")
    parser.add_argument("programs", nargs="+", metavar="TMUX")
    options = parser.parse_args()
    parts = options.parts.split(",")
    if unknown := set(parts) - set(COMMANDS):
        parser.error(f"there is no part {', '.join(sorted(unknown))}: choose from {', '.join(COMMANDS)}")
    is_all_well = True
    for program in options.programs:
        version = version_of(program)
        for part in parts:
            cell, is_well = run(program, part)
            is_all_well &= is_well
            print(f"| {version} | {part} | {cell} |", flush=True)
            row = merged(read_row(SECTION, version, PAGE), version, {part: cell})
            write_section(SECTION, NOTE, HEAD, version, row, PAGE)
    return 0 if is_all_well else 1


if __name__ == "__main__":
    raise SystemExit(main())
