"""Chooses the carrier for this agent, this session, this draft and this mode, by a pure function of what is known."""

from typing import Literal

from msgspec import Struct

from hark.delivery.carriers.interrupt import AGAIN_AFTER_S
from hark.model.message import Carrier, Mode

Contents = Literal["empty", "plain", "draft", "unseen"]
"""What the box holds, as the screen shows it. "plain" is a draft that the line keys can surely take; "unseen" means that the screen
shows no box, or not all of it."""


class Means(Struct, frozen=True, kw_only=True):
    """The means by which hark can carry a draft in this session."""

    has_editor: bool = False
    """True if the agent has a key that opens $EDITOR, and $EDITOR is ours because hark started the agent."""
    is_editor_slow: bool = False
    """True if the editor took so long for the last draft it carried that keys could hardly be held to the end."""
    is_human_typing: bool = False
    has_stash: bool = False
    is_editor_preferred: bool = False
    has_line_keys: bool = False
    are_line_keys_preferred: bool = False
    """True if a plain draft goes by the line keys rather than by the editor."""
    are_lines_known: bool = False
    """True if the agent's data file says how its line keys go, and trusts them with a fresh draft. Otherwise the carrier has to find its
    way on the draft itself, and takes only a stale draft."""
    may_interrupt: bool = False
    """True if somebody has allowed the carrier `interrupt` for this agent."""
    is_idle: bool = False
    interrupted_ago_s: float | None = None


def choose_carrier(
    means: Means, contents: Contents, mode: Mode = Mode.SEQUENTIAL, *, is_stale: bool = False
) -> Carrier:
    """Return the carrier to use. `none` delivers into an empty box only, and holds the message for a draft."""
    if means.has_stash and not (means.has_editor and means.is_editor_preferred):
        return Carrier.STASH
    if contents == "empty":
        return Carrier.NONE
    if contents == "plain" and means.are_line_keys_preferred:
        return Carrier.SENTINEL
    if means.has_editor:
        return Carrier.NONE if means.is_editor_slow and means.is_human_typing else Carrier.EDITOR
    is_waited_out = is_stale or mode is Mode.URGENT
    is_draft = contents in ("plain", "draft")
    if is_draft and means.has_line_keys and (means.are_lines_known or is_waited_out):
        return Carrier.SENTINEL
    if is_draft and is_waited_out and _may_interrupt(means):
        return Carrier.INTERRUPT
    return Carrier.NONE


def carries_at_once(means: Means) -> bool:
    """Return whether a draft is no obstacle: then a human who types is no obstacle either."""
    return means.has_stash or means.has_editor or (means.has_line_keys and means.are_lines_known)


def waits_for_stale(means: Means) -> bool:
    """Return whether a draft that nobody has touched for long can be carried, though a fresh draft cannot."""
    return not carries_at_once(means) and (means.has_line_keys or means.may_interrupt)


def _may_interrupt(means: Means) -> bool:
    is_free = means.interrupted_ago_s is None or means.interrupted_ago_s >= AGAIN_AFTER_S
    return means.may_interrupt and means.is_idle and is_free
