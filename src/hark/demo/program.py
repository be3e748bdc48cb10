"""Wires the demo agent together and runs it until somebody quits."""

from __future__ import annotations

import asyncio
import signal
from dataclasses import dataclass
from pathlib import Path

from hark.demo.draft import Draft, Refusal, edit_text, find_editor
from hark.demo.hooks import Hooks, find_hook_command
from hark.demo.keys import bind_keys
from hark.demo.record import Record
from hark.demo.screen import Screen
from hark.demo.turns import Worker

WELCOME = "demo agent: no model, no network. Enter sends, Ctrl-D quits.\n"


@dataclass(frozen=True)
class Settings:
    busy_s: float
    collapse_over_lines: int | None
    ask_at_start: str | None
    log: Path | None
    has_hooks: bool
    gives_back: bool = False
    takes_answers: bool = False
    newlines_after_paste: int = 0
    refusal: tuple[str, str] | None = None
    """How the demo agent refuses a text (`draft.Refusal`), and the word that makes it refuse a text; None refuses nothing."""


async def run(settings: Settings) -> None:
    record = Record(settings.log)
    hooks = Hooks(find_hook_command() if settings.has_hooks else [])
    try:
        async with asyncio.TaskGroup() as tasks:
            calls = tasks.create_task(hooks.run())
            worker = Worker(
                record,
                hooks,
                tasks,
                settings.busy_s,
                gives_back=settings.gives_back,
                takes_answers=settings.takes_answers,
            )
            await Program(settings, record, worker).run()
            worker.abandon()
            await hooks.finish()
            calls.cancel()
    finally:
        record.close()


class Program:
    def __init__(self, settings: Settings, record: Record, worker: Worker) -> None:
        self._settings = settings
        self._record = record
        self._worker = worker
        refusal = (Refusal(settings.refusal[0]), settings.refusal[1]) if settings.refusal else None
        self._draft = Draft(settings.collapse_over_lines, settings.newlines_after_paste, refusal)
        self._screen = Screen(worker, self._draft, bind_keys(worker, self._draft, self.edit, self.quit))
        self._draft.say = self._screen.show
        worker.display = self._screen

    async def run(self) -> None:
        application = self._screen.application
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self.quit, number.name)
        # Record `ready` after the first frame, because only then does the terminal put a paste in brackets.
        application.after_render += self._record_ready
        application.key_processor.before_key_press += lambda _: self._worker.on_key()
        self._screen.show(WELCOME)
        if self._settings.ask_at_start:
            self._worker.ask(self._settings.ask_at_start)
        try:
            await application.run_async(handle_sigint=False, set_exception_handler=False)
        except EOFError:
            self._record.write("quit", reason="input-closed")

    def edit(self) -> None:
        editor = find_editor()
        if not editor:
            self._screen.show("no editor: set VISUAL or EDITOR to a command")
            return
        before = self._draft.text
        with self._screen.lent():
            after = edit_text(editor, before)
        self._record.write("editor", before=before, after=after)
        if after != before:
            self._draft.edit(after)

    def quit(self, reason: str) -> None:
        if not self._screen.application.is_done:
            self._record.write("quit", reason=reason)
            self._screen.application.exit()

    def _record_ready(self, _: object) -> None:
        self._screen.application.after_render -= self._record_ready
        self._record.write("ready")
