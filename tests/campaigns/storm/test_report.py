"""What the storm says in the end: bad is what was ours and not exact."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tests.campaigns.storm.kills import Killed
from tests.campaigns.storm.report import DAMAGE_SHOWN, Report, merge, page
from tests.campaigns.storm.result import Result, table

OURS = Result(
    protocol="hark, airlock",
    agent="claude",
    is_ours=True,
    sent=3,
    exact=3,
    garbled=0,
    lost=0,
    doubled=0,
    prompts=2,
    prompts_exact=2,
    prompts_garbled=0,
    prompts_lost=0,
    keys=40,
    keys_lost=0,
    latencies_s=[0.1, 0.2, 0.9],
    seconds=5.0,
    load=0.5,
    damage=[],
)
THEIRS = replace(OURS, protocol="text+Enter", is_ours=False, exact=0, garbled=3, latencies_s=[], damage=["a", "b", "c"])
KILLED = Killed(
    protocol="hark, airlock",
    agent="claude",
    kills=2,
    missed=0,
    free_s=[0.01, 0.03],
    prompts=2,
    prompts_exact=2,
    keys=40,
    keys_lost=0,
    messages=2,
    exact=1,
    uncertain=1,
    garbled=0,
    lost=0,
    doubled=0,
    damage=[],
    seconds=9.0,
)

# name, what was found, whether it is good
REPORTS: tuple[tuple[str, list[Result], list[Killed], bool], ...] = (
    ("all exact", [OURS], [KILLED], True),
    ("the others may be as bad as they are", [OURS, THEIRS], [], True),
    ("held, and said so", [replace(OURS, exact=2, held=1)], [], True),
    ("a message garbled", [replace(OURS, exact=2, garbled=1)], [], False),
    ("a message lost", [replace(OURS, exact=2, lost=1)], [], False),
    ("a message doubled", [replace(OURS, exact=2, doubled=1)], [], False),
    ("a prompt garbled", [replace(OURS, prompts_exact=1, prompts_garbled=1)], [], False),
    ("a prompt lost", [replace(OURS, prompts_exact=1, prompts_lost=1)], [], False),
    ("a key lost", [replace(OURS, keys_lost=1)], [], False),
    ("something that nobody has sent", [replace(OURS, damage=["arrived: 'x'"])], [], False),
    ("a dead keyboard", [OURS], [replace(KILLED, free_s=[0.1, 0.6])], False),
    ("adopted panes wait for tmux", [OURS], [replace(KILLED, protocol="hark, adopted", free_s=[0.1, 1.9])], True),
    ("a dead keyboard on an adopted pane", [OURS], [replace(KILLED, protocol="hark, adopted", free_s=[2.1])], False),
    ("something that nobody has sent after a kill", [OURS], [replace(KILLED, damage=["arrived: 'x'"])], False),
    ("a draft that did not come back", [OURS], [replace(KILLED, prompts_exact=1)], False),
    ("a message lost in a crash", [OURS], [replace(KILLED, lost=1)], False),
)


def report(storms: list[Result], kills: list[Killed]) -> Report:
    return Report(seed=1, seconds=60.0, versions={"claude": "1"}, storms=storms, kills=kills)


@pytest.mark.parametrize(("name", "storms", "kills", "is_clean"), REPORTS, ids=[name for name, *_ in REPORTS])
def test_what_is_good(name: str, storms: list[Result], kills: list[Killed], is_clean: bool) -> None:
    assert report(storms, kills).is_clean is is_clean


def test_the_page_has_every_row_and_the_damage_of_ours() -> None:
    written = page(report([replace(OURS, damage=["prompt garbled: 'x'"]), THEIRS], [KILLED]))

    assert (
        "| hark, airlock | claude | 3 | 3 | 0 | 0 | 0 | 0 | 0 | 2 | 2 | 0 | 0 | 0 | 40 | 0 | 0.20 s | 0.90 s |"
        in written
    )
    assert "| text+Enter | claude | 3 | 0 | 3 |" in written
    assert "| hark, airlock | claude | 2 | 0.02 s | 0.03 s |" in written
    assert "- hark, airlock, claude: prompt garbled: 'x'" in written
    assert "- text+Enter" not in written


def test_the_page_has_the_beginning_of_a_long_text() -> None:
    written = page(report([replace(OURS, damage=["arrived: " + 65_536 * "x"])], []))

    assert f": arrived: {(DAMAGE_SHOWN - 9) * 'x'}… (65,545 characters)\n" in written


def test_rounds_of_kills_are_one_row() -> None:
    both = KILLED.plus(replace(KILLED, kills=1, free_s=[0.2], damage=["prompt garbled: 'x'"], keys=7))

    assert (both.kills, both.free_s, both.keys, both.damage) == (3, [0.01, 0.03, 0.2], 47, ["prompt garbled: 'x'"])
    assert (both.agent, both.longest_s) == ("claude", 0.2)


def test_the_table_shows_what_has_no_time() -> None:
    assert table([THEIRS]).splitlines()[1].split()[-2:] == ["-", "-"]


def test_a_run_of_some_protocols_replaces_their_rows() -> None:
    whole = Report(seed=1, seconds=60.0, versions={}, storms=[OURS, THEIRS], kills=[KILLED])
    again = replace(OURS, sent=9)

    merged = merge(whole, Report(seed=2, seconds=9.0, versions={}, storms=[again], kills=[]))

    assert (merged.seed, merged.storms, merged.kills) == (2, [again, THEIRS], [KILLED])
    assert "Not all rows are of one run" in page(merged)
    assert "Not all rows are of one run" not in page(whole)
