"""The API, fuzzed from its own description: whatever comes, it is answered, and never with a failure of the daemon's own.

A 5xx is allowed only where the description of that call has it (a wait that timed out, a tmux that is not there); 500 never is.
`make fuzz` does the same with many more requests.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings

from tests.integration.api.test_tcp import TcpHark
from tests.integration.end_to_end.agents import Agent
from tests.integration.end_to_end.running import RunningHark

EXAMPLES = int(os.environ.get("HARK_FUZZ_EXAMPLES", "8"))
LEFT_OUT = {("POST", "/shutdown"), ("POST", "/restart"), ("GET", "/sessions/{session}/output/stream")}
"""The one ends the daemon, the other has no end itself."""
OURS = {"session": "fuzzed"}
"""Every second request goes to something that is there."""


@pytest.fixture(scope="module")
def fuzzed() -> Iterator[RunningHark]:
    with RunningHark(native="false") as hark:
        yield hark


def test_no_request_makes_the_daemon_fail(fuzzed: RunningHark) -> None:
    tcp = TcpHark(fuzzed)
    Agent(fuzzed, "fuzzed")
    base = (f"http://127.0.0.1:{tcp.port}", {"Authorization": f"Bearer {tcp.token}"})
    document = fuzzed.api("GET", "/openapi.json").json
    schema = schemathesis.openapi.from_dict(document)
    sent: dict[int, int] = {}

    for path, methods in document["paths"].items():
        for method, described in methods.items():
            if (method.upper(), path) not in LEFT_OUT:
                fuzz(schema[path][method.upper()], base, set(described["responses"]), sent)

    print(f"{sum(sent.values())} requests: {dict(sorted(sent.items()))}")
    assert sent.get(200, 0) + sent.get(202, 0) > 10, sent
    assert sent.get(422, 0) > 10, sent
    assert fuzzed.api("GET", "/healthz").status == 200
    assert not [line for line in fuzzed.log() if line["level"] == "error"]


def fuzz(operation: Any, base: tuple[str, dict[str, str]], documented: set[str], sent: dict[int, int]) -> None:
    url, headers = base
    number = 0

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        derandomize=True,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy())
    def ask(case: Any) -> None:
        nonlocal number
        number += 1
        if number % 2 and "session" in (case.path_parameters or {}):
            case.path_parameters["session"] = OURS["session"]
        for wishes in (case.query, case.body):
            if isinstance(wishes, dict) and "wait_seconds" in wishes:
                wishes["wait_seconds"] = 0
        answer = case.call(base_url=url, headers=headers, timeout=30)
        sent[answer.status_code] = sent.get(answer.status_code, 0) + 1
        is_allowed = answer.status_code < 500 or (answer.status_code != 500 and str(answer.status_code) in documented)
        assert is_allowed, (
            f"{case.method} {case.path}: {answer.status_code} {answer.text[:300]}\n{case.as_curl_command()}"
        )

    ask()
