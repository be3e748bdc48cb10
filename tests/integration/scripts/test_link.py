"""`make install` puts `hark` where a shell finds it, and never takes the place of something else."""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hark import __version__

ROOT = Path(__file__).resolve().parents[3]
SYSTEM = "/usr/local/bin:/usr/bin:/bin"
COMMANDS = ("hark", "sm", "hark-demo-agent")


def make_checkout(directory: Path) -> Path:
    """A checkout of hark that is set up already: `make setup` finds nothing to do in it."""
    (directory / ".venv").mkdir(parents=True)
    (directory / ".venv/bin").symlink_to(Path(sys.executable).parent)
    shutil.copytree(ROOT / "scripts", directory / "scripts")
    for name in ("Makefile", "requirements.lock", "pyproject.toml"):
        shutil.copy(ROOT / name, directory / name)
    stamp = '. scripts/tmux.sh; echo "$(cat requirements.lock pyproject.toml | cksum) $(pwd)" > .venv/installed'
    subprocess.run(["sh", "-euc", stamp], cwd=directory, check=True, timeout=60)
    return directory


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    return make_checkout(tmp_path / "check out")


@pytest.fixture
def user(tmp_path: Path) -> Path:
    """An empty home directory."""
    made = tmp_path / "user"
    made.mkdir()
    return made


def environment(user: Path, path: str = SYSTEM, shell: str = "/bin/bash") -> dict[str, str]:
    return {"HOME": str(user), "PATH": path, "SHELL": shell, "LANG": "C.UTF-8"}


def install(checkout: Path, variables: dict[str, str], target: str = "install") -> str:
    """What `make install` says; it must succeed."""
    done = subprocess.run(["make", target], cwd=checkout, env=variables, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def link(checkout: Path, variables: dict[str, str], *arguments: str) -> str:
    done = subprocess.run(
        [checkout / "scripts/link", *arguments], env=variables, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout) == (0, "")
    return done.stderr


def version_by_name(variables: dict[str, str], path: str) -> str:
    """What `hark --version` prints in a shell with this PATH."""
    command = ["sh", "-c", "hark --version"]
    return subprocess.run(
        command, env=variables | {"PATH": path}, capture_output=True, text=True, timeout=60, check=True
    ).stdout


def line_to_add(told: str) -> str:
    return told.splitlines()[-1].strip()


def test_in_an_empty_home_the_line_that_it_prints_is_all_that_is_missing(checkout: Path, user: Path) -> None:
    variables = environment(user)

    told = install(checkout, variables)

    assert "add this line to ~/.bashrc" in told
    script = f"{line_to_add(told)}\nhark --version"
    shown = subprocess.run(["sh", "-euc", script], env=variables, capture_output=True, text=True, timeout=60)
    assert (shown.stdout, shown.stderr) == (f"hark {__version__}\n", "")
    assert {path.name for path in (user / ".local/bin").iterdir()} == set(COMMANDS)


def test_where_the_shell_looks_there_already_nothing_is_missing_and_the_second_time_it_is_silent(
    checkout: Path, user: Path
) -> None:
    path = f"{user}/.local/bin:{SYSTEM}"

    first = install(checkout, environment(user, path))
    second = link(checkout, environment(user, path))

    assert "linked" in first
    assert "PATH" not in first
    assert second == ""
    assert version_by_name(environment(user), path) == f"hark {__version__}\n"


def test_only_make_install_touches_the_home_directory(checkout: Path, user: Path) -> None:
    install(checkout, environment(user), "setup")

    assert list(user.iterdir()) == []


@pytest.mark.parametrize("kind", ["file", "directory", "link", "dangling link", "link of another checkout"])
def test_what_is_not_ours_is_left_alone(kind: str, checkout: Path, user: Path, tmp_path: Path) -> None:
    place = user / ".local/bin/hark"
    place.parent.mkdir(parents=True)
    other = tmp_path / "other/.venv/bin/hark"
    other.parent.mkdir(parents=True)
    other.write_text("#!/bin/sh\necho other\n")
    match kind:
        case "file":
            place.write_text("mine")
        case "directory":
            place.mkdir()
        case "link":
            place.symlink_to("/bin/true")
        case "dangling link":
            place.symlink_to(tmp_path / "nowhere")
        case _:
            place.symlink_to(other)
    before = (place.lstat().st_ino, place.is_symlink() and os.readlink(place))

    told = link(checkout, environment(user))

    assert (place.lstat().st_ino, place.is_symlink() and os.readlink(place)) == before
    assert f"{place} already exists" in told
    assert line_to_add(told) == f'export PATH={shlex.quote(f"{checkout}/.venv/bin")}:"$PATH"'
    link(checkout, environment(user), "remove")
    assert place.lstat().st_ino == before[0]


def test_a_program_of_the_same_name_is_not_hidden(checkout: Path, user: Path, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    other = tmp_path / "bin/sm"
    other.write_text("#!/bin/sh\n")
    other.chmod(0o755)

    told = link(checkout, environment(user, f"{tmp_path}/bin:{SYSTEM}"))

    assert f"sm was not linked: {other} has the same name" in told
    assert not (user / ".local/bin/sm").is_symlink()
    assert (user / ".local/bin/hark").is_symlink()


def test_the_link_of_a_checkout_that_is_gone_is_replaced(checkout: Path, user: Path, tmp_path: Path) -> None:
    (user / ".local/bin").mkdir(parents=True)
    (user / ".local/bin/hark").symlink_to(tmp_path / "gone/.venv/bin/hark")

    link(checkout, environment(user))

    assert os.readlink(user / ".local/bin/hark") == str(checkout / ".venv/bin/hark")


@pytest.mark.parametrize("home", [None, "", "/nonexistent/home", "/proc"])
def test_without_a_home_of_ones_own_it_says_the_line(home: str | None, checkout: Path, user: Path) -> None:
    variables = environment(user) | ({} if home is None else {"HOME": home})
    if home is None:
        del variables["HOME"]

    told = link(checkout, variables)

    assert "nothing was linked" in told
    assert line_to_add(told) == f'export PATH={shlex.quote(f"{checkout}/.venv/bin")}:"$PATH"'


def test_a_file_in_the_place_of_the_directory_is_no_error(checkout: Path, user: Path) -> None:
    (user / ".local").write_text("mine")

    assert "nothing was linked" in link(checkout, environment(user))
    assert (user / ".local").read_text() == "mine"


@pytest.mark.parametrize(
    ("shell", "words"),
    [
        ("/bin/bash", "~/.bashrc"),
        ("/usr/bin/zsh", "~/.zshrc"),
        ("/usr/bin/fish", "fish_add_path '"),
        ("/bin/sh", "~/.profile"),
        ("", "~/.profile"),
    ],
)
def test_the_line_is_the_users_shells_own(shell: str, words: str, checkout: Path, user: Path) -> None:
    assert words in link(checkout, environment(user, shell=shell))


def test_make_clean_takes_the_links_away(checkout: Path, user: Path) -> None:
    link(checkout, environment(user))
    (user / ".local/bin/mine").write_text("mine")

    for name in ("src", "tests"):
        (checkout / name).mkdir()

    install(checkout, environment(user), "clean")

    assert [path.name for path in (user / ".local/bin").iterdir()] == ["mine"]


NAMES = st.text(st.characters(exclude_characters="/\0:\n", exclude_categories=("Cs", "Cc")), min_size=1, max_size=20)


@settings(max_examples=25, deadline=None)
@given(name=NAMES.filter(lambda name: name not in (".", "..")))
def test_a_home_with_any_name_is_quoted_in_the_line(name: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    base = tmp_path_factory.mktemp("named")
    checkout, user = make_checkout(base / "checkout"), base / name
    user.mkdir(exist_ok=True)

    told = link(checkout, environment(user))

    script = f'{line_to_add(told)}\nprintf %s "$PATH"'
    shown = subprocess.run(["sh", "-euc", script], env=environment(user), capture_output=True, text=True, timeout=60)
    assert shown.stdout == f"{user}/.local/bin:{SYSTEM}"
