"""What the detector must find, as a state machine that looks at one byte after the other: slow, and plain enough to believe."""

from __future__ import annotations

from hark.model.signal import SignalState
from hark.signals.detector import LONGEST_FENCE
from hark.signals.escapes import LONGEST_PARAMETERS, LONGEST_STRING, MOST_BLANKS
from hark.signals.marker import LONGEST_LINE, Found, MarkerReader, NearMiss

BREAKING_CONTROLS = b"\n\v\f\r\b"
BREAKING_FINALS = b"ABDEFGHLMSTZ`defrsu"
STRINGS = {ord("]"): "osc", ord("P"): "string", ord("X"): "string", ord("^"): "string", ord("_"): "string"}
EIGHT_BIT_STRINGS = {0x9D: "osc", 0x90: "string", 0x98: "string", 0x9E: "string", 0x9F: "string"}


class Reference:
    def __init__(self, *, has_mentions: bool = True) -> None:
        self.has_mentions = has_mentions
        self.state = "ground"
        self.line = b""
        self.run = b""
        """Text with no sequence in it, up to the last byte."""
        self.is_named = False
        self.parameters = bytearray()
        self.length = 0
        self.held = False
        """A C2 that may begin an eight-bit control."""
        self.offset = 0
        self.begun_at = 0
        self.fence_at: int | None = None
        self.found: list[Found] = []
        self.reader = MarkerReader()

    def feed(self, data: bytes) -> list[Found]:
        self.found = []
        for byte in data:
            self.take(byte)
            self.offset += 1
        return self.found

    def take(self, byte: int) -> None:
        if self.held:
            self.held = False
            self.take_after_c2(byte)
        elif byte == 0xC2 and self.state in ("ground", "osc", "string"):
            self.held = True
        elif byte == 0xC2:
            self.abort()
            self.held = True
        else:
            getattr(self, self.state)(byte)

    def print(self, byte: int) -> None:
        self.run += bytes([byte])
        self.is_named = self.is_named or any(self.run.endswith(name.encode()) for name in self.reader.names)
        self.write(bytes([byte]))

    def take_after_c2(self, byte: int) -> None:
        if self.state in ("osc", "string"):
            if byte == 0x9C:
                self.state = "ground"
                return
            self.string_byte()
            if self.state == "ground" and self.was_full:
                # The string was full: what was held is text, or begins a control.
                if 0x80 <= byte <= 0x9F:
                    self.eight_bit(byte)
                    return
                self.print(0xC2)
            self.take(byte)
            return
        if 0x80 <= byte <= 0x9F:
            self.eight_bit(byte)
            return
        self.print(0xC2)
        self.take(byte)

    def eight_bit(self, byte: int) -> None:
        self.run = b""
        self.begun_at = self.offset - 1
        if byte == 0x9B:
            self.begin_csi()
        elif byte in EIGHT_BIT_STRINGS:
            self.state, self.length = EIGHT_BIT_STRINGS[byte], 0
        elif byte in (0x84, 0x85, 0x8D):
            self.end_line(self.begun_at)

    def ground(self, byte: int) -> None:
        if byte >= 0x80 or 0x20 <= byte < 0x7F:
            self.print(byte)
            return
        self.run = b""
        if byte == 0x1B:
            self.state, self.begun_at = "escape", self.offset
        elif byte in BREAKING_CONTROLS:
            self.end_line(self.offset)
        elif byte == 9:
            self.write(b"\t")

    def escape(self, byte: int) -> None:
        if byte == ord("["):
            self.begin_csi()
        elif byte in STRINGS:
            self.state, self.length = STRINGS[byte], 0
        elif 0x20 <= byte <= 0x2F:
            self.state, self.length = "intermediate", 1
        elif 0x30 <= byte <= 0x7E:
            self.state = "ground"
            if byte in b"8DEMc":
                self.end_line(self.begun_at)
        else:
            self.again(byte)

    def intermediate(self, byte: int) -> None:
        if 0x20 <= byte <= 0x2F and self.length < 16:
            self.length += 1
        elif 0x30 <= byte <= 0x7E:
            self.state = "ground"
        else:
            self.again(byte)

    def begin_csi(self) -> None:
        self.state, self.parameters = "csi", bytearray()

    def csi(self, byte: int) -> None:
        if 0x40 <= byte <= 0x7E or byte in (0x18, 0x1A):
            self.state = "ground"
            self.end_csi(byte)
        elif ((byte < 0x40 and byte != 0x1B) or byte == 0x7F) and len(self.parameters) < LONGEST_PARAMETERS:
            self.parameters.append(byte)
        else:
            self.end_csi(None)
            self.again(byte)

    def osc(self, byte: int) -> None:
        if byte in (0x07, 0x18, 0x1A):
            self.state = "ground"
        else:
            self.string(byte)

    def string(self, byte: int) -> None:
        if byte in (0x18, 0x1A):
            self.state = "ground"
        elif byte == 0x1B:
            self.again(byte)
        else:
            self.string_byte()
            if self.was_full:
                self.ground(byte)

    def string_byte(self) -> None:
        self.was_full = self.length == LONGEST_STRING
        if self.was_full:
            self.state = "ground"
        else:
            self.length += 1

    def abort(self) -> None:
        if self.state == "csi":
            self.end_csi(None)
        self.state = "ground"

    def again(self, byte: int) -> None:
        self.state = "ground"
        self.ground(byte)

    def end_csi(self, final: int | None) -> None:
        breaks = any(byte in BREAKING_CONTROLS for byte in self.parameters)
        plain = bytes(byte for byte in self.parameters if 0x20 <= byte < 0x7F)
        if final in (ord("h"), ord("l")):
            numbers = plain.replace(b"?", b"").split(b";") if b"?" in plain else []
            if breaks or self.moves(plain, numbers):
                self.end_line(self.begun_at)
            return
        is_numbers = all(byte in b"0123456789;:" for byte in plain)
        if final is None or final in (0x18, 0x1A) or not is_numbers:
            if breaks:
                self.end_line(self.begun_at)
            return
        digits = plain.split(b";")[0].split(b":")[0][:6]
        count = min(MOST_BLANKS, max(1, int(digits or b"1")))
        if final == ord("B"):
            for _ in range(min(count, 100)):
                self.end_line(self.begun_at)
        elif final in BREAKING_FINALS or breaks:
            self.end_line(self.begun_at)
        if final in b"Ca":
            self.write(b" " * count)
        elif final == ord("I"):
            self.write(b"\t")
        elif final == ord("b"):
            self.write(self.last_character() * count)

    def moves(self, plain: bytes, numbers: list[bytes]) -> bool:
        """As terminals list them: the question mark before the first."""
        listed = [one.removeprefix(b"?") for one in plain.split(b";")]
        return bool(numbers) and any(one in (b"1049", b"1047", b"47", b"3", b"6") for one in listed)

    def last_character(self) -> bytes:
        for size in range(1, len(self.line) + 1):
            if not 0x80 <= self.line[-size] <= 0xBF:
                return self.line[-size:]
        return b""

    def write(self, text: bytes) -> None:
        self.line = (self.line + text)[-LONGEST_LINE:]

    def end_line(self, at: int) -> None:
        seen = self.look(at)
        if seen:
            self.found.append(seen)
        words = self.line.strip()
        if words.startswith(b"```"):
            if not self.is_fenced(at):
                self.fence_at = at
            elif not words.strip(b"`"):
                self.fence_at = None
        self.line, self.is_named = b"", False

    def look(self, at: int) -> Found | None:
        line = self.line.decode("utf-8", "replace")
        seen = self.reader.read(line)
        if isinstance(seen, NearMiss) and not (self.is_named and self.has_mentions) and "<[" not in line:
            return None
        if seen and not isinstance(seen, NearMiss) and self.is_fenced(at):
            return NearMiss(line.strip(), "it stands in a code block")
        return seen

    def is_fenced(self, at: int) -> bool:
        return self.fence_at is not None and at - self.fence_at <= LONGEST_FENCE


STATES = tuple(SignalState)
