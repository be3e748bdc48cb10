"""Ends the turn that an agent is working on, because an urgent message asks for it.

    look -> a box, and no dialog? -> a turn runs? -> on record -> the agent's own key -> until the box is there and no turn runs

The key that interrupts a turn denies the request in a dialog, and opens a menu or clears a draft in an idle box. So hark presses
the key only on a screen that shows both the input box and a running turn, and the terminal checks in the same instant that the
cursor has not moved. hark presses the key once for a message, whatever comes of it.

An agent may put something back into its box: a prompt that the agent has not answered, or prompts that it had queued. hark knows
its own messages by their ids (`given_back`); everything else was the human's, and is carried like any draft.
"""

from collections.abc import Callable, Generator, Iterable

from msgspec import Struct

from hark.delivery.carriers.steps import Answer, Held, NoteInterrupt, PressStop, Step
from hark.delivery.carriers.submit import look, no_box, settle, watch_for
from hark.delivery.screen.box import BoxLook, mentions, read_box
from hark.delivery.screen.capture import Screen
from hark.model.ids import MessageId
from hark.model.message import HoldReason

ENDED_WITHIN_S = 3.0
HEEDED_WITHIN_S = 0.3
HELD_S = 1.0
"""How long to hold the human's keys while the turn ends: an agent reads an Escape and a key right behind it as one other key."""
TRIES = 5
"""How often to try the key: a screen that animates may move at the very moment of the press."""

IsRunning = Callable[[Screen], bool]


class StopKeys(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    key: tuple[str, ...] = ("Escape",)
    """The keys that end a turn, pressed one after the other: some agents want to be told twice."""
    settle_s: float = 0.1
    """How long after the end of the turn the agent may still put something back into its box."""


class Pressed(Struct, frozen=True):
    screen: Screen
    """The screen as it was before the key was pressed."""


class NothingRuns(Struct, frozen=True):
    """Nothing was pressed: the agent is idle."""


Stopping = Generator[Step, Answer, Pressed | NothingRuns | Held]


def press_stop(box_look: BoxLook, keys: StopKeys, is_running: IsRunning) -> Stopping:
    for _ in range(TRIES):
        seen = yield from look()
        if read_box(seen.screen, box_look) is None:
            return no_box(seen.screen, box_look)
        if not is_running(seen.screen):
            return NothingRuns()
        if not (yield NoteInterrupt()):
            return Held(HoldReason.CALLED_OFF, "the delivery was called off")
        if (yield PressStop(keys.key[0], seen.screen)):
            yield from _press_rest(box_look, keys, is_running)
            return Pressed(seen.screen)
    return Held(HoldReason.BUSY, "the screen never stood still for the key that ends the turn")


def _press_rest(box_look: BoxLook, keys: StopKeys, is_running: IsRunning) -> Generator[Step, Answer, None]:
    """Press the remaining keys, but only while the turn still runs: once the agent has stopped, another key would go into an idle box.
    Wait before each key until the key before it has had an effect, because an agent takes two Escapes in one read for another key."""
    for key in keys.key[1:]:
        first = yield from look()
        yield from watch_for(lambda screen, rows=first.screen.rows: screen.rows != rows, HEEDED_WITHIN_S)  # type: ignore[misc]
        seen = yield from look()
        if read_box(seen.screen, box_look) is None or not is_running(seen.screen):
            break
        yield PressStop(key, seen.screen)


def wait_for_end(
    box_look: BoxLook, is_running: IsRunning, within_s: float, settle_s: float = 0.0
) -> Generator[Step, Answer, Screen | None]:
    """Wait until the box is in view and no turn runs, and return the settled screen that proves it. Return None if no such screen comes
    in time."""

    def has_ended(screen: Screen) -> bool:
        return read_box(screen, box_look) is not None and not is_running(screen)

    seen = yield from watch_for(has_ended, within_s)
    if not has_ended(seen.screen):
        return None
    return (yield from settle(settle_s, seen)).screen


def given_back(screen: Screen, box_look: BoxLook, ids: Iterable[MessageId]) -> tuple[MessageId, ...]:
    """Return which of these messages, which the agent had taken, are in its box again."""
    box = read_box(screen, box_look)
    return tuple(message_id for message_id in ids if box and mentions(box, message_id))
