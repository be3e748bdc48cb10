"""Crew files: what they may say, and what is wrong with those that say something else."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hark.model.errors import HarkError
from hark.model.settings.crew import MOST, Member, read_crew

WHOLE = {
    "name": "backend",
    "agent": "codex",
    "command": ["codex", "-m", "x"],
    "directory": "src",
    "task": "begin",
    "notify": "lead",
    "restart": "on-failure",
}


def test_every_field_is_read() -> None:
    assert read_crew({"session": [{"name": "lead"}, WHOLE]}) == [
        Member("lead"),
        Member("backend", "codex", ("codex", "-m", "x"), "src", "begin", "lead", "on-failure"),
    ]


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ({}, "[[session]]"),
        ({"session": []}, "[[session]]"),
        ({"session": {"name": "a"}}, "[[session]]"),  # [session] instead of [[session]]
        ({"session": [{"name": "a"}], "host": "x"}, "[[session]]"),
        ({"session": [{}]}, "has no name"),
        ({"session": ["a"]}, "has no name"),
        ({"session": [{"name": 1}]}, "has no name"),
        ({"session": [{"name": "a"}, {"name": "a"}]}, "two sessions are called 'a'"),
        ({"session": [{"name": "a", "comand": []}]}, "'comand'"),
        ({"session": [{"name": "a", "command": "claude"}]}, "list of words"),
        ({"session": [{"name": "a", "command": [1]}]}, "list of words"),
        ({"session": [{"name": "a", "task": 1}]}, "task must be a text"),
        ({"session": [{"name": "a", "notify": "b"}]}, "without a task"),
        ({"session": [{"name": "a", "restart": "always"}]}, "restart must be one of no, on-failure"),
        ({"session": [{"name": f"a{n}"} for n in range(MOST + 1)]}, "at most 50"),
    ],
)
def test_what_is_wrong_is_said(document: dict[str, Any], words: str) -> None:
    with pytest.raises(HarkError) as refused:
        read_crew(document)

    assert refused.value.code == "crew-invalid"
    assert words in refused.value.detail
    assert refused.value.hint


def test_a_name_that_no_session_may_have_is_refused() -> None:
    with pytest.raises(HarkError) as refused:
        read_crew({"session": [{"name": "a b\x1b"}]})

    assert refused.value.code == "name-invalid"


plain = st.none() | st.booleans() | st.integers() | st.text()
values = st.recursive(plain, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20)


@given(
    st.dictionaries(
        st.sampled_from(["session", "other"]),
        values | st.lists(st.dictionaries(st.sampled_from([*WHOLE, "x"]), values)),
    )
)
def test_any_document_is_read_or_refused(document: dict[str, Any]) -> None:
    codes = {"crew-invalid", "name-invalid", "name-reserved"}
    try:
        members = read_crew(document)
    except HarkError as failure:
        codes.discard(failure.code)
        members = []

    assert members or len(codes) == 2
