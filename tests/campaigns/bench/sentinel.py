"""The carrier `sentinel` by the lines of the draft: from the message on record to its Enter. Beside it stands the table of the
protocol that it comes from."""

import statistics
from datetime import datetime

from tests.campaigns.bench.stage import tell
from tests.integration.end_to_end.agents import Agent
from tests.integration.end_to_end.running import RunningHark

ROUNDS = 10
GIVEN_MS = {0: "100 ms", 1: "300 ms", 3: "500 ms", 5: "700 ms", 10: "nothing"}


def run() -> None:
    print("sentinel: queued -> Enter on the demo agent, by the draft's lines (in brackets: what the seed gives)")
    with RunningHark(human_pause="0", input_stale_timeout="0") as hark:
        hark.describe_demo("[sentinel]\n")
        agent = Agent(hark, "a")
        medians: dict[int, float] = {}
        for lines, given in GIVEN_MS.items():
            draft = [f"line {number} of a draft" for number in range(lines)]
            measured = [_deliver(agent, draft, number) for number in range(ROUNDS)]
            medians[lines] = statistics.median(measured)
            tell(f"{lines} lines ({given})", measured)
        per_line_ms = (medians[10] - medians[1]) / 9 * 1000
        print(f"  every further line: {per_line_ms:.0f} ms (the seed: 60 ms)\n", flush=True)


def _deliver(agent: Agent, draft: list[str], number: int) -> float:
    """In seconds. The draft must have been carried by this carrier, and be back afterwards."""
    if draft:
        agent.hark.tmux("set-buffer", "-b", "bench", "\n".join(draft))
        agent.hark.tmux("paste-buffer", "-p", "-r", "-d", "-b", "bench", "-t", agent.pane)
        agent.wait_box(*draft)
    message = agent.hark.wait_status(agent.send(f"message {number}"), "completed")
    agent.wait_box(*(draft or [""]))
    staged = next(receipt for receipt in message["receipts"] if receipt["status"] == "staged")
    submitted = next(receipt for receipt in message["receipts"] if receipt["status"] == "submitted")
    if staged["carrier"] != ("sentinel" if draft else "none"):
        raise RuntimeError(message["receipts"])
    if draft:
        agent.hark.tmux("send-keys", "-t", agent.pane, "C-c")
        agent.wait_box("")
    return (datetime.fromisoformat(submitted["at"]) - datetime.fromisoformat(message["queued_at"])).total_seconds()
