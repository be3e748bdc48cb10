"""Names that people see: which names a sender may have, and which names look like another word.

A name stands in the header of a message, in tables and in notices, so it holds no brackets, separators or control
characters, has a limited length, and never reads as a word that hark uses for itself. Two texts look alike when their
skeletons do. A skeleton has no compatibility forms, case, accents, blanks or invisible characters, and has Latin letters in
place of the letters of other alphabets that are drawn like them.
"""

import unicodedata
from functools import lru_cache

from hark.model.errors import HarkError

LONGEST_NAME = 64
RESERVED = ("hark", "reminder", "someone")
"""The names by which hark calls itself, its reminders, and a sender without a name."""

_PUNCTUATION = "._-/@+"
_LETTERS = ("L", "M", "N")
_UNSEEN = ("C", "Z", "Mn", "Me")
_BLANK_LETTERS = "\u115f\u1160\u3164\uffa0\u2800"
"""The letters and symbols that terminals draw as blanks."""
_TWINS = str.maketrans(
    "аеорсухіјѕһкмтвгнпԁոαεικμνορτυηωı",
    "aeopcyxijshkmtbrhndnaeikmvoptunwi",
)
_ASCII_TWINS = {"i": "l1|!", "l": "i1|!", "o": "0", "s": "5$", "a": "4@", "e": "3"}


def check_sender(name: str) -> str:
    """Return the name of a sender in Unicode's composed form (NFC). Raise an error if no sender may have this name."""
    composed = check_letters(name)
    check_not_reserved(composed)
    return composed


def check_letters(name: str) -> str:
    """Return the name of a sender or of a session in Unicode's composed form (NFC). Raise `name-invalid` if its letters or its
    length are wrong."""
    composed = unicodedata.normalize("NFC", name)
    if not _is_well_formed(composed):
        raise HarkError(
            "name-invalid",
            f"{shorten(name)!r} cannot be the name of a sender",
            f"use 1 to {LONGEST_NAME} letters, digits, single blanks and . _ - / @ +, starting with a letter, a digit or _",
        )
    return composed


def check_not_reserved(name: str) -> None:
    """Refuse a name that is, or looks like, a word that hark uses for itself."""
    for word in (name, *name.split(" ")):
        if taken := next((own for own in RESERVED if looks_like(word, own)), None):
            raise HarkError(
                "name-reserved",
                f"{shorten(name)!r} reads as {taken!r}, which hark uses for itself",
                "choose another name",
            )


def clean_sender(name: str | None) -> str:
    """Return the name for a header, whatever name an older version has stored: replace characters that no name may hold with
    blanks, and cut off what is too long."""
    if name is None:
        return "someone"
    start = unicodedata.normalize("NFC", name[: 4 * LONGEST_NAME])
    kept = " ".join("".join(c if _is_allowed(c) else " " for c in start).split())
    return kept[:LONGEST_NAME].strip() or "someone"


def shorten(name: str) -> str:
    """Cut a name to the length in which an error may repeat it."""
    return name if len(name) <= LONGEST_NAME else name[:LONGEST_NAME] + "…"


def _is_well_formed(name: str) -> bool:
    if not 0 < len(name) <= LONGEST_NAME or not all(map(_is_allowed, name)) or "  " in name:
        return False
    return name[-1] != " " and (name[0] == "_" or unicodedata.category(name[0])[0] in "LN")


def _is_allowed(character: str) -> bool:
    if character == " " or character in _PUNCTUATION:
        return True
    return character not in _BLANK_LETTERS and unicodedata.category(character).startswith(_LETTERS)


def looks_like(text: str, word: str) -> bool:
    """True if a reader would take the text for the word, which is plain lower-case ASCII."""
    bones = skeleton(text)
    return len(bones) == len(word) and resembles(bones, word, at_least=1)


def resembles(bones: str, word: str, at_least: int) -> bool:
    """True if each character of a skeleton is the word's character at that place, is drawn like it, or belongs to an alphabet
    whose letters hark does not know; and at least `at_least` of them are exactly the word's characters."""
    pairs = list(zip(bones, word, strict=False))
    is_like = len(bones) >= len(word) and all(
        one == wanted or one in _ASCII_TWINS.get(wanted, "") or not one.isascii() for one, wanted in pairs
    )
    return is_like and sum(one == wanted for one, wanted in pairs) >= at_least


def skeleton(text: str) -> str:
    """Remove from a text all differences that a reader hardly sees: case, accents, blanks, alphabets that look Latin."""
    return "".join(map(_fold, text))


@lru_cache(maxsize=65536)
def _fold(character: str) -> str:
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", character).casefold())
    seen = (c for c in plain if c not in _BLANK_LETTERS and not unicodedata.category(c).startswith(_UNSEEN))
    return "".join(seen).translate(_TWINS)
