"""Corrects the time at which an agent said something. A hook that runs beside its agent starts when the machine finds time for it, and
may stamp its report later than reports of things that happened afterwards. Where an agent names its turns, a turn begins with its
prompt, whatever the stamps say."""

from datetime import datetime, timedelta

from msgspec import Struct

from hark.model.heard import Said

_TICK = timedelta(microseconds=1)


class TurnTimes(Struct, frozen=True):
    """What hark knows about the newest turn that the agent has named: its id, its first report, and its prompt."""

    turn_id: str
    first_at: datetime
    prompt_at: datetime | None


def correct_time(known: TurnTimes | None, turn_id: str, said: Said, at: datetime) -> tuple[TurnTimes | None, datetime]:
    """Return what is known about the newest turn now, and the corrected time at which the agent said something."""
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
