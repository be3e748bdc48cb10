"""The ordinary daemon, except that it kills itself with SIGKILL at one point of a hand-over through a hook.

    python dying_in_handover.py PLAN [ARGUMENT ...]       the arguments are those of `hark serve`

PLAN is a file that may come and go. While it is there it names the point: `claimed`, the message is staged and the hook knows
nothing; `printing`, the hook has said that it will print; `settled`, that is written down; `proving`, the agent's next event has
come and is not. The file goes then, so it happens once.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

from hark.cli.main import main
from hark.daemon.delivering.handover import Handovers
from hark.daemon.doors.hook_socket import Handing

POINTS = ("claimed", "printing", "settled", "proving")


def die_at(plan: Path, point: str) -> None:
    if plan.exists() and plan.read_text() == point:
        plan.unlink()
        os.kill(os.getpid(), signal.SIGKILL)


def make_deadly(plan: Path) -> None:
    hand, settle, take = Handing.__call__, Handovers.settle, Handovers._taken

    async def hand_or_die(self: Handing, answer: bytes) -> bool:
        die_at(plan, "claimed")
        is_printed = await hand(self, answer)
        die_at(plan, "printing")
        return is_printed

    async def settle_or_die(self: Handovers, *words: Any, **named: Any) -> None:
        await settle(self, *words, **named)
        die_at(plan, "settled")

    async def take_or_die(self: Handovers, *words: Any) -> None:
        die_at(plan, "proving")
        await take(self, *words)

    Handing.__call__ = hand_or_die  # type: ignore[method-assign]
    Handovers.settle = settle_or_die  # type: ignore[method-assign]
    Handovers._taken = take_or_die  # type: ignore[method-assign,assignment]


if __name__ == "__main__":
    make_deadly(Path(sys.argv[1]))
    sys.argv = ["hark", "serve", *sys.argv[2:]]
    sys.exit(main())
