"""An agent's own record of its conversation, as a witness: whether a message of ours stands in it.

The agent's hooks say where the record is. hark reads only the end of the record, and only our unquoted header counts: the id
alone may stand there because the agent has sent the message itself.
"""

from hark.agents.records.files import read_part
from hark.delivery.headers import stands_unquoted
from hark.model.ids import MessageId

LOOKED_AT = 4_000_000


def holds(path: str, message_id: MessageId) -> bool | None:
    """Return whether the record at this path holds the message, or None if the record cannot be read."""
    try:
        text = read_part(path, None, LOOKED_AT, back=LOOKED_AT).data
    except OSError:
        return None
    return stands_unquoted(text, message_id)
