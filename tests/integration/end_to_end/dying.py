"""The ordinary daemon, except that it kills itself, or another process, with SIGKILL, at one step of a delivery.

    python dying.py PLAN [ARGUMENT ...]       the arguments are those of `hark serve`

PLAN is a file that may come and go. While it is there it says where: `before 3`, just before the third step that
deliveries ask for from then on; `during 3`, when that step has been begun and not been answered; `after 3`, when it has. `after Stage`
names the kind of step instead of its number.
`after 3 4711` kills that process instead. The file goes then, so it happens once; beside it stays what the step was.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from hark.cli.main import main
from hark.daemon.delivering.driver import Driver

Answering = Callable[[Driver, Any], Awaitable[Any]]


def last_words(plan: Path) -> Path:
    return plan.with_suffix(".last")


class Death:
    def __init__(self, plan: Path) -> None:
        self._plan = plan
        self._planned = ""
        self._steps = 0

    def count(self) -> int:
        planned = self._plan.read_text() if self._plan.exists() else ""
        self._steps = self._steps + 1 if planned == self._planned else 1
        self._planned = planned
        return self._steps

    def meet(self, when: str, number: int, step: object) -> None:
        planned_when, planned_number, *victim = self._planned.split() or ("", "0")
        is_it = planned_number in (str(number), type(step).__name__)
        if planned_when == when and is_it and self._plan.exists():
            last_words(self._plan).write_text(type(step).__name__)
            self._plan.unlink()
            os.kill(int(victim[0]) if victim else os.getpid(), signal.SIGKILL)


def deadly(answer: Answering, death: Death) -> Answering:
    async def answer_or_die(driver: Driver, step: Any) -> Any:
        number = death.count()
        death.meet("before", number, step)
        # What a step has begun in this turn of the loop is out of our hands then: a key is written, a row is on its way.
        asyncio.get_running_loop().call_soon(death.meet, "during", number, step)
        answered = await answer(driver, step)
        death.meet("after", number, step)
        return answered

    return answer_or_die


if __name__ == "__main__":
    Driver._answer = deadly(Driver._answer, Death(Path(sys.argv[1])))  # type: ignore[method-assign,assignment]
    sys.argv = ["hark", "serve", *sys.argv[2:]]
    sys.exit(main())
