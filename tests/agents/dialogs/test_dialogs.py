"""The campaign of dialogs on the demo agent: a few tries, and that it would see what it looks for."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from tests.agents.dialogs.campaign import Campaign
from tests.agents.dialogs.subject import Subject, demo_subject
from tests.agents.dialogs.trial import Sender


class Careless(Sender):
    """What others do: a paste, a moment, Enter."""

    patience_s = 5.0

    def send(self, subject: Subject, text: str) -> str:
        message_id = uuid4().hex[:12]
        subject.tmux.paste(subject.pane, f"[Input from: ci via tmux · {message_id}]\n{text}")
        subject.tmux.run("run-shell", "-d", "0.1", "true")
        subject.tmux.press(subject.pane, "Enter")
        return message_id

    def message(self, subject: Subject, message_id: str) -> dict[str, Any]:
        return {"id": message_id, "status": "submitted", "reason": None, "receipts": []}

    def is_over(self, subject: Subject, message_id: str) -> bool:
        return True


def test_no_delivery_answers_a_dialog() -> None:
    campaign = Campaign("demo", 4, 1, demo_subject)

    outcomes = list(campaign.run())

    assert [outcome.story for outcome in outcomes if outcome.is_fault] == []
    assert campaign.tally.answers == {"untouched": 4}
    assert campaign.tally.messages == {"exact": 4}
    assert campaign.tally.drafts["exact"] > 0


@pytest.mark.timeout(600)
def test_a_careless_sender_is_found_out() -> None:
    campaign = Campaign("demo", 12, 5, demo_subject, Careless())
    tally = campaign.tally

    for _ in campaign.run():
        if tally.answers["approved"] and tally.drafts["harmed"]:
            break

    assert tally.answers["approved"] > 0
    assert tally.drafts["harmed"] > 0
    assert tally.faults > 1
