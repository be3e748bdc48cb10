"""Which carrier, by agent, session, draft and mode."""

import pytest
from msgspec.structs import replace

from hark.delivery.carriers.choose import Contents, Means, carries_at_once, choose_carrier, waits_for_stale
from hark.model.message import Carrier, Mode

NOTHING = Means()
STASH = Means(has_stash=True)
EDITOR = Means(has_editor=True)
SLOW = Means(has_editor=True, is_editor_slow=True)
BOTH = Means(has_stash=True, has_editor=True)
KNOWN = Means(has_line_keys=True, are_lines_known=True)
PREFERRED = replace(KNOWN, has_editor=True, are_line_keys_preferred=True)
UNKNOWN = Means(has_line_keys=True)
INTERRUPT = Means(may_interrupt=True, is_idle=True, interrupted_ago_s=60.0)

CHOICES: dict[str, tuple[Means, Contents, bool, Carrier]] = {
    "nothing to work with": (NOTHING, "draft", True, Carrier.NONE),
    "a stash": (STASH, "draft", False, Carrier.STASH),
    "a stash also knows what an empty box hides": (STASH, "empty", False, Carrier.STASH),
    "a stash, before an editor": (BOTH, "draft", False, Carrier.STASH),
    "an editor that is preferred": (replace(BOTH, is_editor_preferred=True), "draft", False, Carrier.EDITOR),
    "an editor": (EDITOR, "draft", False, Carrier.EDITOR),
    "an editor where the box is not to be seen": (EDITOR, "unseen", False, Carrier.EDITOR),
    "no editor for an empty box": (EDITOR, "empty", False, Carrier.NONE),
    "a slow editor": (SLOW, "draft", False, Carrier.EDITOR),
    "a slow editor, while a human types": (replace(SLOW, is_human_typing=True), "draft", False, Carrier.NONE),
    "a quick editor, while a human types": (replace(EDITOR, is_human_typing=True), "draft", False, Carrier.EDITOR),
    "line keys that are known": (KNOWN, "draft", False, Carrier.SENTINEL),
    "line keys, and an empty box": (KNOWN, "empty", False, Carrier.NONE),
    "line keys, and no box to be seen": (KNOWN, "unseen", True, Carrier.NONE),
    "line keys that are not known": (UNKNOWN, "draft", False, Carrier.NONE),
    "line keys that are not known, and a stale draft": (UNKNOWN, "draft", True, Carrier.SENTINEL),
    "line keys that are preferred to the editor": (PREFERRED, "plain", False, Carrier.SENTINEL),
    "line keys that are preferred, and a draft that they cannot take": (PREFERRED, "draft", False, Carrier.EDITOR),
    "line keys that are not preferred to the editor": (
        replace(PREFERRED, are_line_keys_preferred=False),
        "plain",
        False,
        Carrier.EDITOR,
    ),
    "an interrupt, and a fresh draft": (INTERRUPT, "draft", False, Carrier.NONE),
    "an interrupt, and a stale draft": (INTERRUPT, "draft", True, Carrier.INTERRUPT),
    "an interrupt of a busy agent": (replace(INTERRUPT, is_idle=False), "draft", True, Carrier.NONE),
    "an interrupt soon after another": (replace(INTERRUPT, interrupted_ago_s=9.9), "draft", True, Carrier.NONE),
    "an interrupt where there is nothing to clear": (INTERRUPT, "empty", True, Carrier.NONE),
}


@pytest.mark.parametrize(("means", "contents", "is_stale", "carrier"), CHOICES.values(), ids=CHOICES.keys())
def test_a_carrier_is_chosen_by_what_there_is(
    means: Means, contents: Contents, is_stale: bool, carrier: Carrier
) -> None:
    assert choose_carrier(means, contents, is_stale=is_stale) is carrier


@pytest.mark.parametrize(("means", "carrier"), [(UNKNOWN, Carrier.SENTINEL), (INTERRUPT, Carrier.INTERRUPT)])
def test_an_urgent_message_does_not_wait_for_a_draft_to_go_stale(means: Means, carrier: Carrier) -> None:
    assert choose_carrier(means, "draft", Mode.URGENT) is carrier


@pytest.mark.parametrize(
    ("means", "at_once", "when_stale"),
    [
        (NOTHING, False, False),
        (STASH, True, False),
        (EDITOR, True, False),
        (KNOWN, True, False),
        (UNKNOWN, False, True),
        (INTERRUPT, False, True),
    ],
)
def test_a_draft_is_carried_at_once_or_when_it_is_stale_or_never(means: Means, at_once: bool, when_stale: bool) -> None:
    assert (carries_at_once(means), waits_for_stale(means)) == (at_once, when_stale)
