from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.version import Version

from hark import __version__
from hark.cli.client import problem
from hark.cli.outdated import is_outdated
from hark.instance import Build
from hark.model.text.versions import is_older, order

OWN = Build("0.2.0", "/site/hark", "100")

# the daemon's build -> whether a command of OWN restarts it
BUILDS = {
    OWN: False,
    OWN._replace(version="0.1.0"): True,
    OWN._replace(version="0.1.0", place="/other"): True,
    OWN._replace(version="0.2.0rc1"): True,
    OWN._replace(version="0.3.0"): False,  # this command is the older one
    OWN._replace(stamp="99"): True,  # installed again with the same version
    OWN._replace(stamp="101", place="/other"): False,  # another installation: they would restart it in turns
    OWN._replace(version="of my own"): False,  # nobody knows
    OWN._replace(version=""): False,
}


@pytest.mark.parametrize(("daemon", "is_it"), BUILDS.items())
def test_only_what_is_certainly_older_is_restarted(daemon: Build, is_it: bool) -> None:
    assert is_outdated(daemon, OWN) is is_it


RELEASES = st.lists(st.integers(0, 30), min_size=1, max_size=4).map(lambda parts: ".".join(map(str, parts)))
STAGES = st.sampled_from(["", ".dev1", ".dev12", "a1", "b2", "rc1", "rc2", ".post1"])
VERSIONS = st.builds(str.__add__, RELEASES, STAGES)


@given(VERSIONS, VERSIONS)
def test_versions_are_ordered_as_packages_order_them(one: str, other: str) -> None:
    assert is_older(one, other) is (Version(one) < Version(other))


@given(st.text(max_size=30))
def test_whatever_is_no_version_is_never_older(text: str) -> None:
    assert order(text) is not None or not (is_older(text, "1.0") or is_older("1.0", text))


BODY = b'{"code": "request-invalid", "detail": "Object contains unknown field `x`", "hint": "look"}'


@pytest.mark.parametrize(("version", "known"), [("0.0.1", " (0.0.1)"), (None, "")])
def test_an_older_daemon_that_does_not_understand_is_named_with_what_to_do(version: str | None, known: str) -> None:
    error = problem(422, BODY, version)

    assert error.code == "request-invalid"
    assert error.detail == (
        f"the running daemon{known} is older than this hark ({__version__}) and did not understand: "
        "Object contains unknown field `x`"
    )
    assert error.hint == "`hark daemon restart` starts the newer version"


def test_a_newer_daemon_is_named_too() -> None:
    assert f"another version (99.0) than this hark ({__version__})" in problem(422, BODY, "99.0").detail


def test_a_daemon_of_the_same_version_is_right() -> None:
    assert problem(422, BODY, __version__).detail == "Object contains unknown field `x`"
