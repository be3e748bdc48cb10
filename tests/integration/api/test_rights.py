"""Every call has a rule for agents, and the rules say no by default."""

from hark.api.access.rights import RULES
from hark.api.server import CALLS
from hark.daemon.process.tokens import agent_token


def test_every_call_has_one_rule_for_agents() -> None:
    assert {(call.method, call.path) for call in CALLS} == RULES.keys()


def test_a_token_is_of_one_session_and_one_secret() -> None:
    tokens = {agent_token(secret, session) for secret in ("a", "b") for session in ("0123abcd", "0123abce")}

    assert len(tokens) == 4
    assert all(token.startswith("0123abc") for token in tokens)
