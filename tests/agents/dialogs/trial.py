"""One try: an agent is made to ask for permission while a message is on its way to it.

The human submits a prompt after which the agent works for a while and asks. A message is sent so that the dialog opens
before its delivery, in the middle of it or after it. Then the dialog must be open, as it was drawn, and what was asked for
must not be done, until the human refuses; then the message must arrive, and the human's draft, if there was one, must be in
the box: it is the prompt of the next try.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import msgspec

from tests.agents.dialogs.subject import Subject
from tests.agents.running import DEADLINE_S
from tests.agents.screen import Screen
from tests.support.terminals import wait_until

DELIVERED = ("submitted", "acknowledged", "completed")
OPENS_WITHIN_S = 20.0
TRIED_WITHIN_S = 4.0
LOOK_EVERY_S = 0.01
COMES_WITHIN_S = 5.0
BACK_WITHIN_S = 5.0


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    busy_s: float
    """How long the agent works before it asks."""
    send_after_s: float
    """From the moment when the prompt has reached the model."""
    linger_s: float
    """How long the human looks at the dialog."""
    text: str
    draft: str | None
    """Typed while the agent works; the next try's prompt."""


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    plan: Plan
    answer: str
    """What became of the dialog: "untouched", "approved", "denied", "moved" (another choice is selected), or "not asked": a
    message that steers a running turn, as in Codex, may keep the model from asking."""
    message: str
    """"exact", "uncertain", "lost", "doubled", "changed"."""
    draft: str
    """"none", "exact", "harmed"."""
    opened: str
    """"before" the delivery, "during" it or "after" it."""
    opened_after_s: float
    """From the moment when the prompt has reached the model."""
    sent_after_s: float
    staged_after_s: float | None
    """From the sending to the moment before Enter; None if it did not come so far before the dialog."""
    story: str

    @property
    def is_fault(self) -> bool:
        return (
            self.answer not in ("untouched", "not asked")
            or self.draft == "harmed"
            or self.message in ("lost", "doubled", "changed")
        )


class Sender:
    """How messages are sent, and what is known of them."""

    patience_s = 60.0
    """On a loaded machine an agent may take long to send to the model what it was given, and to draw. Only a fault costs it all."""

    def send(self, subject: Subject, text: str) -> str:
        """Answers the message's id, which goes to the agent with it."""
        body, headers = {"text": text, "sender_name": "ci"}, {"Idempotency-Key": uuid4().hex}
        return str(subject.hark.api("POST", "/sessions/a/send", body, headers).json["id"])

    def message(self, subject: Subject, message_id: str) -> dict[str, Any]:
        return subject.hark.message(message_id)

    def has_tried(self, subject: Subject, message_id: str) -> bool:
        """Whether the delivery has met the dialog, or was over before."""
        message = self.message(subject, message_id)
        return message["status"] in (*DELIVERED, "uncertain") or message["reason"] in ("dialog", "draft")

    def is_over(self, subject: Subject, message_id: str) -> bool:
        queue = subject.hark.api("GET", "/sessions/a/send-queue").json
        is_ended = self.message(subject, message_id)["status"] in (*DELIVERED, "uncertain")
        return is_ended and queue["saved_user_input"] is None


def submit(subject: Subject, patience_s: float) -> tuple[str, float]:
    """What is in the box, by hand; answers what reached the model, and when. Nothing, if nothing did."""
    # OpenCode never sends what is queued in a turn that a refusal is just ending.
    with suppress(AssertionError):
        subject.wait_screen(lambda screen: not subject.marks.is_busy(screen), "the end of the turn")
    before = len(subject.texts())
    time.sleep(0.15)  # a human's pause: right behind a paste some agents take an Enter for a part of it
    subject.human.press("Enter")
    try:
        wait_until(lambda: len(subject.texts()) > before, patience_s, "the prompt at the model")
    except AssertionError:
        return subject.screen().text, time.time()
    return subject.texts()[-1].strip(), time.time()


def try_once(subject: Subject, name: str, plan: Plan, submitted_at: float, sender: Sender) -> Outcome:
    """`name` is what the prompt that was submitted just now asks for."""
    has_draft = plan.draft is not None and type_draft(subject, plan.draft)
    dialog_at = wait_dialog(subject, name, submitted_at + plan.send_after_s, lambda: False)
    time.sleep(max(0.0, submitted_at + plan.send_after_s - time.time()))
    sent_at = time.time()
    message_id = sender.send(subject, plan.text)
    dialog_at = dialog_at or wait_dialog(
        subject, name, sent_at + OPENS_WITHIN_S, lambda: sender.is_over(subject, message_id)
    )
    answer, screen = (
        watch_dialog(subject, name, plan, lambda: sender.has_tried(subject, message_id))
        if dialog_at
        else find_out(subject, name)
    )
    if answer in ("untouched", "moved"):
        subject.refuse()
    message = wait_end(subject, sender, message_id)
    arrived = [text for text in subject.texts() if message_id in text]
    opened_at = dialog_at or time.time()
    return Outcome(
        plan=plan,
        answer="approved" if subject.is_done(name) else answer,
        message=judge_message(message, arrived, plan.text),
        draft=judge_box(subject, plan.draft if has_draft else None, sender.patience_s / 4),
        opened=phase(message, sent_at, opened_at),
        opened_after_s=opened_at - submitted_at,
        sent_after_s=sent_at - submitted_at,
        staged_after_s=staged_after(message, sent_at, opened_at),
        story=f"{message}\n{arrived}\n{screen}\n--- in the end\n{subject.screen().text}",
    )


def wait_dialog(subject: Subject, name: str, until: float, is_over: Callable[[], bool]) -> float | None:
    """When it was first seen, or what it asks for was done; None if it was not before `until`, or will not come any more:
    the delivery is over, and the agent idle."""
    idle_since = None
    while True:
        now, screen = time.time(), subject.screen()
        if subject.is_asking(screen) or subject.is_done(name):
            return now
        idle_since = None if subject.marks.is_busy(screen) or not is_over() else idle_since or now
        if now > until or (idle_since and now > idle_since + COMES_WITHIN_S):
            return None
        time.sleep(max(0.0, min(LOOK_EVERY_S, until - now)))


def find_out(subject: Subject, name: str) -> tuple[str, str]:
    """Why there was no dialog: it was answered faster than we could look, or the agent was never told to ask."""
    screen = subject.screen()
    shown = "".join(row.strip() for row in screen.rows)
    is_unasked = shown.count(name) == shown.count(f"{name}]]") > 0
    return "not asked" if is_unasked else "denied", screen.text


def type_draft(subject: Subject, draft: str) -> bool:
    """False when the dialog was faster: then the paste went nowhere."""
    subject.paste(draft)
    return not subject.is_asking(subject.screen())


def watch_dialog(subject: Subject, name: str, plan: Plan, has_tried: Callable[[], bool]) -> tuple[str, str]:
    """What became of it while nobody has answered it, and the last screen."""
    ends_at = time.time() + TRIED_WITHIN_S
    while time.time() < ends_at and not has_tried():
        time.sleep(LOOK_EVERY_S)
    time.sleep(plan.linger_s)
    # An agent that draws everything again shows nothing for a while.
    with suppress(AssertionError):
        subject.wait_screen(lambda screen: judge_dialog(subject, name, screen) == "untouched", "it", BACK_WITHIN_S)
    screen = subject.screen()
    return judge_dialog(subject, name, screen), screen.text


def judge_dialog(subject: Subject, name: str, screen: Screen) -> str:
    if subject.is_done(name):
        return "approved"
    if not subject.is_asking(screen):
        return "denied"
    return "untouched" if subject.has_first_choice(screen) else "moved"


def wait_end(subject: Subject, sender: Sender, message_id: str) -> dict[str, Any]:
    """A message that does not end in time, or does not arrive, is judged as it is then."""
    with suppress(AssertionError):
        wait_until(lambda: sender.is_over(subject, message_id), DEADLINE_S, "the end")
        wait_until(
            lambda: any(message_id in text for text in subject.texts()), sender.patience_s, "the message at the model"
        )
    return sender.message(subject, message_id)


def judge_message(message: dict[str, Any], arrived: list[str], text: str) -> str:
    if len(arrived) > 1:
        return "doubled"
    if not arrived:
        return "uncertain" if message["status"] == "uncertain" else "lost"
    head, _, body = arrived[0].partition(f"{message['id']}]\n")
    is_wrapped = not head.startswith("[Input from")
    is_exact = text in body if is_wrapped else body.strip() == text.strip()
    return "exact" if is_exact else "changed"


def judge_box(subject: Subject, draft: str | None, within_s: float) -> str:
    """Only whether the draft is there, or nothing; to the letter it is judged when it is submitted."""
    is_empty, end = subject.marks.has_empty_box, draft.split()[-1] if draft else ""
    try:
        subject.wait_still(lambda screen: end in screen.cursor_row if draft else is_empty(screen), "the box", within_s)
    except AssertionError:
        return "harmed"
    return "exact" if draft else "none"


def at_s(message: dict[str, Any], status: str) -> float | None:
    found = [receipt["at"] for receipt in message["receipts"] if receipt["status"] == status]
    return datetime.fromisoformat(found[0]).astimezone(UTC).timestamp() if found else None


def phase(message: dict[str, Any], sent_at: float, opened_at: float) -> str:
    submitted_at = at_s(message, "submitted")
    if opened_at < sent_at:
        return "before"
    return "after" if submitted_at is not None and submitted_at < opened_at else "during"


def staged_after(message: dict[str, Any], sent_at: float, opened_at: float) -> float | None:
    staged_at = at_s(message, "staged")
    return staged_at - sent_at if staged_at is not None and staged_at < opened_at else None
