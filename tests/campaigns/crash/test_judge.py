import pytest

from tests.campaigns.crash.judge import Final, judge, received

HEADER = "[Input from: ann via hark send · {}]\nhi"
A, B = "00000000000a", "00000000000b"


def final(message_id: str, status: str, **fields: bool) -> Final:
    return Final(id=message_id, session_id="s", mode="sequential", status=status, **fields)


@pytest.mark.parametrize(
    ("status", "fields", "arrived", "faults"),
    [
        ("completed", {}, [A], []),
        ("completed", {}, [], ["lost"]),
        ("completed", {}, [A, A], ["doubled"]),
        ("held", {"is_gone": True}, [], []),
        ("held", {}, [], ["lost"]),
        ("held", {"is_gone": True}, [A], ["untrue"]),
        ("expired", {}, [], []),
        ("expired", {}, [A], ["untrue"]),
        ("staged", {}, [], ["untrue"]),
        ("submitted", {}, [A], ["unsettled"]),
        ("acknowledged", {}, [A], ["unsettled"]),
        ("submitted", {"is_gone": True}, [A], []),
        ("uncertain", {}, [], []),
        ("uncertain", {}, [A, A], ["doubled"]),
    ],
)
def test_a_status_is_held_against_what_arrived(
    status: str, fields: dict[str, bool], arrived: list[str], faults: list[str]
) -> None:
    verdict = judge([final(A, status, **fields)], {"s": arrived})

    assert [name for name in ("lost", "doubled", "untrue", "unsettled") if getattr(verdict, name)] == faults
    assert verdict.is_good is not bool(faults)


def test_what_overtakes_an_earlier_one_is_counted() -> None:
    finals = [final(A, "completed"), final(B, "completed")]

    assert judge(finals, {"s": [A, B]}).overtaken == 0
    assert judge(finals, {"s": [B, A]}).overtaken == 1


def test_what_an_agent_queued_counts_once() -> None:
    queued, taken = ({"event": event, "text": HEADER.format(A)} for event in ("queued", "prompt"))

    assert received([queued, taken]) == received([queued]) == received([taken]) == [A]
    assert received([taken, taken]) == [A, A]
