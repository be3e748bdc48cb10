"""The call of `hark-editor`: what shall I do with this draft?"""

from typing import Literal

from starlette.requests import Request as HttpRequest

from hark.api.route import Call
from hark.api.shapes import Request, Response
from hark.model.ids import SessionId


class EditorAsks(Request, frozen=True, kw_only=True):
    session_id: str
    text: str
    pid: int


class EditorTold(Response, frozen=True, kw_only=True):
    action: Literal["exec", "human", "replace", "keep"]
    """`exec`: be the human's own editor, unless hark has just pressed the editor's key; `human`: be it in any case; `replace`: write
    `text` and end; `keep`: end."""
    text: str | None


async def ask(request: HttpRequest, body: EditorAsks) -> EditorTold:
    editors = request.app.state.hark.editors
    if not editors.is_agents_own(body.pid):
        return EditorTold(action="human", text=None)
    is_ours, text = await editors.ask(SessionId(body.session_id), body.text, body.pid)
    if not is_ours:
        return EditorTold(action="exec", text=None)
    return EditorTold(action="keep" if text is None else "replace", text=text)


CALLS = (
    Call(
        method="POST",
        path="/editor",
        summary="What an editor that an agent opened shall do.",
        handler=ask,
        body=EditorAsks,
        response=EditorTold,
    ),
)
