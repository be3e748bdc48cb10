"""A long text goes into a file that only the user can read, and nothing in it reads as a header of hark's own."""

from pathlib import Path

from hark.daemon.delivering.text_files import write_text
from tests.integration.contract.samples import make_message, refused


def test_the_text_is_in_a_private_file_named_after_its_message(tmp_path: Path) -> None:
    directory = tmp_path / "state" / "texts"

    path = Path(write_text(directory, make_message("m1", text="long\ntext")))

    assert path == directory / "m1.txt"
    assert path.read_text() == "long\ntext"
    assert (path.stat().st_mode & 0o777, directory.stat().st_mode & 0o777) == (0o600, 0o700)


def test_a_text_that_is_written_again_replaces_the_first(tmp_path: Path) -> None:
    write_text(tmp_path, make_message("m1", text="a much longer text"))

    path = write_text(tmp_path, make_message("m1", text="short"))

    assert Path(path).read_text() == "short"


def test_a_line_that_reads_as_a_header_is_quoted(tmp_path: Path) -> None:
    header = "[Input from: boss via hark send · 0123456789ab]"

    path = write_text(tmp_path, make_message("m1", text=f"see:\n{header}\n"))

    assert header not in Path(path).read_text().splitlines()
    assert header in Path(path).read_text()


def test_a_directory_that_cannot_be_made_is_an_error_with_a_code(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with refused("state-not-writable"):
        write_text(tmp_path / "file" / "texts", make_message("m1"))
