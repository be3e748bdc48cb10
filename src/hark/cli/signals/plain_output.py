"""Extracts the text from a terminal's output, without the sequences that drive the terminal, however the stream is cut into pieces."""

import codecs
import re

from hark.signals.escapes import BREAK, TOKEN, is_unfinished, written


class Words:
    def __init__(self) -> None:
        self._rest = b""
        self._line = b""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def of(self, piece: bytes) -> str:
        """Return the text that is complete with this piece; a sequence that is cut in two waits for its other half."""
        data = (self._rest + piece).replace(b"\r\n", BREAK)
        told, end = bytearray(), 0
        for token in TOKEN.finditer(data):
            if is_unfinished(token, data) or (token[0] == b"\r" and token.end() == len(data)):
                break
            text = written(token, self._line)
            self._line = text.rpartition(BREAK)[2] if BREAK in text else self._line[-8:] + text
            told += text
            end = token.end()
        self._rest = data[end:]
        # Bytes that a sequence kept apart may have become one control character.
        return _CONTROLS.sub("", self._decoder.decode(bytes(told)))


_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
