"""Keys that hark must not press: some approve, quit or suspend wherever the agent is, and some open a view or quit if its box is empty.
The keys that a carrier asks for are checked against this list once more, right before they are pressed."""

from collections.abc import Iterable

from msgspec import Struct

from hark.delivery.screen.box import BoxLook, read_box
from hark.delivery.screen.capture import Screen


class Forbidden(Struct, frozen=True, kw_only=True):
    always: tuple[str, ...] = ()
    in_empty_box: tuple[str, ...] = ()

    def first_of(self, keys: Iterable[str], screen: Screen | None, look: BoxLook) -> str | None:
        """Return the first of these keys that must not be pressed on this screen, or None. A box that cannot be seen counts as empty."""
        box = read_box(screen, look) if screen else None
        is_empty = box is None or box.is_empty
        refused = {*self.always, *(self.in_empty_box if is_empty else ())}
        return next((key for key in keys if key in refused), None)
