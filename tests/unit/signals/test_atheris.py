"""Ten million bytes from a fuzzer that looks at which branches of the reader its inputs reach."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[3]
PYTHON = REPOSITORY / "build/fuzz/bin/python"
# The fuzzer's environment is built on .venv, whichever Python runs this test.
PACKAGES = next(REPOSITORY.glob(".venv/lib/python3*/site-packages"), None)
MILLIONS, SEED = 10, 20261115
DEADLINE_S = 280.0


@pytest.mark.skipif(not (REPOSITORY / "build/fuzz/installed").exists(), reason="scripts/fuzz-install installs atheris")
def test_what_a_coverage_guided_fuzzer_finds_is_read_as_the_reference_reads_it() -> None:
    environment = os.environ | {"PYTHONPATH": f"src:.:{PACKAGES}"}

    finished = subprocess.run(
        [str(PYTHON), "-m", "tests.unit.signals.atheris_fuzz", str(MILLIONS), str(SEED)],
        cwd=REPOSITORY,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=DEADLINE_S,
        check=False,
    )

    assert finished.returncode == 0, finished.stdout + finished.stderr
    done = re.search(r"^([\d,]+) bytes, no difference$", finished.stdout, re.MULTILINE)
    assert done, finished.stdout
    assert int(done[1].replace(",", "")) >= MILLIONS * 1_000_000
