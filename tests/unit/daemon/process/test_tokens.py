"""Secrets that let callers in: kept in private files, never empty, and one token for each session."""

from pathlib import Path

import pytest

from hark.daemon.process.tokens import agent_token, kept_secret


def test_a_secret_is_made_once_and_is_private(tmp_path: Path) -> None:
    path = tmp_path / "secret"

    first, second = kept_secret(path), kept_secret(path)

    assert first == second
    assert len(first) >= 32
    assert path.stat().st_mode & 0o777 == 0o600


def test_an_empty_file_gets_a_secret_and_loose_permissions_are_taken_back(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_text("\n")
    path.chmod(0o644)

    secret = kept_secret(path)

    assert secret
    assert path.read_text().strip() == secret
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_link_in_the_place_of_the_file_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("known to somebody else")
    (tmp_path / "secret").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(OSError, match="symbolic"):
        kept_secret(tmp_path / "secret")


def test_a_token_names_its_session_and_needs_the_secret() -> None:
    token = agent_token("secret", "s1")

    assert token.startswith("s1.")
    assert token == agent_token("secret", "s1")
    assert len({token, agent_token("other", "s1"), agent_token("secret", "s2")}) == 3
