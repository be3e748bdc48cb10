"""The daemon is killed while it holds the person's keys, again and again, and the person types on.

The keyboard must be theirs again at once (behind an airlock) or within two seconds (on an adopted pane), without anybody's help. Then the daemon is started again; in the end no
key may be lost, the draft must be exact, and the message must have arrived once or be called uncertain.
"""

from __future__ import annotations

import os
import signal
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import reduce
from pathlib import Path
from random import Random

from msgspec import Struct
from msgspec.structs import replace

from hark.demo.human import Human, wait_for
from hark.terminal.holds.key_tables import MARK, OUT, OVER
from tests.agents.delivering import Delivering, delivering
from tests.campaigns.storm import messages
from tests.campaigns.storm.arrival import arrivals
from tests.campaigns.storm.judge import Verdict, judge
from tests.campaigns.storm.person import Composer, Key
from tests.campaigns.storm.storm import DEADLINE_S, PENDING, Say, agent_has_empty_box, damage, keep_traces, tidy_up
from tests.campaigns.storm.typist import Typist
from tests.integration.airlock.running import Client
from tests.integration.end_to_end.agents import SENDER

ROUND = 25
"""Kills on one agent: what it has been told it draws again and again, slower and slower."""
LONGEST_DELAY_S = {"airlock": 0.4, "adopted": 0.8}
"""Most holds are over by then."""
HELD_WITHIN_S = 8.0
FREE_WITHIN_S = 10.0
FREE_AIM_S = {"hark, airlock": 0.5, "hark, adopted": 2.0}
ENDED_WITHIN_S = 15.0
QUIET_S = 0.8
PROMPT_LENGTH = 42
POLL_S = 0.0005
EMPTY_WITHIN_S = 2.0
MOST_RESTS = 3
LOGGED = ("message", "status", "detail")
"""Of the log: how far a delivery was when its daemon was killed."""


class Killed(Struct, frozen=True, kw_only=True):
    protocol: str
    agent: str
    kills: int
    missed: int
    """Rounds in which the hold was over before the daemon could be killed; they are judged too."""
    free_s: list[float]
    prompts: int
    prompts_exact: int
    keys: int
    keys_lost: int
    messages: int
    exact: int
    uncertain: int
    """Of those that did not arrive exactly."""
    garbled: int
    lost: int
    doubled: int
    damage: list[str]
    seconds: float

    @property
    def median_s(self) -> float:
        return statistics.median(self.free_s) if self.free_s else 0.0

    @property
    def longest_s(self) -> float:
        return max(self.free_s, default=0.0)

    @property
    def is_clean(self) -> bool:
        counts = (self.keys_lost, self.garbled, self.lost, self.doubled, self.prompts - self.prompts_exact)
        return self.longest_s <= FREE_AIM_S[self.protocol] and not any(counts) and not self.damage

    def plus(self, later: Killed) -> Killed:
        """Both rounds as one."""
        return replace(self, **{name: getattr(self, name) + getattr(later, name) for name in SUMMED})


SUMMED = (
    *("kills", "missed", "free_s", "prompts", "prompts_exact", "keys", "keys_lost"),
    *("messages", "exact", "uncertain", "garbled", "lost", "doubled", "damage", "seconds"),
)


class Killing:
    def __init__(
        self, protocol: str, agent: Delivering, human: Human, is_held: Callable[[], bool], dice: Random, say: Say
    ) -> None:
        self._protocol = protocol
        self.agent = agent
        self._human = human
        self._is_held = is_held
        self._dice = dice
        self._say = say
        self.typist = Typist(agent, human, dice)
        self._composer = Composer(dice)
        self._earlier = [one.text for one in arrivals(agent.stand_in.received())]
        self.sent: dict[str, str] = {}
        """The id of each message, and how it must arrive."""
        self.free_s: list[float] = []
        self.missed = 0
        self._last_logged = ""

    def run(self, kills: int) -> None:
        for number in range(2 * kills):
            if len(self.free_s) == kills:
                return
            self._round(number)
            self._submit_the_rest()

    def wait_arrived(self) -> None:
        """A prompt that was submitted last may be on its way still."""
        is_so_within(lambda: not (self.verdict().lost or self.verdict().prompts_lost), ENDED_WITHIN_S)

    def _round(self, number: int) -> None:
        acts = self._composer.compose(number, length=PROMPT_LENGTH)
        body = messages.compose(self._dice, number)
        writer = threading.Thread(target=self.typist.write, args=(acts,), daemon=True)
        writer.start()
        message_id = self.agent.send(body)
        self.sent[message_id] = f"[Input from: {SENDER} via hark send · {message_id}]\n{body}"
        if self._kill_in_a_hold():
            self._note("killed")
            self.free_s.append(self._wait_free())
            self._last_logged = " ".join(str(self.agent.hark.log()[-1].get(field, "")) for field in LOGGED)
            self._note(f"keys free; the last that was logged: {self._last_logged}")
            self.agent.hark.ok("daemon", "start")
        else:
            self.missed += 1
        writer.join(DEADLINE_S)
        self._wait_ended(message_id)
        status = self.agent.hark.message(message_id)["status"]
        free = f"keys free after {self.free_s[-1] * 1000:.0f} ms" if self.free_s else "the first hold was missed"
        self._say(f"{len(self.free_s)} kills, {free}, message {status}; the last that was logged: {self._last_logged}")

    def _note(self, what: str) -> None:
        """Beside the keys in the trace."""
        self.typist.log.append(f"{datetime.now(UTC).isoformat()} {what}")

    def _submit_the_rest(self) -> None:
        """What a message or a draft has left in the box, the person sends off: nothing of it is lost, nothing of it exact."""
        for _ in range(MOST_RESTS):
            if is_box_empty_within(self.agent, EMPTY_WITHIN_S):
                return
            self._say("something was left in the box")
            self._note(f"left in the box:\n{self.agent.screen().text}")
            self.typist.do(Key("Enter"))
        tidy_up(self.agent, self._human)

    def _kill_in_a_hold(self) -> bool:
        """At any moment of it."""
        pid = self.agent.hark.daemon_pid()
        assert pid is not None
        if not is_so_within(self._is_held, HELD_WITHIN_S):
            return False
        ends_at = time.monotonic() + self._dice.uniform(0, LONGEST_DELAY_S[self._protocol])
        while self._is_held():
            if time.monotonic() >= ends_at:
                os.kill(pid, signal.SIGKILL)
                return True
        return False

    def _wait_free(self) -> float:
        started = time.monotonic()
        is_so_within(lambda: not self._is_held(), FREE_WITHIN_S)
        return time.monotonic() - started

    def _wait_ended(self, message_id: str) -> None:
        ends_at = time.monotonic() + ENDED_WITHIN_S
        while self.agent.hark.message(message_id)["status"] in PENDING and time.monotonic() < ends_at:
            time.sleep(0.1)
        last, since = -1, time.monotonic()
        while time.monotonic() - since < QUIET_S:
            if (count := len(self.agent.stand_in.received())) != last:
                last, since = count, time.monotonic()
            time.sleep(0.05)

    def verdict(self) -> Verdict:
        arrived = [one.text for one in arrivals(self.agent.stand_in.received())][len(self._earlier) :]
        return judge(list(self.sent.values()), self.typist.prompts, arrived, self._earlier)

    def result(self, seconds: float) -> Killed:
        verdict = self.verdict()
        uncertain = {
            text for one, text in self.sent.items() if self.agent.hark.message(one)["status"] == "uncertain"
        } - set(verdict.exact)
        return Killed(
            protocol=f"hark, {self._protocol}",
            agent=self.agent.launch.kind,
            kills=len(self.free_s),
            missed=self.missed,
            free_s=self.free_s,
            prompts=len(self.typist.prompts),
            prompts_exact=len(verdict.prompts_exact),
            keys=self.typist.keys,
            keys_lost=verdict.keys_lost,
            messages=len(self.sent),
            exact=len(verdict.exact),
            uncertain=len(uncertain),
            garbled=len(verdict.garbled),
            lost=len(set(verdict.lost) - uncertain),
            doubled=len(verdict.doubled),
            damage=damage(verdict, uncertain),
            seconds=seconds,
        )


def run(protocol: str, kind: str, kills: int, seed: int, say: Say, traces: Path) -> Killed:
    """In rounds, each on an agent of its own."""
    parts = [
        _run_round(protocol, kind, min(ROUND, kills - start), f"{seed}-{number}", say, traces)
        for number, start in enumerate(range(0, kills, ROUND))
    ]
    return reduce(Killed.plus, parts)


def _run_round(protocol: str, kind: str, kills: int, seed: str, say: Say, traces: Path) -> Killed:
    started = time.monotonic()
    is_adopted = protocol == "adopted"
    with delivering(kind, is_adopted=is_adopted) as agent, agent.human() as human:
        human.wait_attached(DEADLINE_S)
        agent.send("warm up", "--wait", "submitted")
        agent.wait_bodies("warm up")
        agent.wait_ready()
        watch = held_by_tmux if is_adopted else held_by_airlock
        with watch(agent) as is_held:
            killing = Killing(protocol, agent, human, is_held, Random(f"{seed} kills {protocol} {kind}"), say)
            killing.run(kills)
            killing.wait_arrived()
            killed = killing.result(time.monotonic() - started)
        if not killed.is_clean:
            say("NOT clean")
            sent = [f"{one} {text!r}" for one, text in killing.sent.items()]
            keep_traces(agent, sent, killing.typist, traces / f"kills-{protocol}-{kind}-{seed}")
        return killed


@contextmanager
def held_by_airlock(agent: Delivering) -> Iterator[Callable[[], bool]]:
    [socket] = (agent.hark.home / "run/airlocks").glob("*.sock")
    with Client(socket) as client:
        yield lambda: client.facts()["hold"] is not None


@contextmanager
def held_by_tmux(agent: Delivering) -> Iterator[Callable[[], bool]]:
    """It leaves a mark on the server, which says when the keys are free."""

    def is_held() -> bool:
        mark = agent.tmux.run("show-options", "-s", "-q", "-v", MARK).strip()
        return mark != "" and not mark.endswith((OUT, OVER))

    yield is_held


def is_so_within(condition: Callable[[], bool], deadline_s: float) -> bool:
    """A hold is over in the time that other waits take between two looks."""
    ends_at = time.monotonic() + deadline_s
    while not condition():
        if time.monotonic() > ends_at:
            return False
        time.sleep(POLL_S)
    return True


def is_box_empty_within(agent: Delivering, deadline_s: float) -> bool:
    return wait_for(lambda: agent_has_empty_box(agent), deadline_s)
