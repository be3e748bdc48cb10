"""Whether a message of ours stands in an agent's own record of its conversation."""

import json
import os
from pathlib import Path

import pytest

from hark.agents.records.transcripts import LOOKED_AT, holds
from hark.model.ids import MessageId

ID = MessageId("0123456789ab")
HEADER = f"[Input from: x via hark send · {ID}]"

LINES: dict[str, tuple[str, bool]] = {
    "as it is": (json.dumps({"content": f"Stop hook feedback:\n{HEADER}\nhello"}, ensure_ascii=False), True),
    "in ASCII": (json.dumps({"content": f"{HEADER}\nhello"}), True),
    "another message": (json.dumps({"content": HEADER.replace("0", "f")}), False),
    "the mere id: the agent may have sent it": (f'{{"output": "queued {ID} for b"}}', False),
    "nothing": ("", False),
}


@pytest.mark.parametrize(("line", "is_there"), LINES.values(), ids=LINES.keys())
def test_only_our_header_counts(tmp_path: Path, line: str, is_there: bool) -> None:
    (tmp_path / "t").write_text(line)

    assert holds(str(tmp_path / "t"), ID) is is_there


def test_only_the_end_of_a_long_one_is_read(tmp_path: Path) -> None:
    (tmp_path / "old").write_text(HEADER + "x" * LOOKED_AT)
    (tmp_path / "new").write_text("x" * LOOKED_AT + HEADER)

    assert holds(str(tmp_path / "old"), ID) is False
    assert holds(str(tmp_path / "new"), ID) is True


def test_what_is_no_file_tells_nothing_and_holds_nobody_up(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    for path in (tmp_path / "pipe", tmp_path, tmp_path / "nowhere", Path("/dev/zero")):
        assert holds(str(path), ID) is None
