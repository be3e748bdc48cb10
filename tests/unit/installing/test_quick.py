"""The copy of `hark-hook` that starts faster."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hark.installing.quick import quick_program

USUAL = "/usual/hark-hook"


def test_the_copy_runs_by_itself_and_is_harmless_without_a_daemon(tmp_path: Path) -> None:
    program = quick_program(tmp_path / "a place with blanks", USUAL)

    finished = subprocess.run(
        [program, "claude", "Stop"], input=b"{}", capture_output=True, env={"HARK_HOME": str(tmp_path)}, check=False
    )

    assert Path(program).name == "hark-hook"
    assert (finished.returncode, finished.stdout, finished.stderr) == (0, b"", b"")


def test_a_copy_that_is_right_is_left_alone_and_one_that_is_not_is_renewed(tmp_path: Path) -> None:
    program = Path(quick_program(tmp_path, USUAL))
    made = program.stat().st_ino

    assert quick_program(tmp_path, USUAL) == str(program)
    assert program.stat().st_ino == made
    program.write_text("of an older version")
    quick_program(tmp_path, USUAL)
    assert "hark-hook 1" in program.read_text()
    assert os.access(program, os.X_OK)


@pytest.mark.parametrize("interpreter", ["/a place/python", "python", "/" + "x" * 200])
def test_an_interpreter_that_no_script_can_name_has_the_usual_program(
    tmp_path: Path, interpreter: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", interpreter)

    assert quick_program(tmp_path, USUAL) == USUAL
