from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hark
from hark import paths
from hark.model.errors import HarkError
from hark.model.settings.config import NOT_SETTINGS, Config, merge_config

SETTINGS = {field.name for field in msgspec.structs.fields(Config)}
SOURCES = [path for path in Path(hark.__file__).parent.rglob("*") if path.suffix in (".py", ".js", ".toml")]


@pytest.mark.parametrize("name", sorted(NOT_SETTINGS))
@given(value=st.text(max_size=20))
def test_a_variable_that_is_used_for_something_else_is_never_a_setting(name: str, value: str) -> None:
    assert merge_config({}, {name: value}, {}) == Config()


def test_every_variable_that_the_source_names_is_a_setting_or_declared_as_none() -> None:
    named = {name for path in SOURCES for name in re.findall(r"\bHARK_[A-Z][A-Z_]*\b", path.read_text())}

    unknown = {name for name in named if name not in NOT_SETTINGS and name[5:].lower() not in SETTINGS}
    assert unknown - {"HARK_NAME"} == set()


def test_what_is_set_in_every_session_does_not_reach_a_daemon_that_is_started_there() -> None:
    ours = {name for name in paths.OF_A_SESSION if name.startswith("HARK_")}

    assert ours <= NOT_SETTINGS


def test_a_variable_goes_over_the_file_and_a_flag_over_both() -> None:
    file, environment = {"human_pause": 1, "max_attempts": 2}, {"HARK_HUMAN_PAUSE": "3", "HARK_MAX_ATTEMPTS": "4"}

    config = merge_config(file, environment, {"max_attempts": "5"})

    assert (config.human_pause, config.max_attempts) == (3.0, 5)


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("input_poll_interval", "2s", "input_poll_interval = '2s' is not a number"),
        ("max_batch_size", "1.5", "max_batch_size = '1.5' is not a whole number"),
        ("hooks", "maybe", "hooks = 'maybe' is not true or false"),
        ("tmux_socket", 3, "tmux_socket = 3 is not a text"),  # it may be left out too
    ],
)
def test_a_value_of_the_wrong_type_is_told_with_its_setting(name: str, value: object, told: str) -> None:
    with pytest.raises(HarkError) as refused:
        merge_config({name: value}, {}, {})

    assert (refused.value.code, refused.value.detail) == ("config-invalid", told)
