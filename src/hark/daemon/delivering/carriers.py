"""Chooses the carrier that serves a session now, and makes its delivery. Each courier has one `Carriers` object, because how long a
draft has stood in the box and when an interrupt was last pressed must outlive a single attempt."""

import asyncio
from collections.abc import Generator

from msgspec.structs import replace

from hark.agents.kinds import AgentKind
from hark.daemon.panes import Panes
from hark.delivery.budget import HOLD_S, SLOW_S
from hark.delivery.carriers import editor as by_editor
from hark.delivery.carriers import empty_box as into_empty_box
from hark.delivery.carriers import interrupt as by_interrupt
from hark.delivery.carriers import sentinel as by_sentinel
from hark.delivery.carriers import stash as by_stash
from hark.delivery.carriers.choose import Contents, Means, choose_carrier, waits_for_stale
from hark.delivery.carriers.draft_reader import LineKeys
from hark.delivery.carriers.editor_return import put_back as put_back_by_editor
from hark.delivery.carriers.interrupt import IDLE_AFTER_S
from hark.delivery.carriers.steps import Answer, Delivery, Step
from hark.delivery.carriers.submit import Job
from hark.delivery.screen.box import Box, holds_text, read_box
from hark.delivery.screen.capture import Screen
from hark.delivery.screen.staleness import Untouched
from hark.model.message import Carrier, Draft, Message, Mode, Status
from hark.model.session import Session

SLOW_FOR_S = 15.0
"""How many seconds an editor counts as slow after a slow delivery: if it were for ever, a human who never pauses would hold up every
message."""


class Carriers:
    def __init__(self, panes: Panes, stale_after_s: float) -> None:
        self._panes = panes
        self._stale_after_s = stale_after_s
        self._untouched = Untouched()
        # The daemon before this one may have pressed an interrupt just now.
        self._interrupted_at_s = _now_s()
        self._editor_is_slow_until_s = 0.0
        self._last_key_at_s: float | None = None

    def note_key(self, age_s: float | None) -> None:
        """Take note of how many seconds ago the human last pressed a key; None if that is not known."""
        self._last_key_at_s = None if age_s is None else _now_s() - age_s

    def note_hold(self, carrier: Carrier, lasted_s: float) -> None:
        """Take note of how many seconds a delivery that had begun held the human's keys."""
        if carrier is Carrier.EDITOR:
            self._editor_is_slow_until_s = _now_s() + SLOW_FOR_S if lasted_s > SLOW_S else 0.0

    def means(self, session: Session, kind: AgentKind) -> Means:
        quiet_s = self._panes.quiet_s(session.pane)
        return replace(
            kind.means(has_airlock=session.airlock is not None),
            is_editor_slow=_now_s() < self._editor_is_slow_until_s or (kind.editor is not None and kind.editor.is_slow),
            is_human_typing=self._pause_in_s() > 0,
            is_idle=quiet_s is not None and quiet_s >= IDLE_AFTER_S,
            interrupted_ago_s=_now_s() - self._interrupted_at_s,
        )

    @property
    def untouched(self) -> Untouched:
        """What the box held at the last look, and since when it holds exactly that."""
        return self._untouched

    def see(self, box: Box | None) -> None:
        self._untouched = self._untouched.seen(box, _now_s())

    def choose(self, session: Session, kind: AgentKind, screen: Screen, box: Box | None, mode: Mode) -> Carrier:
        self.see(box)
        contents = _contents(kind, screen, box)
        carrier = choose_carrier(self.means(session, kind), contents, mode, is_stale=not self._stale_in_s())
        if carrier is Carrier.INTERRUPT:
            self._interrupted_at_s = _now_s()
        return carrier

    def resumption(self, session: Session, kind: AgentKind, screen: Screen, job: Job, message: Message) -> Delivery:
        """Return the delivery that goes on with a message whose text may be in the box. If the screen does not show the whole text, our
        editor tells what is in the box, whichever carrier has put it there. If the screen shows the text, no editor is opened: after
        its editor the agent redraws its whole screen, or nothing at all, and the keys are held for longer."""
        was_staged = message.status is Status.STAGED
        if message.is_raw:
            return into_empty_box.resume_raw(job)
        box = read_box(screen, job.look)
        is_shown = box is not None and holds_text(box, job.text)
        means = replace(self.means(session, kind), is_editor_slow=False)
        if kind.editor and not is_shown and choose_carrier(means, "unseen") is Carrier.EDITOR:
            return by_editor.resume(job, kind.editor, was_staged)
        return into_empty_box.resume(job.text, job.message_id, job.look, job.settle_s, was_staged)

    def may_carry_in_s(self, session: Session, kind: AgentKind) -> float | None:
        """Return in how many seconds a draft that holds a message up now may be carried after all; None if time alone changes nothing."""
        means = self.means(session, kind)
        if means.has_editor and means.is_editor_slow:
            return self._pause_in_s() or None
        return self._stale_in_s() or None if waits_for_stale(means) else None

    def _pause_in_s(self) -> float:
        """Return how many seconds are left until the human has paused for as long as a slow editor takes."""
        return 0.0 if self._last_key_at_s is None else max(0.0, self._last_key_at_s + HOLD_S - _now_s())

    def _stale_in_s(self) -> float:
        return max(0.0, self._stale_after_s - self._untouched.for_s(_now_s()))


def _contents(kind: AgentKind, screen: Screen, box: Box | None) -> Contents:
    if box is None:
        return "unseen"
    if box.is_empty:
        return "empty"
    is_plain = kind.sentinel is not None and by_sentinel.is_plain(box, screen, kind.box, kind.sentinel)
    return "plain" if is_plain else "draft"


def delivery(carrier: Carrier, kind: AgentKind, job: Job) -> Delivery:
    match carrier:
        case Carrier.EDITOR if kind.editor:
            return by_editor.deliver(job, kind.editor)
        case Carrier.STASH if kind.stash:
            return by_stash.deliver(job, kind.stash)
        case Carrier.SENTINEL if kind.sentinel:
            return by_sentinel.deliver(job, kind.sentinel)
        case Carrier.INTERRUPT if kind.interrupt:
            return by_interrupt.deliver(job, kind.interrupt)
    return into_empty_box.deliver(job.text, job.message_id, job.look, job.settle_s)


def return_of(draft: Draft, kind: AgentKind, job: Job) -> Generator[Step, Answer, bool]:
    match draft.carrier:
        case Carrier.STASH if kind.stash:
            return by_stash.put_back(job, kind.stash)
        case Carrier.EDITOR if kind.editor:
            return put_back_by_editor(job, kind.editor, draft.text)
        case Carrier.SENTINEL | Carrier.INTERRUPT:
            return by_sentinel.put_back(job, _line_keys(kind), draft.text)
    return into_empty_box.put_back(job, draft.text)


def _line_keys(kind: AgentKind) -> LineKeys:
    return kind.sentinel or (kind.interrupt.line_keys if kind.interrupt else LineKeys())


def _now_s() -> float:
    return asyncio.get_running_loop().time()
