"""What the demo agent offers: hooks that speak hark's own words, and that it answers to if it was told to."""

from collections.abc import Mapping

from hark.agents.answers import HookAnswer
from hark.agents.protocol import Agent, Meaning
from hark.agents.questions import decide, name_command, text_of
from hark.agents.records.words import Json
from hark.model.heard import Said
from hark.model.message import Authority
from hark.model.question import Asked, QuestionKind, Reply
from hark.queue.handover import Boundary


class DemoAgent(Agent):
    events: Mapping[str, Meaning] = {str(said): said for said in Said if said not in (Said.UNKNOWN, Said.CONTINUED)}
    answers: Mapping[Boundary, HookAnswer] = {
        Boundary.TOOL: HookAnswer(Authority.NOTICE),
        Boundary.STOP: HookAnswer(Authority.NOTICE, "block"),
    }

    asks_beside = True

    def read_question(self, event: str, payload: Json) -> Asked | None:
        command = text_of(payload, "command")
        return Asked(
            kind=QuestionKind.PERMISSION,
            text=command,
            agents_id=name_command(command),
            tool="shell",
            is_command=True,
            directory=text_of(payload, "cwd"),
        )

    def answer_question(self, event: str, payload: Json, reply: Reply) -> bytes:
        return decide(event, reply)

    def takes_answer(self, payload: Json) -> bool:
        return payload.get("takes_answers") is True


AGENT = DemoAgent()
