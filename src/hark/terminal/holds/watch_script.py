"""The shell script by which the tmux server sees that our process has ended."""

import os

WATCH_POLL_S = 0.1
PID_NAMESPACE = "/proc/self/ns/pid"


def watch_script(script: str, seconds: float, is_over: str = "false", process: int | None = None) -> str:
    """Return shell commands that run the script when our process ends, if that happens within `seconds`. Only tests watch another
    `process`.

    A process that has ended stays visible until its parent asks for it, which takes some parents seconds; but Linux shows that it runs no
    program any more. Our process may also have ended before the shell looks for the first time. But a shell of another user or in another
    container does not see our process even while it lives: such a shell never runs the script, and the timer alone ends the hold."""
    watched, looks = os.getpid() if process is None else process, round(seconds / WATCH_POLL_S)
    lives = (
        f"if [ -e /proc/self/exe ]; then lives() {{ [ -e /proc/{watched}/exe ]; }}; "
        f"else lives() {{ kill -0 {watched}; }}; fi"
    )
    sees_us = f'[ "$(id -u) $(readlink {PID_NAMESPACE})" = "{os.getuid()} {_namespace()}" ]'
    looked = f"sleep {WATCH_POLL_S}; lives || {{ {script}; break; }}; [ $((n%5)) -ne 0 ] || ! {is_over} || break"
    loop = f"n={looks}; while [ $n -gt 0 ]; do {looked}; n=$((n-1)); done"
    return f"{{ {lives}; if lives; then {loop}; elif {sees_us}; then {script}; fi; }} >/dev/null 2>&1; :"


def _namespace() -> str:
    """Return the name of the namespace of our process number; "" on a system without such namespaces, where the shell reads "" too."""
    try:
        return os.readlink(PID_NAMESPACE)
    except OSError:
        return ""
