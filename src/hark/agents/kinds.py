"""Agent kinds: each is read from the data file in the folder of its agent (`claude/kind.toml`), or from the user's config directory
(`agents/*.toml`)."""

import os.path
import re
from importlib import resources
from pathlib import Path

import msgspec
from msgspec import Struct

from hark.delivery.carriers.choose import Means
from hark.delivery.carriers.draft_reader import LineKeys
from hark.delivery.carriers.editor import EditorKeys
from hark.delivery.carriers.interrupt import InterruptKeys
from hark.delivery.carriers.rest import DRAWN_WITHIN_S
from hark.delivery.carriers.stash import StashKeys
from hark.delivery.carriers.submit import Lines
from hark.delivery.forbidden import Forbidden
from hark.delivery.screen.box import BoxLook
from hark.delivery.screen.capture import Screen
from hark.delivery.stop_turn import StopKeys
from hark.delivery.wording import LONGEST_INLINE, InlineLimits
from hark.model.errors import HarkError
from hark.model.plain import PlainCalls
from hark.queue.turns import Phase

GENERIC = "generic"
DATA_FILE = "kind.toml"
"""The data file in the folder of each agent."""


class TitleLook(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a title begins: patterns."""

    idle: str
    busy: str
    waiting: str

    def phase(self, title: str) -> Phase | None:
        looks = ((Phase.IDLE, self.idle), (Phase.BUSY, self.busy), (Phase.WAITING, self.waiting))
        return next((phase for phase, pattern in looks if re.match(pattern, title)), None)


class AgentKind(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    name: str
    commands: tuple[str, ...] = ()
    """Names of the programs that are this agent."""
    packages: tuple[str, ...] = ()
    """What its path or first argument may contain when an interpreter runs it (node …/claude-code/cli.js)."""
    box: BoxLook
    settle_s: float = 0.0
    """How long after its echo a paste must rest before Enter is Enter."""
    drawn_within_s: float = DRAWN_WITHIN_S
    """How long after it has read a key its screen shows it, at the latest."""
    longest_inline: int = LONGEST_INLINE
    """Bytes of the longest text that it takes whole; a longer one goes into a file that the message points to."""
    mention: str | None = None
    """The words of a prompt that it looks for in its project before its turn begins, one after another: a pattern."""
    most_mentions: int = 0
    """A text with more of them goes into a file too."""
    editor: EditorKeys | None = None
    """The key that opens $EDITOR on the draft."""
    stash: StashKeys | None = None
    """The key that puts the draft aside."""
    prefers_editor: bool = False
    sentinel: LineKeys | None = None
    """The line keys by which a draft can be read and taken out, where there is neither editor nor stash."""
    interrupt: InterruptKeys | None = None
    """The key that clears the box. Only where somebody wants it: the same key interrupts a turn."""
    replay_gap_ms: float = 4.0
    """Between two of the human's keys that were held: faster ones would be taken for a paste."""
    replay_enter_gap_ms: float = 60.0
    """How long to wait before an Enter that was held is replayed: an agent takes a sooner one for a newline."""
    replay_after_enter_ms: float = 0.0
    """How long to wait behind an Enter that was held before the next key is replayed: the agent reads its box a moment after the
    Enter, and would submit that key too."""
    adopted_enter_gap_ms: float = 0.0
    """The same on adopted panes. tmux before 3.4 takes newlines of a human's own paste for Enters, so a held paste comes with such
    pauses too, and what was typed after it right behind it: only for agents that bear that."""
    adopted_key_gap_ms: float = 0.0
    """Between the first held keys that come out on an adopted pane: for agents that put a paste before the key in front of it when both
    come at once. From tmux 3.4 on: before that the keys inside of a paste would be spaced too."""
    redraws_on_resize: bool = False
    """It draws its whole screen anew when its terminal changes its size, and otherwise only what it believes to have changed."""
    newline_key: str | None = None
    """The key that begins a new line in the draft, because Enter submits it."""
    lines: Lines = "unknown"
    """Whether Home, End, C-k and C-u end at the edge of a row as it is drawn, or of a line as it was typed."""
    forbidden_keys: tuple[str, ...] = ()
    """Keys that hark never presses, whatever the screen shows: they approve, quit or suspend."""
    forbidden_in_empty_box: tuple[str, ...] = ()
    """Never pressed unless a draft is in the box: in an empty one they open a view, quit, or bring something back."""
    idle_only: bool = False
    """Typing while it works is unsafe, because it does not read then, or because an Enter may meet a dialog that is not drawn
    yet; and nothing but typing reaches it."""
    unbegun: str | None = None
    """How its whole screen looks, the rows joined by newlines, while no conversation has begun; where it loses keys that come
    while the first prompt is submitted."""
    begins_within_s: float = 0.0
    """How long it mostly takes from Enter until it shows a turn, where a human's key in that time does harm: for so long, at the most,
    the keys are held after a message was submitted."""
    keeps_brackets: bool = True
    """Whether a marker that it prints looks as it was written. Where its markdown makes a link of it, the brackets are gone,
    and what still has them is code."""
    words_column: int | None = None
    """The column in which its own words begin on the screen, where a human's words and code begin in others."""
    has_panels: bool = False
    """Whether it draws panels beside its words, on a background of their own."""
    busy: str | None = None
    """How a row begins that it shows, beside its box, for as long as a turn runs; or how its title begins then."""
    stop: StopKeys | None = None
    """The key that ends a running turn, for urgent messages."""

    plain: PlainCalls = PlainCalls()
    """The calls of its program that open no session: `hark run` runs them plainly."""

    title: TitleLook | None = None
    """How the title of the terminal tells whether a turn runs."""

    @property
    def inline(self) -> InlineLimits:
        """What it takes whole."""
        return InlineLimits(self.longest_inline, self.mention, self.most_mentions)

    @property
    def forbidden(self) -> Forbidden:
        return Forbidden(always=self.forbidden_keys, in_empty_box=self.forbidden_in_empty_box)

    def is_at_work(self, screen: Screen) -> bool:
        """Whether nothing may be typed now."""
        return self.idle_only and self.shows_turn(screen)

    def shows_turn(self, screen: Screen) -> bool:
        """Whether a turn runs, as far as its screen tells."""
        shown = (screen.title, *screen.rows.plain)
        return self.busy is not None and any(re.match(self.busy, words) for words in shown)

    def loses_keys(self, screen: Screen) -> bool:
        """Whether it would lose keys that come while a prompt is submitted on this screen."""
        return self.unbegun is not None and re.fullmatch(self.unbegun, "\n".join(screen.rows.plain)) is not None

    def means(self, *, has_airlock: bool) -> Means:
        """What this kind of agent offers for carrying a draft; `has_airlock`: hark has started it, so its editor is ours."""
        return Means(
            has_editor=self.editor is not None and has_airlock,
            has_stash=self.stash is not None,
            is_editor_preferred=self.prefers_editor,
            has_line_keys=self.sentinel is not None,
            are_line_keys_preferred=self.sentinel is not None and self.sentinel.is_preferred,
            are_lines_known=self.lines != "unknown" and not (self.sentinel and self.sentinel.only_stale),
            may_interrupt=self.interrupt is not None,
        )

    @property
    def own_keys(self) -> tuple[str, ...]:
        """The keys of this agent's editor, stash, history and box that a delivery presses where the box may be empty."""
        editor = (*self.editor.key, *self.editor.after, *self.editor.end_keys) if self.editor else ()
        stash = self.stash.key if self.stash else None
        recall = self.interrupt.recall if self.interrupt else None
        in_box = (*self.box.empty_keys, self.box.insert_key, *self.box.row_erasers, self.box.left_key)
        return tuple(key for key in (*editor, stash, recall, *in_box) if key)


class Kinds:
    def __init__(self, kinds: dict[str, AgentKind]) -> None:
        self._kinds = kinds

    def get(self, name: str) -> AgentKind:
        if kind := self._kinds.get(name):
            return kind
        known = ", ".join(sorted(self._kinds))
        raise HarkError("agent-unknown", f"no agent kind {name!r}", f"known kinds: {known}")

    def recognise(self, command: tuple[str, ...]) -> str:
        """The kind of agent that a command starts; `generic` for everything unknown."""
        words = [word for word in command if not word.startswith("-") and "=" not in word]
        for word in words[:3]:
            base = os.path.basename(word)
            for kind in self._kinds.values():
                if base in kind.commands or any(package in word for package in kind.packages):
                    return kind.name
        return GENERIC


def load_kinds(user_directory: Path | None = None) -> Kinds:
    """A user's file with the name of a built-in kind replaces it."""
    texts = [
        (f"{folder.name}/{DATA_FILE}", data.read_bytes())
        for folder in resources.files(__package__).iterdir()
        if (data := folder.joinpath(DATA_FILE)).is_file()
    ]
    texts += _texts_of_user(user_directory) if user_directory else []
    return Kinds({kind.name: kind for kind in (_decode(name, text) for name, text in texts)})


def _texts_of_user(directory: Path) -> list[tuple[str, bytes]]:
    try:
        found = sorted(directory.glob("*.toml")) if directory.is_dir() else []
        return [(str(path), path.read_bytes()) for path in found]
    except OSError as failure:
        detail = f"{failure.filename or directory}: {failure.strerror}"
        raise HarkError("config-invalid", detail, "make it readable") from failure


def _decode(name: str, text: bytes) -> AgentKind:
    try:
        kind = msgspec.toml.decode(text, type=AgentKind)
        _check_patterns(kind)
        _check_keys(name, kind)
        return kind
    except (msgspec.ValidationError, re.error) as wrong:
        raise HarkError("config-invalid", f"{name}: {wrong}", "docs/agents.md describes the fields") from wrong
    except (msgspec.DecodeError, UnicodeDecodeError) as wrong:
        raise HarkError(
            "config-invalid", f"{name} is not TOML: {wrong}", "docs/agents.md describes the fields"
        ) from wrong


def _check_patterns(kind: AgentKind) -> None:
    box, editor, stash = kind.box, kind.editor, kind.stash
    of_box = (
        box.prompt,
        box.shell,
        box.rows,
        box.above,
        box.cut,
        box.below,
        box.tail,
        box.shell_tail,
        box.ghost,
        box.placeholder,
    )
    for pattern in (
        kind.busy,
        kind.unbegun,
        kind.sentinel and kind.sentinel.not_for,
        kind.sentinel and kind.sentinel.not_while,
        *of_box,
        *((kind.title.idle, kind.title.busy, kind.title.waiting) if kind.title else ()),
        editor and editor.not_for,
        editor and editor.not_while,
        stash and stash.occupied,
    ):
        re.compile(pattern or "")


def _check_keys(name: str, kind: AgentKind) -> None:
    """An empty box gets messages too, so what a delivery presses may be forbidden nowhere."""
    forbidden = {*kind.forbidden_keys, *kind.forbidden_in_empty_box}
    if wrong := [key for key in kind.own_keys if key in forbidden]:
        raise HarkError(
            "config-invalid",
            f"{name}: {wrong[0]} is forbidden, and is one of the keys that a delivery presses",
            "take it out of forbidden_keys and forbidden_in_empty_box, or name another key",
        )


def check_teachable(kind: str) -> None:
    """Raise request-invalid for a program that is no known agent: a shell would run what it is told."""
    if kind == GENERIC:
        detail = "a program that is no known agent cannot be taught to signal"
        raise HarkError("request-invalid", detail, "say what it is with --agent KIND")
