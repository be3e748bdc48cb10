"""A person at a keyboard, as a pure model: what they press, and what text their own edits make of it.

What a prompt must be is known from the person alone. Whatever else happens to the box (a message comes and goes, the
draft is carried away and back), the agent must receive exactly this.

The person knows what they have typed, so they move and delete only inside of it: in an empty box some agents take an arrow
for a command. They never go back behind a long paste (agents show a stand-in for it, which takes one press or many) or
into a text that came out of the history.

The letters of the person are small, those of the messages are capitals: of any mixture it can be told who wrote what.
"""

from __future__ import annotations

import string
from collections.abc import Iterable, Iterator
from enum import Enum
from random import Random

from msgspec import Struct
from msgspec.structs import replace

from tests.campaigns.storm import texts

LETTERS = string.ascii_lowercase + "éß世"
WORDS = (
    *("please", "look", "at", "the", "failing", "test", "and", "why", "it", "breaks", "only", "when", "two", "agents"),
    *("café", "straße", "世界", "write", "down", "what", "you", "find", "before", "changing", "anything", "else"),
)
BLOCK = ("def check value", "    return value", "", "def other value", "    pass", "done here")
LONGEST = 80
LONGEST_LINE = 75
PAUSES_S = (0.35, 0.9)
READS_S = (0.5, 0.9)
COLLAPSED_FROM_LINES = 3
OTHER_SCRIPTS = 0.12


class Type(Struct, frozen=True):
    character: str


class Key(Struct, frozen=True):
    """Left, Right, Backspace, C-w (the word before the cursor), C-j (a newline)."""

    name: str


class Paste(Struct, frozen=True):
    text: str


class Pause(Struct, frozen=True):
    seconds: float


class Recall(Struct, frozen=True):
    """Up in an empty box, and a look at what came: any text that was submitted before."""


Act = Type | Key | Paste | Pause | Recall


class Draft(Struct, frozen=True):
    """What the person has in the box by their own doing, beside what came out of the history."""

    text: str = ""
    cursor: int = 0
    floor: int = 0
    """Where the person does not go back behind."""
    is_recalled: bool = False

    def after(self, act: Act) -> Draft:
        match act:
            case Type(character=text):
                return self._with(text)
            case Paste(text=text):
                pasted = self._with(text)
                is_collapsed = text.count("\n") + 1 >= COLLAPSED_FROM_LINES
                return replace(pasted, floor=pasted.cursor) if is_collapsed else pasted
            case Key(name=name):
                return self._after_key(name)
            case Recall():
                return Draft(is_recalled=True)
            case Pause():
                return self

    def _with(self, text: str) -> Draft:
        whole = self.text[: self.cursor] + text + self.text[self.cursor :]
        return replace(self, text=whole, cursor=self.cursor + len(text))

    def _without(self, count: int) -> Draft:
        start = self.cursor - count
        return replace(self, text=self.text[:start] + self.text[self.cursor :], cursor=start)

    def _after_key(self, name: str) -> Draft:
        if not self.may(name):
            raise ValueError(f"the person would not press {name} at {self.cursor} of {self.text!r}")
        match name:
            case "Left":
                return replace(self, cursor=self.cursor - 1)
            case "Right":
                return replace(self, cursor=self.cursor + 1)
            case "Backspace":
                return self._without(1)
            case "C-w":
                return self._without(self._word())
        return self._with("\n")

    def may(self, name: str) -> bool:
        match name:
            case "Left" | "Backspace":
                return self.cursor > self.floor
            case "Right":
                return self.cursor < len(self.text)
            case "C-w":
                return self._word() > 0
        return name == "C-j"

    def _word(self) -> int:
        """How many letters stand right before the cursor; 0 if agents may not agree on what a word is there."""
        before = self.text[self.floor : self.cursor]
        count = len(before) - len(before.rstrip(string.ascii_lowercase))
        return count if before[: len(before) - count][-1:] in ("", " ", "\n") else 0


class Recalled(Enum):
    """Whether a prompt begins with a text from the history, and where the agent puts the cursor then."""

    NOT = "not"
    CURSOR_AT_END = "cursor at end"
    CURSOR_AT_START = "cursor at start"


class Prompt(Struct, frozen=True):
    text: str
    """What the person has written themselves."""
    recalled: Recalled = Recalled.NOT


def draft_of(acts: Iterable[Act]) -> Draft:
    draft = Draft()
    for act in acts:
        draft = draft.after(act)
    return draft


def prompt_of(acts: Iterable[Act], cursor: Recalled = Recalled.CURSOR_AT_END) -> Prompt:
    """Agents drop the blanks around what is submitted. `cursor`: where this agent puts it in a recalled text."""
    draft = draft_of(acts)
    match cursor if draft.is_recalled else Recalled.NOT:
        case Recalled.CURSOR_AT_END:
            return Prompt(draft.text.rstrip(), cursor)
        case Recalled.CURSOR_AT_START:
            return Prompt(draft.text.lstrip(), cursor)
    return Prompt(draft.text.strip())


TAG = r"q[a-j]{4}q"


def tag(number: int, first: str) -> str:
    """A word that nobody else writes: a number in letters."""
    digits = [first, *(chr(ord("a") + int(digit)) for digit in f"{number:04}"), first]
    return "".join(digits)


class Composer:
    """Makes up what the person does for one prompt, from dice alone."""

    def __init__(self, dice: Random, *, of_any_script: bool = False) -> None:
        """`of_any_script`: now and then they write a word of another script, or an emoji."""
        self._dice = dice
        self._of_any_script = of_any_script

    def compose(self, number: int, is_recalled: bool = False, length: int | None = None) -> list[Act]:
        """Without the Enter at the end."""
        acts: list[Act] = [Recall(), Pause(self._dice.uniform(*READS_S))] if is_recalled else []
        opening = f" again {tag(number, 'q')} " if is_recalled else f"{tag(number, 'q')} "
        longest = length or self._dice.randint(20, 50 if is_recalled else LONGEST)
        acts += map(Type, opening)
        # The opening stays as it is: no two prompts are the same by it.
        draft = draft_of(acts)
        draft = replace(draft, floor=draft.cursor)
        while len(draft.text) < longest:
            for act in self._next(draft):
                acts.append(act)
                draft = draft.after(act)
        return acts

    def _next(self, draft: Draft) -> Iterator[Act]:
        way = self._dice.choices(
            (self._write, self._write_wrong, self._take_back, self._edit_before, self._break_line, self._paste),
            (10, 2, 1, 1.5, 1, 0.6),
        )[0]
        yield from way(draft)
        if self._dice.random() < 0.3:
            yield Pause(self._dice.uniform(*PAUSES_S))

    def _word(self) -> str:
        if self._of_any_script and self._dice.random() < OTHER_SCRIPTS:
            return texts.draw_word(self._dice)
        return self._dice.choice(WORDS)

    def _write(self, draft: Draft) -> Iterator[Act]:
        line = draft.text[: draft.cursor].rpartition("\n")[2]
        yield from (Type(character) for character in self._word())
        yield Key("C-j") if len(line) > LONGEST_LINE and self._dice.random() < 0.7 else Type(" ")

    def _write_wrong(self, draft: Draft) -> Iterator[Act]:
        """A wrong word, some or all of it deleted letter by letter."""
        word = self._word()
        yield from (Type(character) for character in word)
        yield from [Key("Backspace")] * self._dice.randint(1, len(word))
        yield Type(" ")

    def _take_back(self, draft: Draft) -> Iterator[Act]:
        """A wrong word, deleted whole."""
        if draft.cursor and draft.text[draft.cursor - 1] not in " \n":
            yield Type(" ")
        yield from (Type(character) for character in self._dice.choice([one for one in WORDS if one.isascii()]))
        yield Key("C-w")
        yield from (Type(character) for character in self._word())
        yield Type(" ")

    def _edit_before(self, draft: Draft) -> Iterator[Act]:
        """Back with the arrow, a change there, and mostly to the end again."""
        steps = min(self._dice.randint(2, 12), draft.cursor - draft.floor)
        if not steps:
            return
        yield from [Key("Left")] * steps
        room = draft.cursor - draft.floor - steps
        if self._dice.random() < 0.4 and room:
            yield from [Key("Backspace")] * min(room, self._dice.randint(1, 4))
        else:
            yield from (Type(character) for character in self._word() + " ")
        if self._dice.random() < 0.8:
            yield from [Key("Right")] * (steps + len(draft.text) - draft.cursor)

    def _break_line(self, draft: Draft) -> Iterator[Act]:
        yield from [Key("C-j")] * self._dice.choice((1, 1, 2))
        yield from self._write(draft)

    def _paste(self, draft: Draft) -> Iterator[Act]:
        """Before the end of a text only what is not collapsed: the person could not go on behind it."""
        lines = self._dice.choice((1, 2, len(BLOCK))) if draft.cursor == len(draft.text) else 1
        yield Paste("\n".join(BLOCK[:lines]))
        yield Pause(self._dice.uniform(*PAUSES_S))
        yield Type(" ")
