r"""Removes escape sequences, as ECMA-48 and terminals define them, from a stream of terminal output.

One pattern knows every form: CSI, the strings (OSC, DCS, APC, PM, SOS), one byte or more after an ESC, and the C1 forms of
them all. A C1 byte counts if it is written as UTF-8 (C2 80 to C2 9F); a lone byte above 7F is part of a character.

A sequence that moves the cursor forward in its row becomes blanks. A sequence that moves the cursor to another row, or back,
breaks the line: dropping it would join texts that never stood together. A repeated character (CSI n b) is written out. Every
other sequence leaves no trace.

No sequence can swallow a stream for good: ESC, CAN and SUB end any sequence that is open, and a sequence that is longer than any
real one ends by itself.

The pattern has no possessive quantifiers and no atomic groups, here and everywhere in hark: CPython misreads them before
3.11.5. The pattern needs none: in every alternative, everything after a repetition is optional, so nothing is ever tried twice.
"""

import re

LONGEST_PARAMETERS = 128
LONGEST_STRING = 4096
MOST_BLANKS = 4096
ESCAPE = 0x1B

_PLAIN = rb"[^\x00-\x1f\x7f\xc2]"
_STRING_BODY = rb"""(?: (?= [^%(ends)s\xc2]{0,%(longest)d} \xc2(?!\x9c|\Z) ) (?: [^%(ends)s\xc2] | \xc2(?!\x9c|\Z) ){0,%(longest)d}
        | [^%(ends)s\xc2]{0,%(longest)d} )"""
"""The pattern of a string's inside. Its second line matches the same as the first, but faster, where no byte C2 requires a look at the
byte after it."""
TOKEN = re.compile(
    rb"""
      (?P<text> (?: %(plain)s | \xc2(?![\x80-\x9f]|\Z) ) %(plain)s* (?: \xc2(?![\x80-\x9f]|\Z) %(plain)s* )* )
    | (?P<csi> (?: \x1b\[ | \xc2\x9b ) (?P<parameters> [\x00-\x17\x19\x1c-\x3f\x7f]{0,%(parameters)d} ) (?P<final> [\x40-\x7e\x18\x1a]? ) )
    | (?P<osc> (?: \x1b\] | \xc2\x9d ) %(osc)s (?P<oscend> [\x07\x18\x1a] | \xc2\x9c )? )
    | (?P<string> (?: \x1b[PX^_] | \xc2[\x90\x98\x9e\x9f] ) %(string)s (?P<stringend> [\x18\x1a] | \xc2\x9c )? )
    | (?P<escape> \x1b (?: [\x20-\x2f]{1,16} [\x30-\x7e]? | [\x30-\x4f\x51-\x57\x59\x5a\x5c\x60-\x7e] )? )
    | (?P<eightbit> \xc2[\x80-\x9f] )
    | (?P<control> [\x00-\x1f\x7f] )
    """
    % {
        b"plain": _PLAIN,
        b"parameters": LONGEST_PARAMETERS,
        b"osc": _STRING_BODY % {b"ends": rb"\x07\x18\x1a\x1b", b"longest": LONGEST_STRING},
        b"string": _STRING_BODY % {b"ends": rb"\x18\x1a\x1b", b"longest": LONGEST_STRING},
    },
    re.VERBOSE | re.DOTALL,
)
BREAK = b"\n"
_BREAKING_CONTROLS = frozenset(b"\n\v\f\r\b")
_BREAKING_FINALS = frozenset(b"ABDEFGHLMSTZ`defrsu")
_BREAKING_ESCAPES = frozenset((b"\x1b8", b"\x1bD", b"\x1bE", b"\x1bM", b"\x1bc"))
_BREAKING_EIGHTBIT = frozenset((b"\xc2\x84", b"\xc2\x85", b"\xc2\x8d"))
_SCREENS = frozenset((b"?1049", b"?1047", b"?47", b"?3", b"?6"))
"""The terminal modes whose change moves the cursor."""
_LAST_CHARACTER = re.compile(rb"[^\x80-\xbf][\x80-\xbf]*\Z")


def is_unfinished(token: re.Match[bytes], data: bytes) -> bool:
    """True if the bytes that follow the data may still belong to this token."""
    end, kind = token.end(), token.lastgroup
    rest = data[end:]
    if rest and rest != b"\xc2":
        return False
    match kind:
        case "csi":
            return not rest and not token["final"]
        case "osc":
            return not token["oscend"]
        case "string":
            return not token["stringend"]
        case "escape":
            return not rest and (end - token.start() == 1 or (token[0][1] < 0x30 and token[0][-1] < 0x30))
        case _:
            return False


def written(token: re.Match[bytes], line: bytes) -> bytes:
    """Return what a token leaves in the text: text, blanks, BREAK (several, if the cursor went down several rows), or nothing. `line`
    is the text that stands before the token in its line."""
    kind = token.lastgroup
    if kind == "text":
        return token[0]
    if kind == "csi":
        return _csi(token["parameters"], token["final"], line)
    if kind == "control":
        byte = token[0][0]
        return BREAK if byte in _BREAKING_CONTROLS else b"\t" if byte == 9 else b""
    if kind == "escape":
        return BREAK if token[0] in _BREAKING_ESCAPES else b""
    return BREAK if kind == "eightbit" and token[0] in _BREAKING_EIGHTBIT else b""


def _csi(parameters: bytes, final: bytes, line: bytes) -> bytes:
    within = BREAK if not _BREAKING_CONTROLS.isdisjoint(parameters) else b""
    numbers = bytes(byte for byte in parameters if 0x20 <= byte < 0x7F)
    if final in (b"h", b"l"):
        moves = not _SCREENS.isdisjoint(b"?" + one.removeprefix(b"?") for one in numbers.split(b";") if b"?" in numbers)
        return BREAK if moves else within
    if not final or final in b"\x18\x1a" or not re.fullmatch(rb"[0-9;:]*", numbers):
        return within
    if final in (b"C", b"a"):
        return within + b" " * _count(numbers)
    if final == b"I":
        return within + b"\t"
    if final == b"b":
        last = _LAST_CHARACTER.search(b"" if within else line)
        return within + (last[0] * _count(numbers) if last else b"")
    if final == b"B":
        return BREAK * min(_count(numbers), 100)
    return BREAK if final[0] in _BREAKING_FINALS else within


def _count(numbers: bytes) -> int:
    first = re.match(rb"[0-9]*", numbers)
    return min(MOST_BLANKS, max(1, int((first[0] if first else b"")[:6] or b"1")))


def strip(data: bytes) -> bytes:
    """Remove the escape sequences from a whole text at once."""
    line, parts = b"", []
    for token in TOKEN.finditer(data):
        piece = written(token, line)
        parts.append(piece)
        line = piece.rpartition(BREAK)[2] if BREAK in piece else line + piece
    return b"".join(parts)
