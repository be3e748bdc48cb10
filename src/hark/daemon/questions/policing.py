"""Answers permissions by the human's policy, when they are asked; what the policy does not decide is left to the human."""

import asyncio
import os
import stat
import tomllib
from pathlib import Path

from msgspec import Struct

from hark.agents.records.words import Json
from hark.agents.registry import find_agent
from hark.daemon.process.log import logger
from hark.daemon.questions.answering import Answering
from hark.daemon.questions.book import OpenQuestion, Questions
from hark.model.errors import HarkError
from hark.model.question import DENY, Asked, Reply
from hark.model.session import Session
from hark.model.settings.config import Config
from hark.queue.answer_policy import Decision, Place, Policy, decide, read_policy

LONGEST_FILE = 1024 * 1024


class Denied(Struct, frozen=True):
    """A tool that the policy denies before the agent's dialog opens."""

    asked: Asked
    decision: Decision
    words: bytes
    """What the hook prints."""


class Policing:
    def __init__(self, policy: Policy, questions: Questions, answering: Answering) -> None:
        self._policy = policy
        self._questions = questions
        self._answering = answering
        self._asked: asyncio.Queue[tuple[Session, OpenQuestion]] = asyncio.Queue()

    def on_asked(self, session: Session, one: OpenQuestion) -> None:
        if self._policy.rule and self._answering.is_on:
            self._asked.put_nowait((session, one))

    async def run(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            while True:
                tasks.create_task(self._decide(*await self._asked.get()))

    async def _decide(self, session: Session, one: OpenQuestion) -> None:
        decision = decide(self._policy, one.question, _place(session, one.question.directory))
        if decision is None or self._answering.ability(one).code:
            return
        reply = Reply(answer=decision.answer, message=decision.message)
        try:
            await self._answering.carry(one, reply, name_of(decision))
        except HarkError as failure:
            # The dialog stays with the human.
            logger.info("the policy could not answer", extra={"session": session.name, "code": failure.code})

    def deny_before(self, session: Session, event: str, payload: Json) -> Denied | None:
        """Return what a hook prints that runs before a tool, if the policy denies that tool; None if it does not. This is for agents whose
        hooks can deny, and cannot do anything else, before a dialog opens."""
        agent = find_agent(session.agent)
        asked = agent.read_tool(event, payload) if self._policy.rule and self._answering.is_on else None
        if asked is None:
            return None
        decision = decide(self._policy, self._questions.draft(session, asked), _place(session, asked.directory))
        if decision is None or decision.answer != DENY:
            return None
        words = agent.deny_tool(event, decision.message)
        return Denied(asked, decision, words) if words else None

    async def record(self, session: Session, denied: Denied) -> None:
        await self._questions.record_denied(session, denied.asked, name_of(denied.decision))


def name_of(decision: Decision) -> str:
    """Return who has answered, for the record."""
    return f"policy rule {decision.rule}"


def _place(session: Session, directory: str) -> Place:
    return Place(agent=session.agent, session=session.name, directory=directory)


def load_policy(config: Config) -> Policy:
    """Read the policy file. Raise `config-invalid` if there is one and it cannot be trusted or understood."""
    if config.answer_policy is None:
        return Policy()
    path = Path(config.answer_policy).expanduser()
    try:
        with open(path, "rb") as file:
            facts = os.fstat(file.fileno())
            text = file.read(LONGEST_FILE + 1)
        if not stat.S_ISREG(facts.st_mode) or facts.st_uid not in (os.getuid(), 0) or facts.st_mode & 0o022:
            raise _invalid(f"{path} must be a file of yours that nobody else can write")
        if len(text) > LONGEST_FILE:
            raise _invalid(f"{path} is longer than {LONGEST_FILE} bytes")
        return read_policy(tomllib.loads(text.decode()))
    except OSError as failure:
        raise _invalid(f"{path}: {failure.strerror}") from failure
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as wrong:
        raise _invalid(f"{path}: {wrong}") from wrong


def _invalid(detail: str) -> HarkError:
    return HarkError("config-invalid", f"answer_policy: {detail}", "see docs/questions.md")
