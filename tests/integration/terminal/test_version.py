import pytest

from hark.model.errors import HarkError
from hark.terminal.tmux.version import check_version, features, parse_version

VERSIONS = {
    "3.3a": (3, 3),
    "tmux 3.3": (3, 3),
    "3.4": (3, 4),
    "next-3.8": (3, 8),
    "3.10": (3, 10),
    "4.0": (4, 0),
    "master": (99, 0),
}


@pytest.mark.parametrize(("text", "version"), VERSIONS.items())
def test_versions_that_are_new_enough(text: str, version: tuple[int, int]) -> None:
    assert parse_version(text) == version
    assert check_version(text) == version


@pytest.mark.parametrize("text", ["3.2", "3.2a", "tmux 2.9", "1.8"])
def test_versions_that_are_too_old(text: str) -> None:
    with pytest.raises(HarkError) as refused:
        check_version(text)

    assert refused.value.code == "tmux-too-old"
    assert text in refused.value.detail


FEATURES = {
    (3, 3): set(),
    (3, 4): {"client-keys", "used-cells", "escaped-dollars", "escaped-controls"},
    (3, 5): {"client-keys", "used-cells", "escaped-controls"},
    (3, 6): {"client-keys", "used-cells"},
    (3, 7): {"client-keys", "used-cells", "paste-sanitises"},
    (99, 0): {"client-keys", "used-cells", "paste-sanitises"},
}


@pytest.mark.parametrize(("version", "known"), FEATURES.items())
def test_what_each_version_does(version: tuple[int, int], known: set[str]) -> None:
    assert features(version) == known
