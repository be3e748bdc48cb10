"""Real agents that hark has started announce 50 markers each while everything around them changes: each is heard once."""

from __future__ import annotations

import pytest

from tests.agents.signals.campaign import Campaign


@pytest.mark.timeout(600)
@pytest.mark.parametrize("kind", ["claude", "codex", "gemini", "opencode"])
def test_every_announcement_is_heard_once_and_nothing_else(kind: str) -> None:
    outcome = Campaign(kind, "started", seed=1, markers=50, turns=10).run()

    assert outcome.is_clean, outcome
