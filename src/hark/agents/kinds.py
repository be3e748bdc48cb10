"""Agent kinds: each is read from the data file in the folder of its agent (`claude/kind.toml`), or from the user's config directory
(`agents/*.toml`)."""

import os.path
import re
from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from hark.delivery.carriers.choose import Means
from hark.delivery.carriers.draft_reader import LineKeys
from hark.delivery.carriers.editor_text import EditorKeys
from hark.delivery.carriers.interrupt import InterruptKeys
from hark.delivery.carriers.rest import DRAWN_WITHIN_S
from hark.delivery.carriers.stash import StashKeys
from hark.delivery.carriers.submit import Lines
from hark.delivery.forbidden import Forbidden
from hark.delivery.screen.box import BoxLook
from hark.delivery.screen.capture import Screen
from hark.delivery.stop_turn import StopKeys
from hark.delivery.wording import LONGEST_INLINE, InlineLimits
from hark.kind_files import data_files
from hark.model.errors import HarkError
from hark.model.plain import PlainCalls
from hark.queue.turns import Phase

GENERIC = "generic"


class TitleLook(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Patterns for how the title of the terminal begins in each phase of the agent."""

    idle: str
    """The start of the title while no turn runs."""
    busy: str
    """The start of the title while a turn runs."""
    waiting: str
    """The start of the title while the agent waits for an answer of the human."""

    def phase(self, title: str) -> Phase | None:
        looks = ((Phase.IDLE, self.idle), (Phase.BUSY, self.busy), (Phase.WAITING, self.waiting))
        return next((phase for phase, pattern in looks if re.match(pattern, title)), None)


class AgentKind(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    name: str
    """The name of the kind, as `--agent` takes it. In hark's own folders it is the name of the folder."""
    commands: tuple[str, ...] = ()
    """The names of the programs that are this agent."""
    packages: tuple[str, ...] = ()
    """Words that the agent's path or first argument may contain when an interpreter runs it (node …/claude-code/cli.js)."""
    preference: int | None = None
    """The place of the agent in the order in which hark looks for an agent to start when nobody names one; an agent without a place
    is started only by its name. It counts in hark's own data files only."""
    own_variables: tuple[str, ...] = ()
    """Variables by which the agent tells its child processes about itself: an agent that hark starts for this one does not get them. They
    count in hark's own data files only."""
    box: BoxLook
    """How the agent's input box looks: regular expressions over rows, without their trailing spaces."""
    settle_s: float = 0.0
    """How long a paste must rest after its echo before an Enter submits it."""
    drawn_within_s: float = DRAWN_WITHIN_S
    """How long after it has read a key the agent shows it on the screen, at the latest."""
    longest_inline: int = LONGEST_INLINE
    """The size of the longest text that the agent takes whole, in bytes; a longer text goes into a file that the message points to."""
    mention: str | None = None
    """A pattern for the words of a prompt that the agent looks for in its project before its turn begins, one after another."""
    most_mentions: int = 0
    """The largest number of words that match `mention` in a text that the agent takes whole; a text with more goes into a file too."""
    editor: EditorKeys | None = None
    """The key that opens `$EDITOR` on the draft, and what the agent does around it."""
    stash: StashKeys | None = None
    """The key that puts the draft aside."""
    prefers_editor: bool = False
    """True if hark uses the editor rather than the stash, where the agent has both."""
    sentinel: LineKeys | None = None
    """The line keys of the agent's own input box, by which a draft can be read and taken out where neither editor nor stash serves. An
    empty section means the usual keys."""
    interrupt: InterruptKeys | None = None
    """The key that clears the box, where no other carrier serves. No kind that ships has it: the same key interrupts a turn, and pressed
    twice it may end the agent. So hark presses it only on an agent that has printed nothing for 3 s, on a draft that is
    `input_stale_timeout` old, and never twice within 10 s."""
    replay_gap_ms: float = 4.0
    """The pause between two of the human's held keys when they are replayed: the agent would take faster keys for a paste."""
    replay_enter_gap_ms: float = 60.0
    """How long to wait before replaying an Enter that was held: an agent takes an Enter that comes sooner for a newline."""
    replay_after_enter_ms: float = 0.0
    """How long to wait after replaying an Enter that was held before the next key: the agent reads its box a moment after the Enter, and
    would submit that key too."""
    adopted_enter_gap_ms: float = 0.0
    """How long to wait before replaying a held Enter on an adopted pane. tmux before 3.4 takes newlines of a human's own paste for
    Enters, so a held paste comes with such pauses too, and text typed after the paste comes right behind it: this is only for agents
    that bear that."""
    adopted_key_gap_ms: float = 0.0
    """How far apart the first held keys come out on an adopted pane. It is for agents that drop a paste, or put it before the key in front
    of it, when both come at once. On tmux before 3.4, which cannot tell a paste from keys, the distance is 5 ms."""
    redraws_on_resize: bool = False
    """True if the agent draws its whole screen anew when its terminal changes its size, and otherwise only what it believes to have
    changed. When hark sees no box, it makes the terminal one column narrower for a moment, once."""
    newline_key: str | None = None
    """The key that begins a new line in the draft, because Enter submits it."""
    lines: Lines = "unknown"
    """Whether Home, End, C-k and C-u end at the edge of a row as it is drawn (`visual`), or of a line as it was typed (`logical`);
    `unknown` where these keys differ or nobody has checked."""
    forbidden_keys: tuple[str, ...] = ()
    """Keys that hark never presses, whatever the screen shows: they approve, quit or suspend."""
    forbidden_in_empty_box: tuple[str, ...] = ()
    """Keys that hark presses only if a draft is in the box: in an empty box they open a view, quit, or bring something back."""
    idle_only: bool = False
    """True if typing while the agent works is unsafe, because the agent does not read then, or because an Enter may meet a dialog that
    is not drawn yet. Messages that have to be typed then wait for the end of the turn."""
    unbegun: str | None = None
    """A pattern for the whole screen, its rows joined by newlines, while no conversation has begun, for an agent that loses keys that
    come while the first prompt is submitted. hark types a first message there only when nobody has pressed a key for 5 s."""
    conversation: str | None = None
    """A pattern for how a row of the conversation begins, for an agent that draws its input box before it has resumed a conversation,
    and loses keys while it does so. After a restart hark types nothing to it until such a row is drawn, but waits at most 30 s."""
    begins_within_s: float = 0.0
    """How long the agent mostly takes from Enter until it shows a turn, if a human's key in that time does harm. hark holds the keys for
    at most this long after a message was submitted."""
    keeps_brackets: bool = True
    """True if a marker that the agent prints looks as it was written. False if its Markdown makes a link of the marker: then the
    brackets are gone, and text that still has them is code."""
    words_column: int | None = None
    """The column in which the agent's own words begin on the screen, if a human's words and code begin in other columns."""
    has_panels: bool = False
    """True if the agent draws panels beside its words, on a background of their own."""
    busy: str | None = None
    """A pattern for how a row beside the box, or the title of the terminal, begins for as long as a turn runs. hark needs it for
    `idle_only` and for urgent messages."""
    stop: StopKeys | None = None
    """The key that ends a running turn, for urgent messages. Without it an urgent message interrupts nothing."""

    plain: PlainCalls = PlainCalls()
    """The calls of the agent's program that open no session: `hark run` runs them plainly."""

    title: TitleLook | None = None
    """How the title of the terminal tells whether a turn runs."""

    @property
    def inline(self) -> InlineLimits:
        """The limits within which the agent takes a text whole."""
        return InlineLimits(self.longest_inline, self.mention, self.most_mentions)

    @property
    def forbidden(self) -> Forbidden:
        return Forbidden(always=self.forbidden_keys, in_empty_box=self.forbidden_in_empty_box)

    def is_at_work(self, screen: Screen) -> bool:
        """Return whether nothing may be typed now, because a turn runs in which typing is unsafe."""
        return self.idle_only and self.shows_turn(screen)

    def shows_turn(self, screen: Screen) -> bool:
        """Return whether a turn runs, as far as the agent's screen tells."""
        shown = (screen.title, *screen.rows.plain)
        return self.busy is not None and any(re.match(self.busy, words) for words in shown)

    def loses_keys(self, screen: Screen) -> bool:
        """Return whether the agent would lose keys that come while a prompt is submitted on this screen."""
        return self.unbegun is not None and re.fullmatch(self.unbegun, "\n".join(screen.rows.plain)) is not None

    def shows_conversation(self, rows: Sequence[str]) -> bool:
        """Return whether a row of the terminal belongs to a conversation."""
        return self.conversation is not None and any(re.match(self.conversation, row) for row in rows)

    def means(self, *, has_airlock: bool) -> Means:
        """Return what this kind of agent offers for carrying a draft. `has_airlock` says that hark has started the agent, so its editor
        is ours."""
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
        in_box = (*self.box.empty_keys, self.box.insert_key, *self.box.row_erasers)
        moving = (self.box.left_key, self.box.line_start_key)
        return tuple(key for key in (*editor, stash, recall, *in_box, *moving) if key)


class Kinds:
    def __init__(self, kinds: dict[str, AgentKind]) -> None:
        self._kinds = kinds

    def get(self, name: str) -> AgentKind:
        if kind := self._kinds.get(name):
            return kind
        known = ", ".join(sorted(self._kinds))
        raise HarkError("agent-unknown", f"no agent kind {name!r}", f"known kinds: {known}")

    def recognise(self, command: tuple[str, ...]) -> str:
        """Return the kind of agent that a command starts; `generic` for everything unknown."""
        words = [word for word in command if not word.startswith("-") and "=" not in word]
        for word in words[:3]:
            base = os.path.basename(word)
            for kind in self._kinds.values():
                if base in kind.commands or any(package in word for package in kind.packages):
                    return kind.name
        return GENERIC


def load_kinds(user_directory: Path | None = None) -> Kinds:
    """Load the built-in kinds and the user's own. A user's kind replaces the built-in kind of the same name."""
    texts = [(f"{file.parent.name}/{file.name}", file.read_bytes()) for file in data_files()]
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
        kind.conversation,
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
    """Raise config-invalid if a delivery presses a forbidden key. Even a key that is forbidden in an empty box only is wrong, because an
    empty box gets messages too."""
    forbidden = {*kind.forbidden_keys, *kind.forbidden_in_empty_box}
    if wrong := [key for key in kind.own_keys if key in forbidden]:
        raise HarkError(
            "config-invalid",
            f"{name}: {wrong[0]} is forbidden, but a delivery presses it",
            "take it out of forbidden_keys and forbidden_in_empty_box, or name another key",
        )


def check_teachable(kind: str) -> None:
    """Raise request-invalid for a program that is no known agent: a shell would run what it is told."""
    if kind == GENERIC:
        detail = "this program is not a known agent, so hark cannot teach it to signal"
        raise HarkError("request-invalid", detail, "name the agent with --agent KIND")
