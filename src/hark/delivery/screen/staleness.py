"""How long a draft has stood in the box untouched: any change of its text or cursor starts the time anew."""

from msgspec import Struct

from hark.delivery.screen.box import Box


class Untouched(Struct, frozen=True):
    looks: tuple[tuple[str, ...], int, int] | None = None
    since_s: float = 0.0

    def seen(self, box: Box | None, now_s: float) -> "Untouched":
        """Return the state after a look at the box. A box that is out of sight behind a dialog changes nothing."""
        if box is None:
            return self
        looks = (box.rows, box.cursor_row, box.cursor_x)
        return self if looks == self.looks else Untouched(looks, now_s)

    def for_s(self, now_s: float) -> float:
        return now_s - self.since_s if self.looks else 0.0
