"""Says for which reason a message is held when its delivery fails with an error."""

from hark.delivery.gate import Hold
from hark.model.errors import HarkError
from hark.model.message import HoldReason

GONE = frozenset({"tmux-gone", "tmux-failed", "pane-not-found"})
"""The error codes that say that the pane is not there any more."""

REASON_OF = {
    **dict.fromkeys(GONE, HoldReason.SESSION_GONE),
    "airlock-gone": HoldReason.UNREACHABLE,
    "tmux-timeout": HoldReason.UNREACHABLE,
    "tmux-missing": HoldReason.UNREACHABLE,
    "tmux-too-old": HoldReason.UNREACHABLE,
    "tmux-unsafe": HoldReason.UNREACHABLE,
    "lease-lost": HoldReason.CALLED_OFF,
    "transition-illegal": HoldReason.CALLED_OFF,
}
"""The reason of the hold after an error with this code; after any other error the reason is `internal`."""


def hold_after(failure: HarkError, *, has_begun: bool) -> Hold:
    """Return the hold of a message whose delivery failed. `has_begun` says whether hark had begun to put the text into the box: then
    the attempt counts, unless the session is gone."""
    reason = REASON_OF.get(failure.code, HoldReason.INTERNAL)
    detail = failure.detail
    if reason is HoldReason.INTERNAL:
        detail += f"; see 'delivery failed' with the code {failure.code} in `hark logs`"
    return Hold(reason, detail, is_refused=has_begun and reason is not HoldReason.SESSION_GONE)
