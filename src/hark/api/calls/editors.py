"""The call with which `hark-editor` asks what to do with a draft."""

from typing import Literal

from starlette.requests import Request as HttpRequest

from hark.api.route import Call
from hark.api.service import service_of
from hark.api.shapes.foundation import Request, Response
from hark.model.ids import SessionId


class EditorAsks(Request, frozen=True, kw_only=True):
    session_id: str
    text: str
    pid: int


class EditorTold(Response, frozen=True, kw_only=True):
    action: Literal["exec", "human", "replace", "keep", "fail"]
    """What `hark-editor` does. `exec`: become the human's own editor, unless hark has just pressed the editor's key; `human`: become
    the human's own editor in any case; `replace`: write `text` and end; `keep`: end; `fail`: end with an error, which tells the agent
    to load nothing."""
    text: str | None


async def ask(request: HttpRequest, body: EditorAsks) -> EditorTold:
    hark = service_of(request)
    editors, session_id = hark.editors, SessionId(body.session_id)
    if not editors.is_agents_own(body.pid):
        return EditorTold(action="human", text=None)
    is_ours, text = await editors.ask(session_id, body.text, body.pid)
    if not is_ours:
        return EditorTold(action="exec", text=None)
    if text is not None:
        return EditorTold(action="replace", text=text)
    editor = hark.kinds.get(hark.sessions.get(session_id).agent).editor
    return EditorTold(action="fail" if editor and editor.fails_to_keep else "keep", text=None)


CALLS = (
    Call(
        method="POST",
        path="/editor",
        summary="Tell an editor that an agent opened what to do.",
        handler=ask,
        body=EditorAsks,
        response=EditorTold,
    ),
)
