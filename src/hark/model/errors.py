"""The errors that a user may see. Each has a stable kebab-case `code`, a sentence, and a `hint` that says what to do next.

The code decides both the HTTP status and the exit code of the CLI, in one table, so the two can never disagree.
I/O layers translate foreign exceptions into these errors at the border.
"""

from enum import IntEnum


class Exit(IntEnum):
    """The exit codes of the CLI, which docs/cli-json.md documents."""

    OK = 0
    FAILURE = 1
    USAGE = 2
    NOT_FOUND = 3
    NOT_ALLOWED = 4
    TIMED_OUT = 5
    UNREACHABLE = 6
    INTERRUPTED = 130


# The HTTP status and the CLI's exit code for each error code.
CODES: dict[str, tuple[int, Exit]] = {
    "session-not-found": (404, Exit.NOT_FOUND),
    "session-gone": (410, Exit.NOT_FOUND),
    "session-ambiguous": (409, Exit.NOT_FOUND),
    "message-not-found": (404, Exit.NOT_FOUND),
    "message-ambiguous": (409, Exit.NOT_FOUND),
    "answer-not-found": (404, Exit.NOT_FOUND),
    "draft-not-found": (404, Exit.NOT_FOUND),
    "reminder-not-found": (404, Exit.NOT_FOUND),
    "question-not-found": (404, Exit.NOT_FOUND),
    "question-ambiguous": (409, Exit.NOT_FOUND),
    "question-ended": (409, Exit.FAILURE),
    "answer-invalid": (422, Exit.USAGE),
    "answers-off": (403, Exit.NOT_ALLOWED),
    "not-answerable": (409, Exit.FAILURE),
    "answer-unclear": (502, Exit.FAILURE),
    "pane-not-found": (404, Exit.NOT_FOUND),
    "pane-adopted": (409, Exit.FAILURE),
    "session-running": (409, Exit.FAILURE),
    "session-adopted": (409, Exit.FAILURE),
    "resume-unclear": (409, Exit.FAILURE),
    "name-taken": (409, Exit.FAILURE),
    "name-invalid": (422, Exit.USAGE),
    "name-reserved": (422, Exit.USAGE),
    "text-empty": (422, Exit.USAGE),
    "text-too-long": (413, Exit.USAGE),
    "text-control-bytes": (422, Exit.USAGE),
    "duration-invalid": (422, Exit.USAGE),
    "request-invalid": (422, Exit.USAGE),
    "agent-unknown": (422, Exit.USAGE),
    "config-invalid": (422, Exit.USAGE),
    "crew-invalid": (422, Exit.USAGE),
    "agent-config-invalid": (422, Exit.FAILURE),
    "not-available": (501, Exit.FAILURE),
    "transition-illegal": (409, Exit.FAILURE),
    "lease-lost": (409, Exit.FAILURE),
    "ask-loop": (409, Exit.FAILURE),
    "loop-limit": (429, Exit.FAILURE),
    "idempotency-conflict": (409, Exit.FAILURE),
    "route-not-found": (404, Exit.FAILURE),
    "method-not-allowed": (405, Exit.FAILURE),
    "token-wrong": (401, Exit.NOT_ALLOWED),
    "not-signed-in": (401, Exit.NOT_ALLOWED),
    "code-used": (403, Exit.NOT_ALLOWED),
    "code-unknown": (403, Exit.NOT_ALLOWED),
    "read-only": (403, Exit.NOT_ALLOWED),
    "not-for-browsers": (403, Exit.NOT_ALLOWED),
    "browser-not-found": (404, Exit.NOT_FOUND),
    "terminal-not-attached": (409, Exit.FAILURE),
    "keyboard-not-taken": (409, Exit.FAILURE),
    "keys-held": (409, Exit.FAILURE),
    "size-in-use": (409, Exit.FAILURE),
    "not-permitted": (403, Exit.NOT_ALLOWED),
    "host-refused": (403, Exit.NOT_ALLOWED),
    "origin-refused": (403, Exit.NOT_ALLOWED),
    "directory-unsafe": (403, Exit.NOT_ALLOWED),
    "state-not-writable": (500, Exit.NOT_ALLOWED),
    "wait-timeout": (504, Exit.TIMED_OUT),
    "airlock-gone": (503, Exit.FAILURE),
    "tmux-missing": (500, Exit.FAILURE),
    "tmux-too-old": (500, Exit.FAILURE),
    "tmux-failed": (502, Exit.FAILURE),
    "tmux-gone": (503, Exit.FAILURE),
    "tmux-unsafe": (403, Exit.NOT_ALLOWED),
    "tmux-timeout": (504, Exit.FAILURE),
    "store-corrupt": (500, Exit.FAILURE),
    "store-locked": (503, Exit.FAILURE),
    "store-newer": (500, Exit.FAILURE),
    "store-closed": (503, Exit.FAILURE),
    "sqlite-unsafe": (500, Exit.FAILURE),
    "disk-full": (507, Exit.FAILURE),
    "already-running": (409, Exit.FAILURE),
    "runtime-in-use": (409, Exit.FAILURE),
    "restart-refused": (409, Exit.FAILURE),
    "daemon-unreachable": (503, Exit.UNREACHABLE),
    "daemon-not-started": (503, Exit.UNREACHABLE),
    "internal": (500, Exit.FAILURE),
}


class HarkError(Exception):
    def __init__(self, code: str, detail: str, hint: str = "") -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.hint = hint
        self.http_status, self.exit_code = CODES[code]

    def __str__(self) -> str:
        return f"{self.detail} ({self.code})"
