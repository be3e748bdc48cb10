"""The one place that knows which arguments of which commands tmux expands.

In some places tmux replaces formats in a value (`#{pane_id}`, `#H`), and runs `#(command)` in a shell. In a few places tmux also
replaces times (`%H:%M`). The table below says for each command that hark uses which option values and which words are
such places. A plain `str` always arrives as it is: in an expanding place it is escaped. Only a `Format` is expanded, and
a `Format` is only accepted where tmux expands. A command that is not in the table is refused.

Measured on tmux 3.3a: tmux expands new-session -c -n -s -F, new-window -c -n -F, split-window -c -F, rename-window,
rename-session, select-pane -T, display-message, run-shell, pipe-pane, the condition of if-shell, and every -F and -f of
the list commands. tmux does not expand -e, the values of set-option and set-hook, buffers, keys, targets and the words of a
program. `##` is a `#`, but a row of `#` before `[` stays as it is, because tmux leaves styles to whoever draws them.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple


class Format(str):
    """A text that tmux must expand. Never make a `Format` from somebody else's text: `literal` and `equals` take such texts."""

    __slots__ = ()


class Places(NamedTuple):
    """The places among the arguments of one tmux command in which tmux expands formats."""

    valued: str = ""
    """The letters of the options that take a value."""
    expanded: str = ""
    """The letters of the options whose value tmux expands."""
    expanded_words: int = 0
    """How many of the words after the options tmux expands."""
    is_timed: bool = False
    """True if tmux also expands times in these places."""


_ALL = 1_000_000
_LISTING = Places("Fft", "Ff")

PLACES = {
    "bind-key": Places("NT"),
    "capture-pane": Places("bESt"),
    "delete-buffer": Places("b"),
    "detach-client": Places("Est"),
    "display-message": Places("cdFt", "F", _ALL, is_timed=True),
    "has-session": Places("t"),
    "if-shell": Places("t", expanded_words=1),
    "kill-pane": Places("t"),
    "kill-server": Places(),
    "kill-session": Places("t"),
    "link-window": Places("st"),
    "list-clients": _LISTING,
    "list-keys": Places("NPT"),
    "list-panes": _LISTING,
    "list-sessions": _LISTING,
    "list-windows": _LISTING,
    "load-buffer": Places("bt"),
    "move-window": Places("st"),
    "new-session": Places("cefFnstxy", "cFns"),
    "new-window": Places("ceFnt", "cFn"),
    "paste-buffer": Places("bst"),
    "pipe-pane": Places("t", expanded_words=_ALL, is_timed=True),
    "refresh-client": Places("ABCDfLRStU"),
    "rename-session": Places("t", expanded_words=_ALL),
    "rename-window": Places("t", expanded_words=_ALL),
    "resize-window": Places("txy"),
    "run-shell": Places("dt", expanded_words=_ALL),
    "select-pane": Places("Tt", "T"),
    "select-window": Places("t"),
    "send-keys": Places("cNt"),
    "set-buffer": Places("bnt"),
    "set-hook": Places("t"),
    "set-option": Places("t"),
    "show-options": Places("t"),
    "split-window": Places("ceFlt", "cF"),
    "switch-client": Places("ctT"),
    "unlink-window": Places("t"),
    "unbind-key": Places("T"),
    "wait-for": Places(),
}

_FLAG = re.compile(r"--?[A-Za-z]?")
_HASHES = re.compile(r"#+(?![#\[])")


class Argument(NamedTuple):
    text: str
    is_flag: bool


def arguments(name: str, *given: str) -> Iterator[Argument]:
    """Yield the arguments for the tmux command in a form in which each plain text arrives as it is and each `Format` is expanded."""
    places = PLACES[name]
    option, has_options_left, words = "", True, 0
    for text in given:
        if option:
            yield Argument(_placed(name, text, option in places.expanded, places.is_timed), False)
            option = ""
        elif has_options_left and _FLAG.fullmatch(text):
            yield Argument(text, True)
            has_options_left = text != "--"
            option = text[1:] if text[1:] in places.valued else ""
        else:
            yield Argument(_placed(name, text, words < places.expanded_words, places.is_timed), False)
            has_options_left, words = False, words + 1


def _placed(name: str, text: str, is_expanded: bool, is_timed: bool) -> str:
    if isinstance(text, Format):
        if not is_expanded:
            raise ValueError(f"tmux expands no format there: {name} {text!r}")
        return text
    return literal(text, is_timed=is_timed) if is_expanded else text


def literal(text: str, *, is_timed: bool = False) -> Format:
    """Return a format that expands to the text."""
    escaped = _HASHES.sub(lambda hashes: hashes[0] * 2, text)
    return Format(escaped.replace("%", "%%") if is_timed else escaped)


def equals(variable: str, value: object) -> Format:
    """Return a format that is true if the variable has that value, whatever characters the value holds."""
    inner = _HASHES.sub(lambda hashes: hashes[0] * 2, str(value)).replace(",", "#,").replace("}", "#}")
    return Format(f"#{{==:#{{{variable}}},{inner}}}")


def value_of(variable: str) -> Format:
    """Return a format that expands to the value of a variable, or of an option of ours. As a condition it is true if the value is set,
    and not to 0."""
    return Format(f"#{{{variable}}}")


def not_(condition: Format) -> Format:
    return Format(f"#{{?{condition},0,1}}")


def all_of(*conditions: Format) -> Format:
    """Return a format that is true if all conditions are true."""
    first, *rest = conditions
    return Format(f"#{{&&:{first},{all_of(*rest)}}}") if rest else first
