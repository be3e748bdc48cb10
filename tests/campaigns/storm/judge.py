"""What became of the messages and of the person's prompts, judged by what the agent's model received.

Exact means equal to the letter; only the blanks around a submitted text do not count, for agents drop them. A prompt that
was recalled from the history is exact if it is a text that had arrived before, exactly, with the person's own words where
the cursor was. An agent may join what was submitted during one turn by an empty line: then each part must be exact by itself.

What is left over is a mixture. A message of hark's is known in it by its id, so it can be told whether it is in there (garbled) or
nowhere (lost). Without an id, capitals are a message's; small letters are the person's, and those that are nowhere have gone missing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher

from msgspec import Struct

from tests.campaigns.storm import messages, person
from tests.campaigns.storm.person import Prompt, Recalled

JOINT = "\n\n"
HEADER = re.compile(r"\[Input from: .* via hark send · (?P<id>[0-9a-f]{12})\]")
FOUND_SHARE = 0.5
"""A prompt of which fewer letters are found has been lost, not garbled."""


class Verdict(Struct, frozen=True, kw_only=True):
    exact: tuple[str, ...] = ()
    garbled: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    doubled: tuple[str, ...] = ()
    prompts_exact: tuple[str, ...] = ()
    prompts_garbled: tuple[str, ...] = ()
    prompts_lost: tuple[str, ...] = ()
    keys_lost: int = 0
    leftovers: tuple[str, ...] = ()

    @property
    def is_clean(self) -> bool:
        damage = (self.garbled, self.lost, self.doubled, self.prompts_garbled, self.prompts_lost, self.leftovers)
        return not any(damage) and not self.keys_lost


def judge(
    sent: Sequence[str], prompts: Sequence[Prompt], arrived: Sequence[str], earlier: Sequence[str] = ()
) -> Verdict:
    """`sent` are the messages as the agent must receive them, each unlike the others; `arrived` in order; `earlier` is what
    was in the history before."""
    sorting = Sorting(sent, prompts, earlier)
    for text in arrived:
        sorting.take(text)
    counts, leftovers = sorting.counts, tuple(sorting.leftovers)
    broken = [prompt for prompt in prompts if counts[prompt.text] != 1]
    is_mixed = {text: _is_in(text, leftovers) for text in sent}
    # What the person has fetched from the history themselves is no second copy.
    is_again = {text: _is_in(text, [one for one in leftovers if not _is_recalled(one, broken)]) for text in sent}
    shares = [_found_share(prompt.text, leftovers) for prompt in broken]
    return Verdict(
        exact=tuple(text for text in sent if counts[text] == 1 and not is_again[text]),
        garbled=tuple(text for text in sent if not counts[text] and is_mixed[text]),
        lost=tuple(text for text in sent if not counts[text] and not is_mixed[text]),
        doubled=tuple(text for text in sent if counts[text] + is_again[text] > 1),
        prompts_exact=tuple(prompt.text for prompt in prompts if counts[prompt.text] == 1),
        prompts_garbled=tuple(one.text for one, share in zip(broken, shares, strict=True) if share >= FOUND_SHARE),
        prompts_lost=tuple(one.text for one, share in zip(broken, shares, strict=True) if share < FOUND_SHARE),
        keys_lost=_keys_lost(broken, [_without(sent, one) for one in leftovers]),
        leftovers=leftovers,
    )


class Sorting:
    """Goes through what arrived, in order, and counts what is exact."""

    def __init__(self, sent: Sequence[str], prompts: Sequence[Prompt], earlier: Sequence[str]) -> None:
        self._whole = {trim(text): text for text in sent}
        self._whole |= {prompt.text: prompt.text for prompt in prompts if prompt.recalled is Recalled.NOT}
        self._recalled = [prompt for prompt in prompts if prompt.recalled is not Recalled.NOT]
        self._earlier = {trim(text) for text in earlier}
        self.counts: Counter[str] = Counter()
        self.leftovers: list[str] = []

    def take(self, text: str) -> None:
        parts = self._parts(trim(text))
        if parts is None:
            self.leftovers.append(text)
        self.counts.update(parts or ())
        self._earlier.add(trim(text))

    def _parts(self, text: str) -> list[str] | None:
        """The names of the exact texts that this is made of; None if it is not."""
        if name := self._name(text):
            self._earlier.add(text)
            return [name]
        for found in re.finditer(JOINT, text):
            name = self._name(trim(text[: found.start()]))
            rest = self._parts(trim(text[found.end() :])) if name else None
            if name and rest:
                self._earlier.add(trim(text[: found.start()]))
                return [name, *rest]
        return None

    def _name(self, text: str) -> str | None:
        if text in self._whole:
            return self._whole[text]
        rests = ((prompt.text, _without_own(text, prompt)) for prompt in self._recalled)
        return next((own for own, rest in rests if rest is not None and trim(rest) in self._earlier), None)


def trim(text: str) -> str:
    """A text without the blanks around it. To most agents a mark of byte order is a blank too."""
    while (shorter := text.strip().strip("\ufeff")) != text:
        text = shorter
    return text


def _without(sent: Sequence[str], leftover: str) -> str:
    """What is left of it when the messages that stand in it whole are taken out."""
    for text in sent:
        leftover = leftover.replace(text, "")
    return leftover


def _without_own(text: str, prompt: Prompt) -> str | None:
    """What came out of the history; None if the person's words do not stand where they typed them."""
    if prompt.recalled is Recalled.CURSOR_AT_START:
        return text.removeprefix(prompt.text) if text.startswith(prompt.text) else None
    return text.removesuffix(prompt.text) if text.endswith(prompt.text) else None


def _is_in(text: str, leftovers: Sequence[str]) -> bool:
    if header := HEADER.match(text):
        return any(header["id"] in one for one in leftovers)
    return _letters(text, messages.LETTERS) in _all_letters(leftovers, messages.LETTERS)


def _is_recalled(leftover: str, broken: Sequence[Prompt]) -> bool:
    tags = (re.findall(person.TAG, prompt.text) for prompt in broken if prompt.recalled is not Recalled.NOT)
    return any(tag in leftover for found in tags for tag in found)


def _found_share(prompt: str, leftovers: Sequence[str]) -> float:
    wanted = _letters(prompt, person.LETTERS)
    matcher = SequenceMatcher(None, wanted, _all_letters(leftovers, person.LETTERS), autojunk=False)
    return sum(block.size for block in matcher.get_matching_blocks()) / max(len(wanted), 1)


def _keys_lost(prompts: Sequence[Prompt], leftovers: Sequence[str]) -> int:
    """Letters that are nowhere. What has come in pieces, or in another order, is garbled but not lost."""
    wanted = Counter(_all_letters([prompt.text for prompt in prompts], person.LETTERS))
    return (wanted - Counter(_all_letters(leftovers, person.LETTERS))).total()


def _letters(text: str, alphabet: str) -> str:
    return "".join(character for character in HEADER.sub("", text) if character in alphabet)


def _all_letters(texts: Sequence[str], alphabet: str) -> str:
    return "".join(_letters(text, alphabet) for text in texts)
