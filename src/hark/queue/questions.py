"""Questions: how one ends, and which answers fit it.

A question ends when it is answered, when its turn ends, or when its session goes. Nobody tells hark of an answer that the human gives in
the agent's dialog, so hark concludes it: the tool has run that waited for the permission; or the agent does not wait any more.

Questions of an agent's own API end when the API does not list them any more; nothing else is needed, and what is heard and seen of the
agent's turns does not count for them.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from hark.model.errors import HarkError
from hark.model.heard import Heard, Said
from hark.model.message import Channel
from hark.model.question import (
    ALLOW,
    DENY,
    AnsweredBy,
    Ending,
    Question,
    QuestionEnd,
    QuestionKind,
    QuestionPart,
    Reply,
)
from hark.queue.turns import Phase

LONGEST_ANSWER = 8192
"""The greatest length of an answer, in characters."""
_TURN_ENDS = (Said.STOPPED, Said.CONTINUED, Said.INTERRUPTED, Said.PROMPT_SUBMITTED)
_AGENT_ENDS = (Said.SESSION_STARTED, Said.SESSION_ENDED)
_SETTLES_WITHIN = timedelta(seconds=2)
"""How long after a question an agent's status file may still say that the agent is busy."""

AT_THE_TERMINAL = Ending(end=QuestionEnd.ANSWERED, answered_by=AnsweredBy.TERMINAL)
ALLOWED_AT_THE_TERMINAL = Ending(end=QuestionEnd.ANSWERED, answer=ALLOW, answered_by=AnsweredBy.TERMINAL)
BY_NOBODY_KNOWN = Ending(end=QuestionEnd.ANSWERED, answered_by=AnsweredBy.UNKNOWN)
TURN_ENDED = Ending(end=QuestionEnd.TURN_ENDED)
SESSION_GONE = Ending(end=QuestionEnd.SESSION_GONE)


def end_by_word(question: Question, heard: Heard) -> Ending | None:
    """Return how the question has ended by what the agent has said since; None if it is still open."""
    if question.channel is Channel.NATIVE or heard.at < question.asked_at:
        return None
    if _has_run(question, heard.work):
        return ALLOWED_AT_THE_TERMINAL if question.kind is QuestionKind.PERMISSION else AT_THE_TERMINAL
    if heard.said is Said.PERMISSION_ANSWERED:
        return BY_NOBODY_KNOWN
    if heard.said in _TURN_ENDS:
        return TURN_ENDED
    return SESSION_GONE if heard.said in _AGENT_ENDS else None


def is_contradicted(question: Question, heard: Heard) -> bool:
    """Return True if hark has carried a `deny` to the agent, and the tool has run all the same: the human's own answer came first."""
    is_denied = question.answered_by is AnsweredBy.HARK and question.answer == DENY
    is_later = question.ended_at is not None and heard.at >= question.asked_at
    return is_denied and is_later and _has_run(question, heard.work)


def _has_run(question: Question, work: str) -> bool:
    return bool(work) and work == question.agents_id


def end_by_phase(question: Question, phase: Phase, *, is_carried: bool) -> Ending | None:
    """Return how the question has ended by what the agent has begun to do since; None if it is still open. `is_carried` is True if a hook
    of the agent waits for the answer: then an input box in view does not prove that the dialog is gone, because Claude Code holds its
    dialog back while the human types."""
    if question.channel is Channel.NATIVE:
        return None
    if phase is Phase.IDLE:
        return TURN_ENDED
    return AT_THE_TERMINAL if phase is Phase.BUSY and not is_carried else None


def end_by_sight(question: Question, phase: Phase, since: datetime, *, was_waiting: bool) -> Ending | None:
    """Return how the question has ended by the agent's own status; None if it is still open. `was_waiting` is True if the status has said
    since the question that the agent waits."""
    if question.channel is Channel.NATIVE or phase not in (Phase.BUSY, Phase.IDLE):
        return None
    if since < question.asked_at or not (was_waiting or since - question.asked_at >= _SETTLES_WITHIN):
        return None
    return AT_THE_TERMINAL if phase is Phase.BUSY else TURN_ENDED


def fit_answer(question: Question, answers: Sequence[str], message: str = "") -> Reply:
    """Return the reply that the answers make. Raise `answer-invalid` if they do not fit the question: a wrong answer is worse than
    none."""
    if any(len(answer) > LONGEST_ANSWER for answer in (*answers, message)):
        raise _invalid(f"an answer has at most {LONGEST_ANSWER} characters", "say it in fewer words")
    if question.kind is QuestionKind.PERMISSION:
        return _fit_permission(question, answers, message)
    if list(answers) == [DENY]:
        return Reply(answer=DENY, message=message)
    if len(answers) != len(question.parts):
        count = len(question.parts)
        raise _invalid(
            f"the question has {count} parts, and {len(answers)} answers were given", "give one for each part"
        )
    chosen = tuple(_fit_part(part, answer) for part, answer in zip(question.parts, answers, strict=True))
    return Reply(answer=ALLOW, texts=tuple(", ".join(part) for part in chosen), chosen=chosen)


def _fit_permission(question: Question, answers: Sequence[str], message: str) -> Reply:
    if len(answers) != 1 or answers[0] not in (ALLOW, DENY):
        raise _invalid("the agent asks for a permission", "answer with allow or deny")
    if answers[0] == ALLOW and message:
        raise _invalid("a message goes with deny only", "leave the message out, or send it with `hark send`")
    if answers[0] == ALLOW and question.is_cut:
        detail = "hark could not keep the whole question, so nobody can know what would be allowed"
        raise HarkError("not-answerable", detail, "answer in the agent's own dialog: `hark attach` shows it")
    return Reply(answer=answers[0], message=message)


def _fit_part(part: QuestionPart, answer: str) -> tuple[str, ...]:
    """Return the options that the answer names, or the answer itself if it is a text that the part takes."""
    if not answer.strip():
        raise _invalid(f"the answer to {part.text!r} is empty", "name an option or write a text")
    if found := _option(part, answer):
        return (found,)
    named = [_option(part, word) for word in answer.split(",")] if part.is_multiple else []
    if named and all(named):
        return tuple(dict.fromkeys(option for option in named if option))
    if not part.allows_text:
        raise _invalid(f"{answer!r} is none of the options", f"the options are: {', '.join(part.options)}")
    return (answer.strip(),)


def _option(part: QuestionPart, word: str) -> str | None:
    """Return the option with this name, however it is written, if there is only one; else None."""
    if word.strip() in part.options:
        return word.strip()
    hits = [option for option in part.options if option.casefold() == word.strip().casefold()]
    return hits[0] if len(hits) == 1 else None


def _invalid(detail: str, hint: str) -> HarkError:
    return HarkError("answer-invalid", detail, hint)
