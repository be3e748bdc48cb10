"""An agent's own record of its conversation, as a witness: whether a message of ours stands in it.

Its hooks say where it is. Only its end is read, and only our header counts, and not as a quote: the mere id may stand there
because the agent has sent the message itself.
"""

from hark.agents.record_files import read_part
from hark.delivery.headers import stands_unquoted
from hark.model.ids import MessageId

LOOKED_AT = 4_000_000


def holds(path: str, message_id: MessageId) -> bool | None:
    """None when it cannot be read."""
    try:
        text = read_part(path, None, LOOKED_AT, back=LOOKED_AT).data
    except OSError:
        return None
    return stands_unquoted(text, message_id)
