"""What Codex asks its clients, and how a client answers. Pure.

Codex shows a part of a command in its dialog (`commandActions`) and says what it runs in `command`, wrapped into a shell. hark takes the
line that the shell is given, to the letter. A reply that Codex does not understand denies, so hark answers only what it knows.
"""

import json
import shlex
from typing import Any

from hark.agents.codex.protocol import Json, Request
from hark.agents.questions import as_choice, text_of
from hark.model.question import ALLOW, Asked, QuestionKind, QuestionPart, Reply

COMMAND = "item/commandExecution/requestApproval"
CHANGE = "item/fileChange/requestApproval"
CHOICE = "item/tool/requestUserInput"
RESOLVED = "serverRequest/resolved"
SHELL_OPTIONS = ("-lc", "-c")
MORE = ("networkApprovalContext", "additionalPermissions", "grantRoot")
"""The fields by which Codex asks for more than to run a command or to change files."""


def read_question(request: Request, items: list[Json]) -> Asked | None:
    """Return the question in a request of the app-server's; None if it asks something that hark does not know. `items` are what the turn
    has on record: an approval of a change names only the item with the change."""
    params = request.params
    match request.method:
        case "item/commandExecution/requestApproval":
            return _command(request, params)
        case "item/fileChange/requestApproval":
            return _change(request, params, items)
        case "item/tool/requestUserInput":
            return as_choice(_parts(params["questions"]), name_of(request), "request_user_input")
        case _:
            return None


def name_of(request: Request) -> str:
    """Return the name of a question: the number of the request, which a server gives only once, and its item."""
    return f"{request.request_id}:{request.params.get('itemId')}"


def answer_to(method: str, parts: list[Json], reply: Reply) -> Json:
    """Return the result that answers a request. `parts` are the questions of a choice."""
    if method == CHOICE:
        chosen = reply.chosen if reply.answer == ALLOW else ()
        named = zip((part["id"] for part in parts), chosen, strict=False)
        return {"answers": {name: {"answers": list(answers)} for name, answers in named}}
    return {"decision": "accept" if reply.answer == ALLOW else "decline"}


def unwrapped(command: str) -> str:
    """Return the line that a shell is given, if the command is nothing but that shell with one line; else the command."""
    try:
        words = shlex.split(command)
    except ValueError:
        return command
    is_shell = len(words) == 3 and words[1] in SHELL_OPTIONS and words[0].rpartition("/")[2] in ("bash", "sh", "zsh")
    return words[2] if is_shell else command


def _command(request: Request, params: Json) -> Asked:
    line, more = unwrapped(text_of(params, "command")), _more(params)
    return Asked(
        kind=QuestionKind.PERMISSION,
        text=line + more,
        agents_id=name_of(request),
        tool="shell",
        is_command=bool(line) and not more,
        is_whole=bool(line or more),
        detail=text_of(params, "reason"),
        directory=text_of(params, "cwd"),
    )


def _change(request: Request, params: Json, items: list[Json]) -> Asked:
    item = next((one for one in items if one.get("id") == params.get("itemId")), {})
    changes = [f"{one['kind']['type']} {one['path']}\n{one['diff']}" for one in item.get("changes") or []]
    return Asked(
        kind=QuestionKind.PERMISSION,
        text="\n".join(changes) + _more(params) or "a change of files that Codex does not describe",
        agents_id=name_of(request),
        tool="apply_patch",
        is_whole=bool(changes),
        detail=text_of(params, "reason"),
    )


def _more(params: Json) -> str:
    found = {name: params[name] for name in MORE if params.get(name) is not None}
    return "".join(f"\n{name}: {json.dumps(value)}" for name, value in found.items())


def _parts(questions: Any) -> tuple[QuestionPart, ...]:
    return tuple(
        QuestionPart(
            text=one["question"],
            name=one["id"],
            options=tuple(option["label"] for option in one.get("options") or []),
        )
        for one in questions
    )
