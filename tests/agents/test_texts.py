"""Texts of all kinds, to real agents, beside a draft that rests in the box: each arrives once and to the letter, and the draft and
its cursor stay. A screen draws many of them otherwise than they are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from hark.agents.kinds import load_kinds
from hark.demo.human import Human
from tests.agents.arriving import as_it_arrives
from tests.agents.delivering import Delivering, delivering
from tests.agents.running import DEADLINE_S
from tests.support.terminals import wait_until

TEXTS = {
    "a skin tone": "👍🏽 ok",
    "a keycap": "1️⃣ first, then 2️⃣",
    "a family": "the 👨‍👩‍👧‍👦 and the 🏳️‍🌈",
    "a flag": "ship it to 🇨🇭 and 🇯🇵",
    "what nobody sees": "soft\u00adhyphen, zero\u200bwidth, \ufeffbom",
    "code with tabs": "if x:\n\treturn [\n\t\t1,\n\t]",
    "Thai": "ภาษาไทยเป็นภาษาที่สวยงาม",
    "Devanagari": "हिन्दी में लिखा हुआ",
    "from right to left": "שלום עולם, مرحبا بالعالم, and back",
    "mathematical letters": "𝒜𝓁𝓁 𝔬𝔣 𝕥𝕙𝕖𝕞",
    "stacked marks": "Z\u0351\u036b\u0343a\u0321\u031bl\u0328go",
    "ends with a backslash": "a path such as C:\\",
    "ends with a file name": "look at @README",
    "marks of direction": "left\u200eto\u200fright, \u2067mirrored\u2069 and \u202eback\u202c",
    "words after an at sign": "@property and bob@example.test, but not @ alone",
    "more of them than an agent bears": " ".join(f"@name{number}" for number in range(60)),
    "Markdown": "# Title\n\n- **bold** and `code`\n- [a link](http://localhost/a/long/path/that/goes/on/and/on/for/a/while?x=1)",
}
WORDS = " ".join(f"word{number}" for number in range(9000))
LONG_TEXTS = {
    "60 short lines": "\n".join(f"{number} ok" for number in range(60)),
    "500 lines": "\n".join(f"line {number} of many" for number in range(500)),
    "a line of 900 letters": WORDS[:900],
    "1 KiB in one line": WORDS[:1024],
    "8 KiB in one line": WORDS[:8192],
    "8 KiB without a blank": "x" * 8192,
    "16 KiB of code and emoji": "def f():\n\treturn '👍🏽 漢字 שלום 1️⃣'\n" * 300,
    "64 KiB in one line": WORDS[: 64 * 1024],
    "64 KiB in 1000 lines": "\n".join(WORDS[at : at + 64] for at in range(0, 1000 * 64, 64)),
}
DRAFT = "half a thou"


@pytest.fixture(scope="module", params=["claude", "codex", "gemini"])
def agent(request: pytest.FixtureRequest) -> Iterator[Delivering]:
    with delivering(request.param) as running:
        running.deliver("warm up")
        running.wait_bodies("warm up")
        running.wait_ready()
        yield running


@pytest.fixture(scope="module")
def human(agent: Delivering) -> Iterator[Human]:
    """A person who has typed half a word, has gone back two letters, and waits."""
    with agent.human() as person:
        person.wait_attached(DEADLINE_S)
        agent.wait_ready()
        person.type(DRAFT, keys_per_second=20)
        agent.wait_draft(DRAFT)
        person.press("Left")
        person.press("Left")
        yield person


@pytest.mark.parametrize("name", TEXTS | LONG_TEXTS)
def test_a_text_arrives_to_the_letter(agent: Delivering, human: Human, name: str) -> None:
    before, text = agent.bodies(), (TEXTS | LONG_TEXTS)[name].strip()

    agent.deliver(text)

    if load_kinds().get(agent.launch.kind).inline.take(text):
        agent.wait_bodies(*before, as_it_arrives(agent.launch.kind, text))
    else:
        wait_until(lambda: len(agent.bodies()) == len(before) + 1, DEADLINE_S, "it at the model", agent.bodies)
        assert _file_in(agent.bodies()[-1]).read_text() == text
    agent.wait_draft(DRAFT)


def _file_in(body: str) -> Path:
    """The file that a message points to when its text is longer than the agent takes whole."""
    found = re.search(r"Read it in this file: (\S+)", body)
    assert found, body
    return Path(found[1])


def test_the_draft_and_its_cursor_are_as_they_were(agent: Delivering, human: Human) -> None:
    human.type("X", keys_per_second=5)
    agent.wait_draft("X")
    human.press("Enter")

    wait_until(lambda: agent.prompts() == ["half a thXou"], DEADLINE_S, "the human's prompt", agent.stand_in.submitted)
