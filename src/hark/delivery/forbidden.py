"""Keys that must not be pressed: some approve, quit or suspend wherever the agent is, some open a view or quit where its box
is empty. What a carrier asks for is held against this once more, right before it is pressed."""

from collections.abc import Iterable

from msgspec import Struct

from hark.delivery.screen.box import BoxLook, read_box
from hark.delivery.screen.capture import Screen


class Forbidden(Struct, frozen=True, kw_only=True):
    always: tuple[str, ...] = ()
    in_empty_box: tuple[str, ...] = ()

    def first_of(self, keys: Iterable[str], screen: Screen | None, look: BoxLook) -> str | None:
        """The first of them that must not be pressed on this screen. A box that is not to be seen counts as empty."""
        box = read_box(screen, look) if screen else None
        is_empty = box is None or box.is_empty
        refused = {*self.always, *(self.in_empty_box if is_empty else ())}
        return next((key for key in keys if key in refused), None)
