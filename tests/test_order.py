"""The order in which files of tests run: the long ones first, and the kinds of tests spread evenly."""

LONGEST = (
    "campaigns/simulation/test_runs.py",
    "agents/test_native.py",
    "integration/end_to_end/test_kills.py",
    "integration/contract/test_every_history.py",
    "unit/signals/test_atheris.py",
    "agents/test_hooks.py",
    "integration/end_to_end/test_humans.py",
    "agents/test_launch.py",
    "agents/way_back/test_way_back.py",
    "integration/end_to_end/test_one_daemon.py",
    "integration/end_to_end/test_crashes.py",
    "unit/delivery/test_carrier_properties.py",
    "unit/cli/test_hostile.py",
)
"""The files that take longest on two cores, as `--durations` shows them."""


def spread(files: list[str]) -> list[str]:
    """Return the files in the order in which they begin. Each kind of test (its folder) is spread over the whole run."""
    kinds: dict[str, list[str]] = {}
    for name in sorted(files, key=_rank):
        kinds.setdefault(_kind(name), []).append(name)
    places = {name: place / len(members) for members in kinds.values() for place, name in enumerate(members)}
    return sorted(files, key=lambda name: (_rank(name), places[name]))


def _rank(name: str) -> int:
    return LONGEST.index(name) if name in LONGEST else len(LONGEST)


def _kind(name: str) -> str:
    return "/".join(name.split("/")[:2]) if name.startswith("integration/") else name.split("/")[0]


def test_every_file_runs_once() -> None:
    files = ["unit/a.py", "agents/b.py", "agents/c.py", LONGEST[1], LONGEST[0]]

    assert sorted(spread(files)) == sorted(files)
    assert spread(files)[:2] == [LONGEST[0], LONGEST[1]]


def test_kinds_alternate() -> None:
    files = [f"{kind}/{number}.py" for kind in ("agents", "unit") for number in range(3)]

    assert [name.split("/")[0] for name in spread(files)] == ["agents", "unit"] * 3
