"""When something was said, put right: a hook that runs beside its agent starts when the machine finds time for it, and may
stamp its report later than what came after it. Where an agent names its turns, its prompt is what its turn began with, whatever
the stamps say."""

from datetime import datetime, timedelta

from msgspec import Struct

from hark.model.heard import Said

_TICK = timedelta(microseconds=1)


class TurnTimes(Struct, frozen=True):
    """What is known of the newest turn that the agent has named."""

    turn_id: str
    first_at: datetime
    prompt_at: datetime | None


def put_right(known: TurnTimes | None, turn_id: str, said: Said, at: datetime) -> tuple[TurnTimes | None, datetime]:
    """Returns what is known of the turn now, and the corrected instant at which something was said."""
    if not turn_id:
        return known, at
    is_prompt = said is Said.PROMPT_SUBMITTED
    if known is None or known.turn_id != turn_id:
        return TurnTimes(turn_id, at, at if is_prompt else None), at
    if is_prompt and known.prompt_at is None:
        at = min(at, known.first_at - _TICK)
        return TurnTimes(turn_id, at, at), at
    if not is_prompt and known.prompt_at is not None:
        at = max(at, known.prompt_at + _TICK)
    return known, at
