from hark.api.dashboard.typescript import TARGET, make_types


def test_the_types_of_the_page_are_those_of_the_daemon() -> None:
    assert TARGET.read_text(encoding="utf-8") == make_types(), "run scripts/web-types"
