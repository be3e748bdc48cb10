"""What must be true after every delivery, whatever happened meanwhile. Each check says what is wrong, or nothing."""

from collections.abc import Iterator

from msgspec import Struct

from hark.delivery.carriers.steps import Held, Outcome, Stuck, Submitted
from hark.delivery.carriers.undo import MARKS
from hark.delivery.screen.box import undisputed
from tests.campaigns.simulation.agent import Agent
from tests.campaigns.simulation.buffer import expand
from tests.campaigns.simulation.layout import Collapsed, Units
from tests.campaigns.simulation.picture import bare
from tests.campaigns.simulation.scenario import MESSAGE_ID, CarrierName
from tests.campaigns.simulation.terminal import Terminal


class Before(Struct, frozen=True):
    """The human's side of the box when a carrier began."""

    units: Units
    cursor: int
    text: str
    stash: tuple[Units, int] | None
    at: float
    inputs: int
    received: int
    showed_box: bool
    had_dialog: bool
    """One that was not drawn yet, where the screen shows the box."""


def before(terminal: Terminal) -> Before:
    agent = terminal.agent
    buffer = agent.buffer
    received = count_received(agent)
    return Before(
        buffer.units,
        buffer.cursor,
        buffer.text,
        agent.stash,
        terminal.now,
        terminal.hark_inputs,
        received,
        terminal.shows_box,
        agent.has_dialog,
    )


def is_beyond_exactness(start: Before, carrier: CarrierName) -> bool:
    """No screen surely shows blanks alone, nor marks on them: such a box counts as empty. The editor gives back a collapsed paste in
    full."""
    has_only_blanks = bool(start.text) and not undisputed(start.text)
    return has_only_blanks or (carrier == "editor" and any(isinstance(unit, Collapsed) for unit in start.units))


def count_received(agent: Agent) -> int:
    return sum(MESSAGE_ID in prompt.text for prompt in agent.prompts)


def is_disturbed(terminal: Terminal, start: Before) -> bool:
    """The human's keys came through, or a dialog stood in the way: then a draft may still be on its way back."""
    has_come = terminal.human_at >= start.at or terminal.dialog_at >= start.at
    return has_come or start.had_dialog or not start.showed_box


def check_outcome(terminal: Terminal, start: Before, outcome: Outcome) -> Iterator[str]:
    """Where the human's keys came between, he may have deleted our text, or submitted it himself: only its number is certain."""
    received = count_received(terminal.agent)
    is_in_box = MESSAGE_ID in terminal.agent.buffer.text
    if isinstance(outcome, Submitted) and not received and is_in_box:
        yield "said to be submitted, and it is in the box"
    if terminal.human_at >= start.at:
        return
    if isinstance(outcome, Submitted) and not received:
        yield "said to be submitted, and not received"
    has_written = terminal.hark_inputs > start.inputs
    if isinstance(outcome, Held) and is_in_box and has_written and not is_hidden(terminal, start):
        yield "said to be held, and it is in the box"
    if isinstance(outcome, Held | Stuck) and received > start.received:
        yield f"said to be {type(outcome).__name__}, and it was received"


def check_left_behind(
    terminal: Terminal, start: Before, outcome: Outcome | None, carrier: CarrierName
) -> Iterator[str]:
    """A hold does not end with our text in the box, where the box could be seen, or with the daemon dead."""
    is_ours = MESSAGE_ID in terminal.agent.buffer.text and MESSAGE_ID not in start.text
    could_go_back = not terminal.has_overrun and not is_disturbed(terminal, start)
    is_undone = outcome is None and not terminal.is_after_enter
    if (is_undone or isinstance(outcome, Held | Stuck)) and is_ours and could_go_back:
        yield "our text was left in the box"


def may_have_missed_it(terminal: Terminal, start: Before, outcome: Outcome | None) -> bool:
    """Held for want of an echo, when a dialog or a human's key came between the paste and its drawing: the text may be there
    all the same, and no screen tells."""
    has_written = terminal.hark_inputs > start.inputs
    came_between = terminal.human_at >= start.at or is_hidden(terminal, start)
    return isinstance(outcome, Held) and has_written and came_between


def is_left_over(agent: Agent) -> bool:
    stashed = expand(agent.stash[0]) if agent.stash else ""
    return count_received(agent) > 0 and MESSAGE_ID in agent.buffer.text + stashed


def is_hidden(terminal: Terminal, start: Before) -> bool:
    """A dialog that waits for no pause came between our paste and its echo: no screen tells that from a paste it swallowed."""
    return terminal.dialog_at >= start.at and not terminal.flavour.dialog_waits_ms


def check_draft(terminal: Terminal, start: Before, outcome: Outcome | None) -> Iterator[str]:
    """Where a carrier has ended, or was cut off: the draft is where it was, or safe; both before the held keys follow."""
    if not undisputed(start.text) or MESSAGE_ID in start.text or terminal.human_at >= start.at:
        return
    if not is_safe(terminal, start):
        yield f"the draft {start.text!r} is lost"
    is_done = isinstance(outcome, Submitted | Held) and not terminal.has_overrun and not is_disturbed(terminal, start)
    if is_done and not _is_trimmed_behind_paste(terminal, start):
        yield from check_untouched(terminal.agent, start)
    # What the agent has not read yet, the human's keys included, it reads in its order.
    if outcome is None and not is_disturbed(terminal, start) and not terminal.line.has_unread:
        yield from check_undone(terminal, start)


def _is_trimmed_behind_paste(terminal: Terminal, start: Before) -> bool:
    """Blanks behind a collapsed paste, and behind the cursor: no screen shows them, and the editor of an agent that trims does not tell
    whether they belong to the paste."""
    is_behind_paste = any(isinstance(unit, Collapsed) for unit in start.units) and start.text != start.text.rstrip()
    trims = terminal.flavour.editor is not None and terminal.flavour.editor.trims
    return trims and is_behind_paste and terminal.agent.buffer.text.rstrip() == start.text.rstrip()


def check_undone(terminal: Terminal, start: Before) -> Iterator[str]:
    """An Enter that made a new line is found by the next daemon, and so is a mark in a draft that has come back by the history."""
    buffer = terminal.agent.buffer
    has_made_line = ("hark", "newline") in terminal.agent.done
    is_for_next = terminal.is_after_enter and (has_made_line or MESSAGE_ID in buffer.text)
    if is_for_next or any(mark in buffer.text for mark in MARKS):
        return
    is_other = buffer.text != start.text
    if terminal.is_after_enter and is_other and _without_blanks(buffer.text) == _without_blanks(start.text):
        # Where the draft is pasted back from the screen: no screen shows blanks at the end of a line.
        return
    for wrong in check_untouched(terminal.agent, start):
        is_collapsed = len(start.units) != len(start.text)
        if "cursor" not in wrong or (_is_plain(start.text, terminal.flavour.columns) and not is_collapsed):
            yield f"after the undo {wrong}"


def _without_blanks(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.split("\n"))


def _is_plain(text: str, columns: int) -> bool:
    """Of wraps, of blanks at the end of a line and of what is drawn as one the screen does not tell enough to find the cursor again
    without a look."""
    return text.isascii() and all(line == line.rstrip() and len(line) < columns - 8 for line in text.split("\n"))


def is_safe(terminal: Terminal, start: Before) -> bool:
    agent = terminal.agent
    places = [agent.buffer.text, terminal.record or ""]
    if agent.stash:
        places.append(expand(agent.stash[0]))
    return not start.text.strip() or squeeze(start.text) in map(squeeze, places)


def squeeze(text: str) -> str:
    """A record taken from the screen has newlines where the box wraps."""
    return "".join(text.split())


def check_untouched(agent: Agent, start: Before) -> Iterator[str]:
    buffer = agent.buffer
    if buffer.text != start.text:
        yield f"the draft was {start.text!r} and is {buffer.text!r}"
    elif buffer.cursor != start.cursor and buffer.units == start.units:
        yield f"the cursor was at {start.cursor} and is at {buffer.cursor}"
    if agent.stash != start.stash:
        yield "the human's stash has changed"


def check_dropped(terminal: Terminal, start: Before) -> Iterator[str]:
    """A draft goes off the record only when it is back, or on its way back by an undo."""
    if (
        not terminal.is_undoing
        and terminal.human_at < start.at
        and squeeze(terminal.agent.buffer.text) != squeeze(start.text)
    ):
        yield f"the record of {start.text!r} was dropped while the box held {terminal.agent.buffer.text!r}"


def is_dialog_unknown(terminal: Terminal) -> bool:
    """A dialog stood over the last undo, and nobody had seen it when the undo was left."""
    undone = terminal.undone
    return undone is not None and undone.met_dialog and not undone.is_dialog_known


def check_dropped_for_touch(terminal: Terminal) -> Iterator[str]:
    """A draft that no undo has brought back stays on record, whoever has typed since."""
    assert terminal.undone is not None
    box, record = terminal.undone.box, undisputed(_unmarked(terminal.record or ""))
    # The record may have been taken from the screen.
    texts = (expand(box), "".join(box), "".join(map(bare, box)))
    if not any(record in undisputed(_unmarked(text)) for text in texts):
        yield f"the record of {terminal.record!r} was dropped, and the undo had left {''.join(box)!r}"


def _unmarked(text: str) -> str:
    """A mark may be in the box, or in a record that was taken from a box with a mark."""
    return "".join(letter for letter in text if letter not in MARKS)


def check_twin(agent: Agent, twin: Agent) -> Iterator[str]:
    """The human's side of two worlds, one of them without hark."""
    prompts = [prompt.text for prompt in agent.prompts if prompt.who == "human"]
    alone = [prompt.text for prompt in twin.prompts if prompt.who == "human"]
    if prompts != alone:
        yield f"the human's prompts are {prompts}, without hark {alone}"
    if agent.buffer.text != twin.buffer.text:
        yield f"the draft is {agent.buffer.text!r}, without hark {twin.buffer.text!r}"
    elif agent.buffer.units == twin.buffer.units and agent.buffer.cursor != twin.buffer.cursor:
        yield f"the cursor is at {agent.buffer.cursor}, without hark at {twin.buffer.cursor}"
    if agent.stash != twin.stash:
        yield "the human's stash is another one than without hark"
