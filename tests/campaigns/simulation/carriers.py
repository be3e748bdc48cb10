"""The carriers under test, each started the same way; a broken one can be put in the place of a real one."""

from collections.abc import Callable, Generator

from msgspec import Struct

from hark.delivery.carriers import editor as by_editor
from hark.delivery.carriers import empty_box as into_empty_box
from hark.delivery.carriers import interrupt as by_interrupt
from hark.delivery.carriers import sentinel as by_sentinel
from hark.delivery.carriers import stash as by_stash
from hark.delivery.carriers.editor_return import put_back as put_back_by_editor
from hark.delivery.carriers.rest import AtHold, come_to_rest
from hark.delivery.carriers.steps import Answer, Delivery, Step
from hark.delivery.carriers.submit import Job
from hark.delivery.screen.box import BoxLook
from tests.campaigns.simulation.flavour import STASH, Flavour

Start = Callable[[Job, Flavour], Delivery]
PutBack = Generator[Step, Answer, bool]


def deliver_none(job: Job, _: Flavour) -> Delivery:
    return into_empty_box.deliver(job.text, job.message_id, job.look, job.settle_s)


def deliver_stash(job: Job, _: Flavour) -> Delivery:
    return by_stash.deliver(job, STASH)


def deliver_editor(job: Job, flavour: Flavour) -> Delivery:
    assert flavour.editor is not None
    return by_editor.deliver(job, flavour.editor)


def deliver_sentinel(job: Job, flavour: Flavour) -> Delivery:
    return by_sentinel.deliver(job, flavour.line_keys)


def deliver_interrupt(job: Job, flavour: Flavour) -> Delivery:
    return by_interrupt.deliver(job, flavour.interrupt_keys)


def resume(job: Job, flavour: Flavour, carrier: str, was_staged: bool) -> Delivery:
    if carrier == "editor":
        assert flavour.editor is not None
        return by_editor.resume(job, flavour.editor, was_staged)
    return into_empty_box.resume(job.text, job.message_id, job.look, job.settle_s, was_staged)


def put_back_stash(job: Job, _: Flavour, __: str) -> PutBack:
    return by_stash.put_back(job, STASH)


def put_back_editor(job: Job, flavour: Flavour, draft: str) -> PutBack:
    assert flavour.editor is not None
    return put_back_by_editor(job, flavour.editor, draft)


def put_back_pieces(job: Job, flavour: Flavour, draft: str) -> PutBack:
    return by_sentinel.put_back(job, flavour.line_keys, draft)


PUT_BACK = {
    "stash": put_back_stash,
    "editor": put_back_editor,
    "sentinel": put_back_pieces,
    "interrupt": put_back_pieces,
}


class Carriers(Struct, frozen=True, kw_only=True):
    none: Start = deliver_none
    stash: Start = deliver_stash
    editor: Start = deliver_editor
    sentinel: Start = deliver_sentinel
    interrupt: Start = deliver_interrupt
    resume: Callable[[Job, Flavour, str, bool], Delivery] = resume
    rest: Callable[[BoxLook, AtHold], Generator[Step, Answer, bool]] = come_to_rest


REAL = Carriers()
