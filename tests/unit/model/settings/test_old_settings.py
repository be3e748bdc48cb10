"""Settings in config.yaml, or in a table of their own, are refused with what config.toml has to say instead."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hark.model.errors import HarkError
from hark.model.settings.config import check_no_yaml, merge_config
from hark.model.settings.old_settings import read_sm_send

SEED = """
# other things
other: 1
sm_send:
  # Polling interval when waiting for user input to become stale
  input_poll_interval: 5  # seconds

  # How long unchanged user input must be
  input_stale_timeout: 120  # seconds (2 minutes)
  default_timeout: 0
  max_batch_size: 10
  restore_notice: "status-line"
  hooks: yes
  no_such_thing: 3
more: 2
"""
LINES = (
    "input_poll_interval = 5 | input_stale_timeout = 120 | default_timeout = 0 | max_batch_size = 10 | "
    'restore_notice = "status-line" | hooks = true'
)


@pytest.mark.parametrize("text", [SEED, SEED.replace("\n", "\r\n")])
def test_the_same_settings_are_told_in_the_words_of_toml(text: str) -> None:
    with pytest.raises(HarkError) as refused:
        check_no_yaml("/config.yaml", text)

    assert refused.value.code == "config-invalid"
    assert LINES in refused.value.hint
    assert "not known: no_such_thing" in refused.value.hint
    assert "remove /config.yaml" in refused.value.hint


def test_a_mapping_on_one_line_is_understood() -> None:
    assert read_sm_send("sm_send: {max_batch_size: 3, hooks: no}") == {"max_batch_size": "3", "hooks": "no"}


@pytest.mark.parametrize("text", ["", "other: 1\n", "# sm_send:\n", "x:\n  sm_send:\n"])
def test_a_file_of_somebody_else_is_left_alone(text: str) -> None:
    check_no_yaml("/config.yaml", text)


def test_a_table_in_toml_gets_the_same_answer() -> None:
    with pytest.raises(HarkError, match="sm_send") as refused:
        merge_config({"sm_send": {"max_batch_size": 3}}, {}, {})

    assert "max_batch_size = 3" in refused.value.hint


@given(st.text())
def test_whatever_stands_there_it_is_one_line(text: str) -> None:
    with pytest.raises(HarkError) as refused:
        check_no_yaml("/c.yaml", "sm_send:\n" + text)

    assert not set("\n\r\t") & set(refused.value.hint)
