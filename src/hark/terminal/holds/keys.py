"""The keys that hark may press, and no others: their names in tmux, and the bytes that a terminal sends for them."""

import string

from hark.model.errors import HarkError

KEY_BYTES: dict[str, bytes] = {
    "Enter": b"\r",
    "Up": b"\x1b[A",
    "Down": b"\x1b[B",
    "Right": b"\x1b[C",
    "Left": b"\x1b[D",
    "S-Left": b"\x1b[1;2D",
    "Home": b"\x1b[H",
    "End": b"\x1b[F",
    "S-Home": b"\x1b[1;2H",
    "S-End": b"\x1b[1;2F",
    "BSpace": b"\x7f",
    "DC": b"\x1b[3~",
    "IC": b"\x1b[2~",
    "M-Enter": b"\x1b\r",
    "e": b"e",
    "Escape": b"\x1b",
    **{f"C-{letter}": bytes([number]) for number, letter in enumerate(string.ascii_lowercase, start=1)},
}

LONGEST_WRITE = 48
"""The largest number of bytes in one write of keys. Agents take a read of 64 bytes or more for a paste, control bytes and all."""


def bytes_of(key: str) -> bytes:
    try:
        return KEY_BYTES[key]
    except KeyError:
        raise HarkError(
            "config-invalid", f"{key!r} is not a key that hark presses", f"keys: {', '.join(KEY_BYTES)}"
        ) from None


def in_bursts(keys: tuple[str, ...]) -> list[bytes]:
    """Return the bytes of the keys in pieces so short that no agent takes one for a paste."""
    bursts: list[bytes] = []
    for key in keys:
        data = bytes_of(key)
        if bursts and len(bursts[-1]) + len(data) <= LONGEST_WRITE:
            bursts[-1] += data
        else:
            bursts.append(data)
    return bursts
