"""A scenario says everything about a run: the box, the message, the draft in it, who does what and when, and how the delivery
ends. It is drawn from a source of randomness; the same seed gives the same run, to the letter.
"""

from random import Random
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from hark.delivery.carriers.submit import Lines
from hark.delivery.wording import sanitise
from tests.campaigns.simulation.flavour import Flavour, draw_flavour, with_loading_editor
from tests.campaigns.simulation.layout import Units, units_of
from tests.campaigns.simulation.terminal import Action

MESSAGE_ID = "0123456789ab"
CarrierName = Literal["none", "stash", "editor", "sentinel", "interrupt"]

LETTERS = (
    "a",
    "b",
    "1",
    "2",
    "y",
    "x",
    "i",
    " ",
    " ",
    "ü",
    "世",
    "界",
    "👍",
    "👩‍💻",
    "e\u0301",
    "\u0301",
    "/",
    "@",
    "\\",
)
MOVES = ("Left", "Left", "Right", "Home", "End", "BSpace", "C-j", "C-k", "C-u", "Escape")
PASTES = ("pasted", "two\nlines", "a\nb\nc\nd", "世界 x", "wide enough to wrap around")
DRAFTS = (
    "half a thought",
    "x",
    "two\nlines",
    "a line that is long enough to wrap around the box",
    "blank\n\nbetween\n",
    "trailing  ",
    "  ",
    "世界 wide 世界世界世界世界世界世界",
    "e\u0301👩‍💻 clusters",
    "❯ like a prompt",
    "see @file",
    "/help",
    "wordwithoutanyblankthatgoesonandonandonandon",
)
BODIES = (
    "hi",
    "a few words that have to be wrapped somewhere in the box",
    "two\nlines",
    "one\ntwo\nthree\nfour",
    "wide 世界世界世界世界世界世界世界",
    "see @file",
    "back\\",
    "gap\n\nbelow",
    "so long " * 24,
    "\n".join(f"{number} ok" for number in range(30)),
    "👍🏽 ok 1️⃣ first",
    "code:\n\tif x:\n\t\treturn",
    "ภาษาไทย หนังสือ",
    "soft\u00adhyphen ze\u200bro \ufeffbom",
    "👩‍👩‍👧‍👦",
)


SHORT = 12


class Scenario(Struct, frozen=True, kw_only=True):
    seed: int
    flavour: Flavour
    carrier: CarrierName
    body: str
    draft: str
    pasted: bool
    """The draft was pasted as a block, and may be collapsed."""
    cursor: int
    """Counted from the end of the draft."""
    stashed: str
    """What the human has put away by himself; only where the carrier knows of it."""
    script: tuple[tuple[float, Action], ...]
    dialog: tuple[float, float] | None
    """When the agent would ask, and how long the question stands."""
    prints: tuple[float, ...]
    start_ms: float
    crash_at: int | None
    """The step in which the daemon is killed."""
    called_off_at: Literal["begin", "stage"] | None
    deaf: tuple[float, float] | None = None
    """When the agent stops to read, and for how long."""

    @property
    def payload(self) -> str:
        return f"[ann · {MESSAGE_ID}]\n{sanitise(self.body)}"

    @property
    def units(self) -> Units:
        return units_of(self.draft)


def draw_scenario(random: Random, seed: int) -> Scenario:
    flavour = draw_flavour(random)
    carrier = _draw_carrier(random, flavour)
    draft = "" if random.random() < 0.35 else random.choice(DRAFTS)
    start_ms = random.choice((20.0, 100.0, 400.0))
    scenario = Scenario(
        seed=seed,
        flavour=flavour,
        carrier=carrier,
        body=random.choice(BODIES),
        draft=draft,
        pasted=random.random() < 0.15,
        cursor=random.choice((0, 0, 1, 2, 5, 99)),
        stashed="put away" if carrier == "stash" and random.random() < 0.1 else "",
        script=_draw_script(random, start_ms, LETTERS),
        dialog=(start_ms + random.random() * 400 - 50, 300 + random.random() * 1500) if random.random() < 0.2 else None,
        prints=tuple(random.random() * 600 for _ in range(random.choice((0, 0, 0, 1, 3)))),
        start_ms=start_ms,
        crash_at=random.randrange(1, 26) if random.random() < 0.25 else None,
        called_off_at=random.choice(("begin", "stage")) if random.random() < 0.12 else None,
    )
    return _draw_line(random, _draw_rarer(random, scenario) if carrier == "none" else scenario)


def _draw_line(random: Random, scenario: Scenario) -> Scenario:
    """Who holds the keys, and whether the agent reads them at once."""
    flavour = replace(scenario.flavour, is_adopted=random.random() < 0.4)
    deaf = None
    if random.random() < 0.3:
        deaf = (scenario.start_ms + random.random() * 500 - 150, random.choice((30.0, 120.0, 400.0)))
    if scenario.carrier == "editor" and random.random() < 0.25:
        flavour = with_loading_editor(flavour)
    # Behind a dialog the box is not to be seen; and without a look nobody can tell whether a stashed draft is back already.
    is_alone = scenario.dialog is None and (scenario.carrier == "none" or scenario.crash_at is None)
    # Of a longer text, or one that an early Enter has made longer, the transcript may not show the header.
    is_short = (
        len(scenario.body) <= SHORT
        and "\n" not in scenario.body
        and flavour.collapses_over < 0
        and flavour.settle_ms == 0
    )
    keeps = random.random() < 0.1 and flavour.has_stash and is_alone and is_short
    return replace(scenario, flavour=replace(flavour, keeps_submitted=keeps), deaf=deaf)


def _draw_rarer(random: Random, scenario: Scenario) -> Scenario:
    """The carriers for agents that have neither a stash nor an editor. They read the draft off the screen, and serve only agents
    that draw it as it is."""
    carrier: CarrierName = random.choice(("none", "none", "none", "sentinel", "sentinel", "interrupt"))
    truth: Lines = "visual" if scenario.flavour.by_rows else "logical"
    flavour = replace(
        scenario.flavour,
        lines=random.choice((truth, truth, "unknown")),
        keeps_cleared=random.random() < 0.5,
        is_drawn_bare=scenario.flavour.is_drawn_bare and carrier == "none",
    )
    return replace(scenario, carrier=carrier, flavour=flavour)


def _draw_carrier(random: Random, flavour: Flavour) -> CarrierName:
    if flavour.has_stash and random.random() < 0.6:
        return "stash"
    return "editor" if flavour.editor and random.random() < 0.7 else "none"


def _draw_script(random: Random, start_ms: float, letters: tuple[str, ...]) -> tuple[tuple[float, Action], ...]:
    """Before an Enter a human pauses: where an Enter too soon is a newline, he has learnt to."""
    script: list[tuple[float, Action]] = []
    time = random.random() * (start_ms + 150)
    for _ in range(random.choice((0, 0, 1, 2, 4, 8))):
        kind = random.random()
        action: Action
        if kind < 0.6:
            action = ("key", random.choice(letters))
        elif kind < 0.85:
            action = ("key", random.choice(MOVES))
        elif kind < 0.93:
            action = ("paste", random.choice(PASTES))
        else:
            action = ("key", "Enter")
            time += 70
        script.append((time, action))
        time += 5 + random.random() * 120
    return tuple(script)
