"""The `hark` command. Its table of commands holds the short help, so that `hark --help` imports none of the commands."""

import json
import os
import sys
from importlib import import_module

import click

from hark import __version__
from hark.model.errors import Exit, HarkError

# section -> command -> short help. The folder of a command has the name of its section.
COMMANDS: dict[str, dict[str, str]] = {
    "Starting agents": {
        "new": "Start an agent in a session.",
        "spawn": "Start an agent and give it its first task.",
        "run": "Start an agent in this terminal.",
        "adopt": "Turn an existing tmux pane into a session.",
        "restart": "Start the agent of a session again.",
        "up": "Start a team of agents, or what a reboot has ended.",
        "down": "End a team of agents.",
    },
    "Sessions": {
        "ls": "List the sessions.",
        "attach": "Show a session in this terminal.",
        "dashboard": "Open the dashboard in a browser.",
        "next": "Go to the session that has waited longest for you.",
        "status-line": "Print how many sessions need you, for a status line.",
        "output": "Print the screen of a session.",
        "draft": "Print the draft that hark keeps of a session.",
        "rename": "Give a session another name.",
        "hold": "Keep messages away from a session.",
        "release": "Deliver messages to a session again.",
        "kill": "End sessions.",
    },
    "Messages": {
        "send": "Send a message to a session.",
        "ask": "Send a message, and print the agent's answer.",
        "last": "Print the last answer of a session's agent.",
        "show": "Show a message and every receipt of it, or a session.",
        "thread": "Show a message with all replies to it.",
        "history": "List the messages sent to a session, and what became of them.",
        "retry": "Try a dead or uncertain message again.",
        "questions": "List what agents ask their humans.",
        "answer": "Answer what an agent asks.",
        "wait": "Wait until agents are idle, busy or done, or signal.",
        "queue": "List the messages that wait for a session, and why.",
        "cancel": "Take a message back before it is typed.",
        "events": "Print everything that happens.",
    },
    "Signals": {
        "signals": "Print what agents have announced.",
        "watch": "Run a command, and hear signals in its output.",
    },
    "For agents": {
        "inbox": "Print the messages in this session's inbox.",
        "reply": "Reply to the session that sent a message.",
        "ack": "Say that a message was understood, or is done.",
        "signal": "Announce the status of this session's agent.",
        "remind": "Send a message to this session, later.",
        "wake": "Do the same as remind.",
        "reminders": "List the reminders that have not fired, or cancel one.",
        "mcp": "Connect an agent to hark by MCP.",
    },
    "Agents": {
        "install": "Put hark's hooks into the settings of an agent.",
        "uninstall": "Take hark's hooks out of an agent's settings.",
        "doctor": "Find what is wrong, and say how to fix it.",
    },
    "Daemon": {
        "serve": "Run the daemon in the foreground.",
        "daemon": "Start, stop, restart, check or install the daemon.",
        "stats": "Print the daemon's numbers.",
        "logs": "Print the daemon's log.",
        "shell-init": "Print shell functions that start agents through hark.",
        "completion": "Print the completion script for your shell.",
        "version": "Print the version.",
    },
}
NAMES = [name for section in COMMANDS.values() for name in section]


class LazyGroup(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return NAMES

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in NAMES:
            return None
        section = next(section for section, commands in COMMANDS.items() if cmd_name in commands)
        module = ".".join(name.lower().replace(" ", "_").replace("-", "_") for name in (section, cmd_name))
        command: click.Command = import_module(f"hark.cli.{module}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in NAMES and not args[0].startswith("-") and not ctx.resilient_parsing:
            raise click.UsageError(_no_command(args[0]), ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for section, commands in COMMANDS.items():
            with formatter.section(section):
                formatter.write_dl(list(commands.items()), col_max=12)


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, message="hark %(version)s")
@click.pass_context
def cli(ctx: click.Context) -> int:
    """Deliver messages to AI coding agents in terminals without ever touching what a human is typing.

    \b
    Example:
      hark new -n backend -- claude
      hark send backend "run the tests"
      hark ls
    """
    if ctx.invoked_subcommand is not None:
        return Exit.OK
    click.echo(ctx.get_help(), err=True)
    return Exit.USAGE


def main() -> int:
    return run(sys.argv[1:])


def run(arguments: list[str]) -> int:
    is_json = "--json" in arguments[: arguments.index("--")] if "--" in arguments else "--json" in arguments
    try:
        result = cli.main(arguments, prog_name=_program_name(), standalone_mode=False)
        return result if isinstance(result, int) else Exit.OK
    except HarkError as error:
        report(error, is_json=is_json)
        return error.exit_code
    except click.Abort:
        return Exit.INTERRUPTED
    except click.ClickException as error:
        report(_usage_error(error), is_json=is_json)
        return error.exit_code
    except PermissionError as error:
        report(not_permitted(error), is_json=is_json)
        return not_permitted(error).exit_code
    except Exception as error:  # The outermost border: a user sees a sentence, a developer sees the traceback.
        if os.environ.get("HARK_DEBUG") == "1":
            raise
        detail = f"unexpected {type(error).__name__}: {error}"
        report(HarkError("internal", detail, "HARK_DEBUG=1 shows where it happened"), is_json=is_json)
        return Exit.FAILURE


def not_permitted(error: PermissionError) -> HarkError:
    """Return the error for a file or directory of hark that this user may not use, as under `sudo` or `su` with another user's HOME."""
    detail = f"{error.filename or 'hark'}: {error.strerror or error}"
    return HarkError("state-not-writable", detail, "see who owns it, or set HOME or HARK_HOME to a directory of yours")


def report(error: HarkError, *, is_json: bool) -> None:
    """Print an error on stderr: as two lines for people, or with --json as the problem object that the API answers with."""
    from hark.cli.text import say

    if is_json:
        fields = {"type": "about:blank", "title": error.code.replace("-", " "), "status": int(error.http_status)}
        say(json.dumps(fields | {"detail": error.detail, "code": error.code, "hint": error.hint}))
        return
    say(f"hark: {error.detail}")
    if error.hint:
        say(f"  hint: {error.hint}")


def _usage_error(error: click.ClickException) -> HarkError:
    context = getattr(error, "ctx", None)
    asked = context.command_path if context else "hark"
    return HarkError("request-invalid", error.format_message(), f"`{asked} --help` shows how")


def _no_command(name: str) -> str:
    import difflib

    near = difflib.get_close_matches(name, NAMES, n=2)
    return f"there is no command {name!r}" + (f"; did you mean {' or '.join(near)}?" if near else "")


def _program_name() -> str:
    name = os.path.basename(sys.argv[0])
    return name if name in ("hark", "sm") else "hark"


if __name__ == "__main__":
    sys.exit(main())
