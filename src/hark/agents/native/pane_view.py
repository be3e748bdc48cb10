"""What a channel may see of its agent's pane."""

from collections.abc import Sequence

from msgspec import Struct


class PaneView(Struct, frozen=True):
    title: str
    rows: Sequence[str]
    """The rows of the screen, without their attributes."""
