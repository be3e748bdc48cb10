"""Writes a log line for every change of a message's status and for every draft that is taken or returned, whoever caused it.

A line never has the text of a message, which `hark show` shows, or the text of a draft, which is the human's own.
"""

from hark.daemon.process.log import logger
from hark.model.event import Event, EventKind

_WORDS = {
    EventKind.MESSAGE: "message",
    EventKind.DRAFT_TAKEN: "draft taken",
    EventKind.DRAFT_RETURNED: "draft returned",
}


def log_event(event: Event) -> None:
    if words := _WORDS.get(event.kind):
        logger.info(words, extra={"session": event.session_id, "message_id": event.message_id, **event.data})
