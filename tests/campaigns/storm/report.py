"""Writes what the storm has found: a JSON file, and from it the page and the plot. Nobody writes these by hand."""

from __future__ import annotations

from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from tests.campaigns.storm.kills import Killed
from tests.campaigns.storm.result import HEADINGS, Result, row

DIRECTORY = Path(__file__).parents[3] / "docs"
DATA, PAGE = DIRECTORY / "storm.json", DIRECTORY / "storm.md"
DAMAGE_SHOWN = 300
"""How many characters of a text that was not exact are shown on the page."""


_PIECED = """ Not all rows are of one run: this line describes the
last run. It ran some of the protocols and replaced their rows."""


class Report(Struct, frozen=True, kw_only=True):
    seed: int
    seconds: float
    versions: dict[str, str]
    storms: list[Result]
    kills: list[Killed]
    is_pieced: bool = False
    """Its rows are of more than one run."""

    @property
    def is_clean(self) -> bool:
        """What is not ours may be as bad as it is."""
        are_storms_clean = all(one.is_clean for one in self.storms if one.is_ours)
        return are_storms_clean and all(one.is_clean for one in self.kills)


def merge(earlier: Report, later: Report) -> Report:
    """A run of some protocols takes the place of their rows; the others stay."""
    storms = {(one.protocol, one.agent): one for one in (*earlier.storms, *later.storms)}
    kills = {(one.protocol, one.agent): one for one in (*earlier.kills, *later.kills)}
    return replace(later, storms=[*storms.values()], kills=[*kills.values()], is_pieced=True)


def write(report: Report) -> None:
    """The plot is drawn from the same data, by the script."""
    DATA.write_bytes(msgspec.json.format(msgspec.json.encode(report), indent=1) + b"\n")
    PAGE.write_text(page(report), encoding="utf-8")


def load() -> Report:
    return msgspec.json.decode(DATA.read_bytes(), type=Report)


def page(report: Report) -> str:
    loads = [one.load for one in report.storms] or [0.0]
    versions = ", ".join(f"{name} {version}" for name, version in report.versions.items())
    return f"""\
# The typist storm

`make storm` has written this page and its plot: seed {report.seed}, {report.seconds / 60:.0f} minutes, {versions}; the load of the
machine was {min(loads):.1f} to {max(loads):.1f}.{_PIECED if report.is_pieced else ""}

A scripted person sits at a real tmux client and works at 8 to 15 keys a second the whole time: types, pauses, goes back with the
arrows and edits there, breaks lines, deletes letters and words, pastes, fetches a text from the history and adds to it, submits.
Meanwhile messages arrive every 0.7 to 2 seconds. In rows with a commit the texts are drawn from all of Unicode and have one byte to 64 KiB
(`tests/campaigns/storm/texts.py`), and the person too types words of other scripts and emoji; in rows without one the texts are plain words, of one line
or several. Changes that an agent is known to make to a text ([agents.md](agents.md#what-agents-do-to-a-text)) are expected. What counts is what the agent's
model (a stand-in on loopback, which takes 0.5 to 2 s for an answer to Claude Code and none for the others) received: a message is exact if it came once and to the letter, a prompt if it is what the
person's own edits make of it. The first two protocols are hark's; the others are what people use today, re-created with plain
tmux commands on the same agent under the same person.

![the share of messages and prompts that arrived exactly, and how long messages took](storm.png)

{_markdown(HEADINGS, [row(one) for one in report.storms])}

- **garbled**: mixed with something else, or in pieces. **lost**: nowhere. **doubled**: more than once. **held**: not delivered, and
  hark says so and why. **uncertain**: hark says that it cannot tell. **keys lost**: letters of the person's prompts that arrived nowhere, counted against all that arrived.
- **kept**: prompts that arrived exactly, and that the person found in the box afterwards and erased. Claude Code keeps a prompt whose
  Enter comes in the instant in which a turn ends, with no hark about: `python -m tests.campaigns.storm.left claude 150` kept 10 of 150.
- The time is from the start of the sender to the agent's own request. hark's holds a courtesy: it waits for a pause of 300 ms in
  the typing, at most two seconds, and messages wait for each other. Where a draft cannot be carried (on adopted panes of Codex and
  Gemini CLI what the screen does not tell for certain; a cursor inside of a draft with a collapsed paste) they wait for the box. `scripts/bench latency` has the times without a typist.
- Only the blanks around a submitted text are not compared, for agents drop them. A prompt from the history is exact if it is any
  text that had been submitted before, exactly (the history is shared, so it may be one of the messages), with the person's own words
  where the agent had put the cursor. Gemini CLI joins what is submitted during one turn by an empty line: each part must be exact.
- The person looks at nothing but the empty box before they press Up, the text that comes then, and a prompt that the agent has kept. With the protocols in use today they also tidy up: who finds
  no empty box before them for six seconds presses Escape, then Ctrl-C.

## Killing the daemon while it holds the keys

The daemon is killed (SIGKILL) at a random moment of a hold while the person types on. Whoever holds the keys runs the undo that
was left with it and lets them go: the airlock within 0.5 s, on adopted panes tmux within 2 s, or the row is not clean. Then the
daemon is started again. `scripts/storm AGENT --protocols airlock,adopted --kills N` makes single rows.

{_markdown(KILL_HEADINGS, [_kill_row(one) for one in report.kills])}

What can make a draft inexact here: the undo is written without a look at the screen, and a dialog that stands over the box may
swallow it.
{_damage(report)}"""


def _damage(report: Report) -> str:
    """What was not exact of ours: the beginning of each text. `storm.json` has the whole."""
    ours: list[Result | Killed] = [*(one for one in report.storms if one.is_ours), *report.kills]
    found = [f"- {one.protocol}, {one.agent}: {_shortened(damage)}" for one in ours for damage in one.damage]
    return "\n".join(("\n## What was not exact\n", *found, "")) if found else ""


def _shortened(damage: str) -> str:
    return damage if len(damage) <= DAMAGE_SHOWN else f"{damage[:DAMAGE_SHOWN]}… ({len(damage):,} characters)"


KILL_HEADINGS = (
    *("protocol", "agent", "kills", "keys free, median", "keys free, longest", "prompts", "exact", "keys", "lost"),
    *("messages", "exact", "uncertain", "garbled", "lost", "doubled"),
)


def _kill_row(killed: Killed) -> tuple[str, ...]:
    return (
        *(killed.protocol, killed.agent, str(killed.kills)),
        *(f"{seconds:.2f} s" for seconds in (killed.median_s, killed.longest_s)),
        *map(str, (killed.prompts, killed.prompts_exact, killed.keys, killed.keys_lost)),
        *map(str, (killed.messages, killed.exact, killed.uncertain, killed.garbled, killed.lost, killed.doubled)),
    )


def _markdown(headings: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    rule = tuple("---" if column < 2 else "---:" for column in range(len(headings)))
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (headings, rule, *rows))
