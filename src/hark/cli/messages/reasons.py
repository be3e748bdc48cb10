"""Words for people about why a message waits and when it is delivered. The API says both as stable codes (docs/api.md)."""

HELD = {
    "session-gone": "the session is gone",
    "agent-not-running": "no agent runs in the pane",
    "do-not-disturb": "a human does not want to be disturbed; `hark release` ends that",
    "copy-mode": "a human scrolls back in tmux",
    "human-typing": "a human is typing",
    "dialog": "the agent asks its human something",
    "draft": "a human's draft is in the input box",
    "busy": "the agent is busy",
    "unreachable": "the agent's API, its airlock or tmux does not answer",
    "called-off": "the delivery was called off; hark tries again",
    "loop": "it looks like a loop between agents; `hark release` delivers it",
    "internal": "something failed; `hark logs` says what",
}
_WHEN = {
    "now": "now",
    "after_earlier_messages": "after earlier messages",
    "waiting_for_idle": "when the agent is idle",
    "next_turn": "as the agent's next turn",
    "when_the_inbox_is_checked": "when the inbox is checked",
}
_HELD_FOR = "waiting_for_"


def when(estimate: str) -> str:
    """Say in plain words when a message will be delivered, from the API's `estimated_delivery`."""
    if estimate in _WHEN:
        return _WHEN[estimate]
    reason = estimate.removeprefix(_HELD_FOR).replace("_", "-")
    return held(reason) if estimate.startswith(_HELD_FOR) else estimate.replace("_", " ")


def held(reason: str) -> str:
    return f"held: {HELD.get(reason, reason)}"
