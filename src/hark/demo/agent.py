"""`hark-demo-agent` looks and behaves like an AI coding agent in a terminal, and needs no key and no network.

`make demo` and the integration tests drive the demo agent. It records what it received, so that a test can compare that with what
was sent. A prompt can steer its own turn (see `directives.py`).
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from collections.abc import Sequence
from pathlib import Path

DESCRIPTION = "Behave like an AI coding agent: an input box, turns, permission dialogs; no API key, no network."

EPILOGUE = """\
keys:
  Enter              submit; while busy: queue, one turn for each queued prompt, in order
  Ctrl-J, Alt-Enter  new line
  Up, Down, Left, Right, Home, End, Ctrl-A, Ctrl-E, Ctrl-K, Ctrl-U, Ctrl-W
                     move and delete as in emacs (by logical lines)
  Ctrl-S             stash the draft (one place only); it comes back after the next submit,
                     or with Ctrl-S on an empty box
  Ctrl-G             edit the draft in $VISUAL or $EDITOR
  Escape             interrupt the turn; with --gives-back its prompt comes back into the box
  Ctrl-C             clear the draft; on an empty box: quit
  Ctrl-D             on an empty box: quit
  in a dialog        Enter or 1 approves, 2 or Escape denies; all other keys, and pastes, do nothing

directives inside a prompt:
  [[busy=SECONDS]]               this turn lasts this long
  [[begin=SECONDS]]              this turn begins this long after Enter; until then the agent looks idle
  [[ask=COMMAND]]                ask for permission to run COMMAND (nothing is ever run)
  [[ask-after=SECONDS:COMMAND]]  ask for permission to run COMMAND, this long after the turn began
  [[say=TEXT]]                   reply with TEXT on a line of its own

record (--log), one JSON object a line with "at" (UTC) and "event":
  ready, prompt {text}, queued {text}, asked {command}, approved {command}, denied {command},
  interrupted, stopped, editor {before, after}, quit {reason}
  Each event is written before the screen shows it; ready is written when a paste would be accepted.

hooks, if HARK_SESSION is set: `hark-hook demo EVENT` with JSON on standard input
  prompt-submitted {prompt}, stopped {last_assistant_message}, interrupted {},
  permission-asked {command}, permission-answered {approved}

environment:
  HARK_DEMO_LOG      the file of the record, as --log
  HARK_SESSION       the session this agent runs as; hooks are called only if it is set
  HARK_HOOK_COMMAND  the program to call instead of the hark-hook beside this program or on PATH
  VISUAL, EDITOR     the editor of Ctrl-G

exit status: 0 after quitting, 1 if it cannot run here, 2 for a wrong option
"""


def main(arguments: Sequence[str] | None = None) -> int:
    options = build_parser().parse_args(arguments)
    try:
        from hark.demo import program
    except ModuleNotFoundError as missing:
        if not (missing.name or "").startswith("prompt_toolkit"):
            raise
        return refuse("prompt_toolkit is not installed", "pip install 'hark[demo]'")
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return refuse("this is not a terminal", "run it in one, for example: hark run hark-demo-agent")
    settings = program.Settings(
        busy_s=options.busy,
        collapse_over_lines=options.collapse,
        ask_at_start=options.ask_at_start,
        log=options.log,
        has_hooks="HARK_SESSION" in os.environ and not options.no_hooks,
        gives_back=options.gives_back,
        takes_answers=options.take_answers,
        newlines_after_paste=options.newlines_after_paste,
        refusal=options.refuse,
    )
    asyncio.run(program.run(settings))
    return 0


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="hark-demo-agent",
        description=DESCRIPTION,
        epilog=EPILOGUE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    log = os.environ.get("HARK_DEMO_LOG")
    parser.add_argument(
        "--log", type=Path, metavar="FILE", default=Path(log) if log else None, help="write the record to this file"
    )
    parser.add_argument(
        "--busy", type=float, metavar="SECONDS", default=0.2, help="how long a turn lasts (%(default)s)"
    )
    parser.add_argument(
        "--collapse", type=int, metavar="LINES", help="show pastes of more lines than this as [Pasted text #N +K lines]"
    )
    parser.add_argument(
        "--newlines-after-paste",
        type=int,
        metavar="COUNT",
        default=0,
        help="let this many Enters after a paste start a new line, as an Enter that comes too soon does in Gemini CLI",
    )
    parser.add_argument(
        "--refuse",
        nargs=2,
        metavar=("HOW", "WORD"),
        help="do not take a text with WORD in it; HOW is drop, say, garble, keep (garble, and let nobody erase it) or ignore-enter",
    )
    parser.add_argument("--ask-at-start", metavar="COMMAND", help="open with a dialog that asks to run COMMAND")
    parser.add_argument(
        "--gives-back",
        action="store_true",
        help="put an interrupted prompt, and the prompts queued behind it, back into the box",
    )
    parser.add_argument("--no-hooks", action="store_true", help="call no hooks, even if HARK_SESSION is set")
    parser.add_argument("--take-answers", action="store_true", help="heed what hooks print, as Claude Code does")
    return parser


def refuse(problem: str, hint: str) -> int:
    print(f"hark-demo-agent: {problem}\nhint: {hint}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
