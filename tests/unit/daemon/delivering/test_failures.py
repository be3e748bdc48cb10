"""A delivery that fails with an error holds its message for a reason that somebody can act on."""

import pytest

from hark.daemon.delivering.failures import REASON_OF, hold_after
from hark.model.errors import CODES, HarkError
from hark.model.message import HoldReason

REASONS = {
    "pane-not-found": HoldReason.SESSION_GONE,
    "tmux-gone": HoldReason.SESSION_GONE,
    "airlock-gone": HoldReason.UNREACHABLE,
    "tmux-timeout": HoldReason.UNREACHABLE,
    "lease-lost": HoldReason.CALLED_OFF,  # another daemon has it
    "transition-illegal": HoldReason.CALLED_OFF,  # somebody has changed the message meanwhile
    "disk-full": HoldReason.INTERNAL,
    "store-locked": HoldReason.INTERNAL,
}


@pytest.mark.parametrize(("code", "reason"), REASONS.items())
def test_the_code_of_an_error_says_the_reason(code: str, reason: HoldReason) -> None:
    hold = hold_after(HarkError(code, "what happened"), has_begun=False)

    assert hold.reason is reason
    assert hold.detail.startswith("what happened")
    assert ("`hark logs`" in hold.detail and code in hold.detail) is (reason is HoldReason.INTERNAL)
    assert not hold.is_refused


@pytest.mark.parametrize(("code", "reason"), REASONS.items())
def test_an_attempt_that_has_begun_counts_unless_the_session_is_gone(code: str, reason: HoldReason) -> None:
    hold = hold_after(HarkError(code, "what happened"), has_begun=True)

    assert hold.is_refused is (reason is not HoldReason.SESSION_GONE)


def test_every_code_with_a_reason_exists() -> None:
    assert set(REASON_OF) <= set(CODES)
