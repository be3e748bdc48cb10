"""Binds the demo agent's keys. All other keys are prompt_toolkit's emacs editing: arrows, Ctrl-A, E, K, U, W and the rest."""

from __future__ import annotations

from collections.abc import Callable

from prompt_toolkit.filters import Condition
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys

from hark.demo.draft import Draft
from hark.demo.turns import Phase, Worker


def bind_keys(worker: Worker, draft: Draft, edit: Callable[[], None], quit_: Callable[[str], None]) -> KeyBindings:
    bindings = KeyBindings()
    is_asking = Condition(lambda: worker.phase is Phase.WAITING)
    is_busy = Condition(lambda: worker.phase is Phase.BUSY)
    is_empty = Condition(lambda: not draft.buffer.text)
    in_box = ~is_asking

    @bindings.add("enter", filter=in_box)
    def submit(_: KeyPressEvent) -> None:
        prompt = draft.text
        if prompt.strip() and draft.takes_enter_for_newline():
            draft.buffer.insert_text("\n")
        elif prompt.strip() and not draft.ignores_enter():
            draft.clear()
            worker.submit(prompt)
            draft.bring_back_stash()

    @bindings.add("c-j", filter=in_box)
    @bindings.add("escape", "enter", filter=in_box)
    def start_new_line(_: KeyPressEvent) -> None:
        draft.buffer.insert_text("\n")

    @bindings.add(Keys.BracketedPaste, filter=in_box)
    def paste(event: KeyPressEvent) -> None:
        draft.paste(event.data)

    @bindings.add("c-s", filter=in_box)
    def swap_stash(_: KeyPressEvent) -> None:
        draft.swap_stash()

    @bindings.add("c-g", filter=in_box)
    def open_editor(_: KeyPressEvent) -> None:
        edit()

    @bindings.add("escape", filter=in_box & is_busy)
    def interrupt(_: KeyPressEvent) -> None:
        if back := worker.interrupt():
            draft.give_back(back)

    @bindings.add("c-c", filter=in_box & ~is_empty)
    def clear(_: KeyPressEvent) -> None:
        draft.clear()

    @bindings.add("c-c", filter=in_box & is_empty)
    @bindings.add("c-d", filter=in_box & is_empty)
    def leave(event: KeyPressEvent) -> None:
        quit_({"\x03": "ctrl-c", "\x04": "ctrl-d"}[event.data])

    @bindings.add("c-z")
    def suspend(event: KeyPressEvent) -> None:
        event.app.suspend_to_background()

    @bindings.add("enter", filter=is_asking)
    @bindings.add("1", filter=is_asking)
    def approve(_: KeyPressEvent) -> None:
        worker.answer(approved=True)

    @bindings.add("escape", filter=is_asking)
    @bindings.add("2", filter=is_asking)
    def deny(_: KeyPressEvent) -> None:
        worker.answer(approved=False)

    # Terminals send Alt with a key as Escape and the key: that is neither an Escape nor the key alone.
    @bindings.add("escape", Keys.Any, filter=is_asking)
    def ignore(_: KeyPressEvent) -> None:
        pass

    return bindings
