"""The ordinary daemon, except that it kills itself with SIGKILL at one point of the start of a session.

    python dying_in_start.py PLAN [ARGUMENT ...]       the arguments are those of `hark serve`

PLAN is a file that may come and go. While it is there it names the point: `recorded`, the session is in the store and there
is no pane; `opened`, tmux has made the pane and nobody has written that down. The file goes then, so it happens once.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hark.cli.main import main
from hark.daemon.registry import starter
from hark.terminal.tmux.new_panes import open_pane
from tests.integration.end_to_end.dying_in_handover import die_at

POINTS = ("recorded", "opened")


def make_deadly(plan: Path) -> None:

    async def open_or_die(*words: Any) -> Any:
        die_at(plan, "recorded")
        pane = await open_pane(*words)
        die_at(plan, "opened")
        return pane

    vars(starter)["open_pane"] = open_or_die


if __name__ == "__main__":
    make_deadly(Path(sys.argv[1]))
    sys.argv = ["hark", "serve", *sys.argv[2:]]
    sys.exit(main())
