"""The demo agent's work: its turns, the prompts that wait for a turn, and the question that may interrupt a turn.

At most one turn runs. A prompt that is submitted meanwhile waits; each waiting prompt gets a turn of its own, in order. The agent
records every change first, then tells the hooks, then shows it: whoever sees a change on the screen finds it in the record.
All methods run in the event loop and take effect before they return, so each key of a burst meets the state that the key before
it has left.
"""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from hark.demo.directives import Plan, plan_turn
from hark.demo.hooks import Hooks
from hark.demo.record import Record

PATIENCE_S = 0.5
"""How long the human must not have typed before a dialog opens."""
SPINNER_INTERVAL_S = 0.1


class Phase(StrEnum):
    IDLE = "idle"
    BUSY = "busy"
    WAITING = "waiting"


class Display(Protocol):
    def show(self, text: str) -> None:
        """Add lines to the transcript."""

    def refresh(self) -> None:
        """Draw the footer, and the box or the dialog, as they are now."""


@dataclass(frozen=True)
class Dialog:
    command: str
    answered: asyncio.Future[bool]


class Worker:
    def __init__(
        self,
        record: Record,
        hooks: Hooks,
        tasks: asyncio.TaskGroup,
        busy_s: float,
        *,
        gives_back: bool = False,
        takes_answers: bool = False,
    ) -> None:
        self.dialog: Dialog | None = None
        self.display: Display
        self._record = record
        self._hooks = hooks
        self._tasks = tasks
        self._busy_s = busy_s
        self._gives_back = gives_back
        self._answers: dict[str, str | bool] = {}
        if takes_answers:
            self._answers = {"takes_answers": True, "transcript_path": record.path}
        self._turn: asyncio.Task[None] | None = None
        self._prompt = ""
        self._waiting: deque[str] = deque()
        self._last_key_at = 0.0
        self._deciding: asyncio.Task[None] | None = None

    def on_key(self) -> None:
        self._last_key_at = asyncio.get_running_loop().time()

    @property
    def phase(self) -> Phase:
        if self.dialog:
            return Phase.WAITING
        return Phase.BUSY if self._turn else Phase.IDLE

    def submit(self, prompt: str) -> None:
        if self._turn is None:
            after_s = plan_turn(prompt, self._busy_s).begins_after_s
            if after_s:
                self._tasks.create_task(self._begin_late(prompt, after_s))
            else:
                self._begin(prompt)
            return
        self._queue(prompt)

    async def _begin_late(self, prompt: str, after_s: float) -> None:
        """Begin the turn after a delay, as Gemini CLI does, which first reads the files that a prompt mentions and looks idle
        meanwhile."""
        await asyncio.sleep(after_s)
        if self._turn is None:
            self._begin(prompt)
        else:
            self._queue(prompt)

    def _queue(self, prompt: str) -> None:
        self._record.write("queued", text=prompt)
        self._waiting.append(prompt)
        self.display.show("queued: " + indent(prompt, 8))

    def interrupt(self) -> str:
        """End the turn and return what goes back into the box: with `gives_back` the turn's prompt, which has no answer yet, and the
        prompts that were queued behind it; otherwise nothing."""
        if self._turn is None:
            return ""
        self._turn.cancel()
        self._stop_deciding()
        back: list[str] = []
        if self._gives_back:
            back = [self._prompt, *self._waiting]
            self._waiting.clear()
        self._end("interrupted", "interrupted")
        return "\n".join(back)

    def abandon(self) -> None:
        """End the turn without recording or showing anything, because the human has quit."""
        if self._turn:
            self._turn.cancel()
        self._stop_deciding()

    def _stop_deciding(self) -> None:
        if self._deciding:
            self._deciding.cancel()

    def ask(self, command: str) -> asyncio.Future[bool]:
        """Open the dialog that asks for permission to run the command; the future that is returned holds the answer."""
        self._record.write("asked", command=command)
        answered = asyncio.get_running_loop().create_future()
        self.dialog = Dialog(command, answered)
        if self._answers:
            self._deciding = self._tasks.create_task(self._take_decision(self.dialog))
        else:
            self._hooks.tell("permission-asked", command=command)
        self.display.refresh()
        return answered

    async def _take_decision(self, dialog: Dialog) -> None:
        """Let a hook decide that waits beside the dialog, unless the human is faster, as Claude Code does."""
        answer = await self._hooks.ask_beside("permission-asked", command=dialog.command, **self._answers)
        told = answer.get("hookSpecificOutput")
        decision = told.get("decision") if isinstance(told, dict) else None
        behaviour = decision.get("behavior") if isinstance(decision, dict) else None
        if self.dialog is dialog and behaviour in ("allow", "deny"):
            self._record.write("decided", by="hook")
            self.answer(behaviour == "allow")

    def answer(self, approved: bool) -> None:
        if self.dialog is None:
            return
        outcome = "approved" if approved else "denied"
        self._record.write(outcome, command=self.dialog.command)
        self._hooks.tell("permission-answered", approved=approved)
        self.dialog.answered.set_result(approved)
        self.display.show(f"{outcome}: {self.dialog.command}")
        self.dialog = None
        self.display.refresh()

    def _begin(self, prompt: str) -> None:
        self._prompt = prompt
        self._record.write("prompt", text=prompt)
        self._hooks.tell("prompt-submitted", prompt=prompt, **self._answers)
        self._turn = self._tasks.create_task(self._take_turn(plan_turn(prompt, self._busy_s)))
        self.display.show("> " + indent(prompt, 2))

    def _end(self, event: str, said: str, *, is_told: bool = False) -> None:
        self._record.write(event)
        if not is_told:
            words = {"last_assistant_message": said} if event == "stopped" else {}
            self._hooks.tell(event, **words)
        self._turn = None
        self.display.show(said)
        if self._waiting:
            self._begin(self._waiting.popleft())

    async def _take_turn(self, plan: Plan) -> None:
        await self._work_through(plan)
        is_continued = False
        while self._answers:
            answer = await self._hooks.ask(
                "stopped", stop_hook_active=is_continued, last_assistant_message=plan.reply, **self._answers
            )
            if answer.get("decision") != "block":
                break
            is_continued, reason = True, str(answer.get("reason"))
            self._record.write("continued", text=reason)
            self.display.show(plan.reply)
            self.display.show("hook: " + indent(reason, 6))
            plan = plan_turn(reason, self._busy_s)
            await self._work_through(plan)
        self._end("stopped", plan.reply, is_told=bool(self._answers))

    async def _work_through(self, plan: Plan) -> None:
        for seconds in plan.tools_s:
            await self._run_tool(seconds)
        worked_s = 0.0
        for question in plan.questions:
            await self._work(question.after_s - worked_s)
            worked_s = question.after_s
            await self._wait_for_pause()
            await self.ask(question.command)
        await self._work(plan.busy_s - worked_s)

    async def _run_tool(self, seconds: float) -> None:
        self._record.write("tool")
        self._hooks.tell("tool-starting", **self._answers)
        await self._work(seconds)
        answer = await self._hooks.ask("tool-done", **self._answers)
        told = answer.get("hookSpecificOutput")
        if self._answers and isinstance(told, dict):
            self._record.write("told", text=str(told.get("additionalContext")))

    async def _wait_for_pause(self) -> None:
        """Wait until the human has not typed for a moment, as Claude Code does before it opens a dialog: otherwise the human's next key
        would answer the dialog."""
        clock = asyncio.get_running_loop().time
        while (left_s := self._last_key_at + PATIENCE_S - clock()) > 0:  # noqa: ASYNC110 a key may come meanwhile
            await asyncio.sleep(left_s)

    async def _work(self, seconds: float) -> None:
        clock = asyncio.get_running_loop().time
        ends_at = clock() + seconds
        while (left_s := ends_at - clock()) > 0:
            await asyncio.sleep(min(left_s, SPINNER_INTERVAL_S))
            self.display.refresh()


def indent(text: str, columns: int) -> str:
    return text.replace("\n", "\n" + " " * columns)
