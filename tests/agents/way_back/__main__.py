"""python -m tests.agents.way_back [--agents A,B] [--only WORDS] [--write]: see `trial`. Exit status 1 if any write did harm."""

from __future__ import annotations

import argparse
import signal
import sys

from tests.agents.way_back.situations import SITUATIONS
from tests.agents.way_back.trial import ALL, Finding, Situation, measure, writes_of
from tests.support.safety import write_section

HEAD = "| agent | situation | " + " | ".join(write.name for write in ALL) + " |"
NOTE = """\
## The keys of the way back, in every dialog

Whoever holds the human's keys takes our text out of the box and brings the draft back without a look at the screen. `scripts/way-back`
brings real agents into their dialogs, menus and modes, makes each of those writes (300 Backspaces, 300 Deletes, …, a draft full of
digits, letters and commands pasted at once and character by character), and writes this table. Nothing may ever be `ran`, `answered`,
`submitted` or `quit`. `inert`: the screen is as before; `changed`: something on the screen is not; `text in its field`: the paste
stands in a text field of the dialog, unsent; `emptied`: the box, or a field, is empty; `closed`: a menu or a popup is gone; `–`: the
way back of this agent has no such write."""


def main() -> int:
    options = read_options()
    # A run that is told to end takes its agents with it.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    findings = [
        run(kind, situation, options.write)
        for kind in options.agents.split(",")
        for situation in SITUATIONS[kind]
        if options.only in situation.name
    ]
    for finding in findings:
        print(row(finding))
    return 1 if any(finding.harms for finding in findings) else 0


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="way-back", description=__doc__)
    parser.add_argument(
        "--agents", default=",".join(SITUATIONS), help="which agents, with commas between them (%(default)s)"
    )
    parser.add_argument("--only", default="", help="only situations whose name has these words in it")
    parser.add_argument("--write", action="store_true", help="put the results into docs/safety.md")
    return parser.parse_args()


def run(kind: str, situation: Situation, write: bool) -> Finding:
    try:
        finding = measure(kind, situation)
    except AssertionError as what:
        finding = Finding(
            kind, situation.name, dict.fromkeys((write.name for write in writes_of(kind)), "not raised"), str(what)
        )
    print(f"{kind}, {situation.name}: {finding.effects}\n{finding.story}", flush=True)
    if write and "not raised" not in finding.effects.values():
        write_section("way back", NOTE, HEAD, f"{kind} | {situation.name}", row(finding))
    return finding


def row(finding: Finding) -> str:
    cells = [finding.effects.get(write.name, "–") for write in ALL]
    return f"| {finding.kind} | {finding.situation} | " + " | ".join(cells) + " |"


if __name__ == "__main__":
    sys.exit(main())
