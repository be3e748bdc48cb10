"""Which carrier for this agent, this session and this draft: a pure function of what is known."""

from msgspec import Struct

from hark.model.message import Carrier


class Means(Struct, frozen=True, kw_only=True):
    """What there is to work with."""

    has_editor_key: bool = False
    """The agent has a key that opens $EDITOR."""
    has_our_editor: bool = False
    """And $EDITOR is ours: hark started it."""
    has_stash_key: bool = False
    can_hold_keys: bool = False
    """Nothing may be taken out of a box into which somebody goes on typing."""
    is_editor_preferred: bool = False


def choose_carrier(means: Means) -> Carrier:
    """`none` delivers into an empty box only, and holds for a draft. The others deliver into an empty box as well."""
    if not means.can_hold_keys:
        return Carrier.NONE
    has_editor = means.has_editor_key and means.has_our_editor
    if means.has_stash_key and not (has_editor and means.is_editor_preferred):
        return Carrier.STASH
    return Carrier.EDITOR if has_editor else Carrier.NONE
