"""One storm: a person types the whole time, messages arrive, and what the agent's model received is the truth."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

from msgspec import Struct

from hark.agents.kinds import load_kinds
from hark.demo.human import Human
from tests.agents.arriving import as_it_arrives
from tests.agents.delivering import Delivering, delivering
from tests.agents.marks import MARKS
from tests.campaigns.storm import messages, peers, texts
from tests.campaigns.storm.arrival import Arrival, arrivals
from tests.campaigns.storm.judge import Verdict, judge, trim
from tests.campaigns.storm.result import Result
from tests.campaigns.storm.typist import Typist
from tests.integration.end_to_end.agents import SENDER
from tests.support.terminals import wait_until

DEADLINE_S = 60.0
PROMPT_DEADLINE_S = 90.0
QUIET_S = 3.0
INTERVAL_S = (0.7, 2.0)
MOST_WAITING = 5
LONGEST_WAIT_S = 60.0
POINTER = re.compile(r"The message is \d+ bytes long\. Read it in this file: (\S+) ?")
THINKS_S = {"claude": (0.5, 2.0)}
"""How long the model takes to answer, where the agent takes messages meanwhile. With no time at all each turn of Claude Code ended just
when a held Enter came out, which it does not bear (see `left.py`); no model answers so fast."""
PENDING = ("queued", "held", "staged")

Say = Callable[[str], None]


class Sent(Struct, frozen=True):
    text: str
    """As the agent must receive it."""
    at: datetime
    message_id: str = ""


class Plan(Struct, frozen=True, kw_only=True):
    protocol: str
    """`airlock`, `adopted`, or one of the peers'."""
    agent: str
    deliveries: int
    seed: int
    is_plain: bool = False
    """Only words that can be told from the person's own, as for the protocols in use today."""

    @property
    def is_ours(self) -> bool:
        return self.protocol not in peers.PEERS

    @property
    def title(self) -> str:
        return f"hark, {self.protocol}" if self.is_ours else peers.PEERS[self.protocol].title


class Storm:
    def __init__(self, plan: Plan, agent: Delivering, human: Human, say: Say) -> None:
        self._plan = plan
        self._agent = agent
        self._say = say
        self._dice = Random(f"{plan.seed} messages {plan.protocol} {plan.agent}")
        person = Random(f"{plan.seed} person {plan.protocol} {plan.agent}")
        self.typist = Typist(agent, human, person, of_any_script=not plan.is_plain)
        if not plan.is_ours:
            self.typist.before_prompt = lambda: tidy_up(agent, human)
        self._kind = load_kinds().get(plan.agent)
        self.sent: list[Sent] = []
        self._earlier = [one.text for one in arrivals(agent.stand_in.received())]

    def run(self) -> Result:
        started = time.monotonic()
        self.typist.start()
        try:
            self._send_all()
        finally:
            self.typist.stop(PROMPT_DEADLINE_S)
        self._wait_ended()
        sent, arrived = ([one.text for one in texts] for texts in (self.sent, self.arrivals()))
        verdict = judge(sent, self.typist.prompts, arrived, self._earlier)
        return self._result(verdict, time.monotonic() - started)

    def _send_all(self) -> None:
        for number in range(self._plan.deliveries):
            time.sleep(self._dice.uniform(*INTERVAL_S))
            if not self._wait_room():
                self._say(f"more than {MOST_WAITING} messages have waited for {LONGEST_WAIT_S:.0f} s: no more are sent")
                return
            body = (
                messages.compose(self._dice, number)
                if self._plan.is_plain
                else texts.draw(self._dice, self._kind.longest_inline)
            )
            self.sent.append(self._send(body))
            if (number + 1) % 10 == 0:
                self._say(f"{number + 1} sent, {len(self.typist.prompts)} prompts, {self.typist.keys} keys")

    def _send(self, body: str) -> Sent:
        at = datetime.now(UTC)
        if not self._plan.is_ours:
            peers.send(self._agent.tmux, self._agent.pane, self._plan.protocol, body)
            return Sent(body, at)
        message_id = self._agent.send(body)
        arrives = as_it_arrives(self._plan.agent, body)
        return Sent(f"[Input from: {SENDER} via hark send · {message_id}]\n{arrives}", at, message_id)

    def statuses(self) -> list[str]:
        if not self._plan.is_ours:
            return []
        return [str(self._agent.hark.message(one.message_id)["status"]) for one in self.sent]

    def _waiting(self) -> int:
        """The last ones are enough: they are delivered in order."""
        recent = self.sent[-MOST_WAITING - 1 :] if self._plan.is_ours else []
        return sum(self._agent.hark.message(one.message_id)["status"] in PENDING for one in recent)

    def _wait_room(self) -> bool:
        ends_at = time.monotonic() + LONGEST_WAIT_S
        while self._waiting() > MOST_WAITING:
            if time.monotonic() > ends_at:
                return False
            time.sleep(0.1)
        return True

    def _wait_ended(self) -> None:
        """Until no message waits, or the deadline; and the agent has told its model nothing new for a while."""
        ends_at = time.monotonic() + DEADLINE_S
        while set(self.statuses()) & set(PENDING) and time.monotonic() < ends_at:
            time.sleep(0.2)
        last, since = -1, time.monotonic()
        while time.monotonic() - since < QUIET_S:
            if (count := len(self.arrivals())) != last:
                last, since = count, time.monotonic()
            time.sleep(0.1)

    def arrivals(self) -> list[Arrival]:
        """An agent may drop a character of a text that it shows, and keep it in one that it collapses: both are as expected."""
        found = arrivals(self._agent.stand_in.received())[len(self._earlier) :]
        return [Arrival(as_it_arrives(self._plan.agent, self._as_read(one.text)), one.at) for one in found]

    def _as_read(self, text: str) -> str:
        """The text with the files read that messages point to, because the agent does not take their texts whole."""
        return POINTER.sub(self._read, text)

    def _read(self, pointer: re.Match[str]) -> str:
        text = Path(pointer[1]).read_text()
        return pointer[0] if self._kind.inline.take(text) else text

    def _result(self, verdict: Verdict, seconds: float) -> Result:
        statuses = self.statuses()
        held = {one.text for one, status in zip(self.sent, statuses, strict=False) if status in PENDING}
        return Result(
            protocol=self._plan.title,
            agent=self._plan.agent,
            is_ours=self._plan.is_ours,
            sent=len(self.sent),
            exact=len(verdict.exact),
            garbled=len(verdict.garbled),
            lost=len(set(verdict.lost) - held),
            doubled=len(verdict.doubled),
            held=len(set(verdict.lost) & held),
            uncertain=statuses.count("uncertain"),
            prompts=len(self.typist.prompts),
            prompts_exact=len(verdict.prompts_exact),
            prompts_garbled=len(verdict.prompts_garbled),
            prompts_lost=len(verdict.prompts_lost),
            prompts_kept=len(self.typist.kept),
            keys=self.typist.keys,
            keys_lost=verdict.keys_lost,
            latencies_s=self._latencies(verdict),
            seconds=seconds,
            load=os.getloadavg()[0],
            damage=damage(verdict, held),
        )

    def _latencies(self, verdict: Verdict) -> list[float]:
        """Of the exact ones. Alone or joined with others, as the agent passed them on."""
        arrivals, times = self.arrivals(), []
        for one in self.sent:
            if one.text in verdict.exact:
                arrived_at = next(arrival.at for arrival in arrivals if trim(one.text) in arrival.text)
                times.append((arrived_at - one.at) / timedelta(seconds=1))
        return times


def damage(verdict: Verdict, excused: set[str]) -> list[str]:
    """Without the messages that have not arrived, and of which hark says so."""
    kinds = {
        "message garbled": verdict.garbled,
        "message lost": tuple(text for text in verdict.lost if text not in excused),
        "message doubled": verdict.doubled,
        "prompt garbled": verdict.prompts_garbled,
        "prompt lost": verdict.prompts_lost,
        "arrived": verdict.leftovers,
    }
    return [f"{kind}: {text!r}" for kind, texts in kinds.items() for text in texts]


def tidy_up(agent: Delivering, human: Human, patience_s: float = 6.0) -> None:
    """What a person does who finds no empty box before them for that long: out of whatever it is, and clear it."""
    for key in ("Escape", "C-c", "Escape"):
        try:
            wait_until(lambda: agent_has_empty_box(agent), patience_s, "an empty box")
        except AssertionError:
            human.press(key)
            patience_s = 1.5
        else:
            return


def agent_has_empty_box(agent: Delivering) -> bool:
    return MARKS[agent.launch.kind].has_empty_box(agent.screen())


def run(plan: Plan, say: Say, traces: Path) -> Result:
    thinks_s = THINKS_S.get(plan.agent, (0.0, 0.0))
    with delivering(plan.agent, is_adopted=plan.protocol != "airlock", thinks_s=thinks_s) as agent:
        agent.send("warm up", "--wait", "submitted")
        agent.wait_bodies("warm up")
        agent.wait_ready()
        with agent.human() as human:
            human.wait_attached(DEADLINE_S)
            agent.wait_ready()
            storm = Storm(plan, agent, human, say)
            result = storm.run()
            if plan.is_ours and (result.held or not result.is_clean):
                sent = [f"{one.at.isoformat()} {one.message_id} {one.text!r}" for one in storm.sent]
                keep_traces(agent, sent, storm.typist, traces / f"{plan.protocol}-{plan.agent}-{plan.seed}")
            return result


def keep_traces(agent: Delivering, sent: list[str], typist: Typist, directory: Path) -> None:
    """All that is needed to find out what happened."""
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "hark.log").write_bytes((agent.hark.home / "state/hark.log").read_bytes())
    (directory / "received.jsonl").write_bytes(agent.stand_in.log.read_bytes())
    (directory / "screen.txt").write_text(agent.screen().text)
    (directory / "sent.txt").write_text("\n".join(sent))
    (directory / "prompts.txt").write_text("\n".join(map(repr, typist.prompts)))
    (directory / "keys.txt").write_text("\n".join(typist.log))
