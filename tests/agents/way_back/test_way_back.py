"""The keys of the way back on real agents: harmless in a permission dialog, and enough in every mode of the box."""

from __future__ import annotations

from itertools import groupby

import pytest

from hark.agents.kinds import load_kinds
from hark.delivery.carriers.undo import erasures, ways_out
from tests.agents.running import Agent, running
from tests.agents.way_back.situations import SITUATIONS
from tests.agents.way_back.trial import measure, rest
from tests.support.terminals import wait_until

pytestmark = pytest.mark.timeout(600)
HEADER = "[Input from: ann via hark send · 0123456789ab]"
TEXTS = {
    "two lines": f"{HEADER}\nhello there",
    "wrapped": f"{HEADER}\n{'word ' * 60}",
    "an empty line, wide characters": f"{HEADER}\n漢字 and ü\n\nthe end",
    "collapsed": f"{HEADER}\n{'x' * 3000}",
}
ERASED_WITHIN_S = 10.0


@pytest.mark.parametrize("kind", ["claude", "codex", "gemini"])
def test_a_permission_dialog_is_as_it_was_after_the_way_back(kind: str) -> None:
    asking = SITUATIONS[kind][0]

    finding = measure(kind, asking)

    assert set(finding.effects.values()) == {"inert"}, finding.story


@pytest.mark.parametrize("kind", ["claude", "codex", "gemini"])
def test_our_text_goes_out_of_a_box_in_vims_normal_mode(kind: str) -> None:
    with running(kind, is_vim=True) as agent:
        agent.wait_ready()
        for text in TEXTS.values():
            into_normal_mode(agent)
            agent.tmux.paste(agent.pane, text)
            agent.wait_for(lambda screen: not agent.marks.has_empty_box(screen), "our text")
            rest(agent)

            take_out(agent, text)

            wait_until(
                lambda: agent.marks.has_empty_box(agent.screen()), ERASED_WITHIN_S, text, lambda: agent.screen().text
            )


def into_normal_mode(agent: Agent) -> None:
    rest(agent)
    agent.tmux.press(agent.pane, "Escape")
    rest(agent)


def take_out(agent: Agent, text: str) -> None:
    """The ways out in turn, each worked off before the next, until the box is empty; as a delivery does it."""
    for keys in ways_out(erasures(text), load_kinds().get(agent.launch.kind).box):
        for key, presses in groupby(keys):
            agent.tmux.run("send-keys", "-N", str(len(list(presses))), "-t", agent.pane, key)
        if agent.marks.has_empty_box(rest(agent)):
            return
