"""hark dashboard: open the dashboard in a browser, and see or revoke the browsers that were let in."""

import os
import sys
from pathlib import Path
from typing import Any

import click

from hark import paths
from hark.cli.client import Client, segment
from hark.cli.parameters import json_option
from hark.cli.text import clock, one_line, print_json, say, show, table, terminal_columns

HEADINGS = ("ID", "USER", "RIGHTS", "SINCE", "LAST SEEN", "OPEN", "BROWSER")
PRINTED_S = 600.0
OPENED_S = 120.0


@click.group(invoke_without_command=True, no_args_is_help=False)
@click.option("--print", "is_printed", is_flag=True, help="Print a one-time address instead of opening a browser.")
@click.option("--read-only", "is_read_only", is_flag=True, help="The browser may look, and change nothing.")
@click.option("--user", metavar="NAME", help="Who will look. What a person has seen is remembered for each person.")
@json_option
@click.pass_context
def command(ctx: click.Context, is_printed: bool, is_read_only: bool, user: str | None, is_json: bool) -> None:
    """Open the dashboard in a browser. It listens on 127.0.0.1 only, and the address works once.

    On another machine use --print, and `ssh -L 4275:127.0.0.1:4275 HOST` to reach it.

    \b
    Example:
      hark dashboard
      hark dashboard --print --read-only
      hark dashboard sessions
      hark dashboard revoke 5f0c12
    """
    if ctx.invoked_subcommand is not None:
        return
    has_browser = not is_printed and not is_json and _has_browser()
    body: dict[str, Any] = {"is_read_only": is_read_only, "seconds": OPENED_S if has_browser else PRINTED_S}
    link = Client().post("/dashboard/links", body | ({"user": user} if user else {}))
    if is_json:
        print_json(link)
    elif has_browser and _open(link["url"]):
        say(f"the dashboard is at {link['address']}; if no page has opened: hark dashboard --print")
    else:
        show(link["url"])
        say(f"this address works once, for {round(link['seconds'] / 60)} minutes")
        if not is_printed:
            port = link["address"].rstrip("/").rpartition(":")[2]
            say(f"no browser here; from another machine: ssh -L {port}:127.0.0.1:{port} HOST")
    if not link["is_built"]:
        say("this installation of hark lacks the built dashboard: scripts/web-build builds it")


@command.command()
@json_option
def sessions(is_json: bool) -> None:
    """List the browsers that may look at the dashboard.

    \b
    Example:
      hark dashboard sessions
    """
    found = Client().get("/dashboard/browsers")
    if is_json:
        print_json(found)
    elif found["browsers"]:
        show(table(HEADINGS, [row(one) for one in found["browsers"]], columns=terminal_columns()))
    else:
        say("no browser may look at the dashboard")


@command.command()
@click.argument("browser", metavar="ID|all")
@json_option
def revoke(browser: str, is_json: bool) -> None:
    """Let a browser in no more: its pages are cut off at once.

    \b
    Example:
      hark dashboard revoke 5f0c12
      hark dashboard revoke all
    """
    done = Client().delete(f"/dashboard/browsers/{segment(browser)}")
    print_json(done) if is_json else say(f"revoked {browser}")


@command.command()
@json_option
def close(is_json: bool) -> None:
    """Revoke all browsers, and close the port.

    \b
    Example:
      hark dashboard close
    """
    done = Client().post("/dashboard/close")
    print_json(done) if is_json else say("the dashboard is closed")


def row(browser: dict[str, Any]) -> tuple[str, ...]:
    return (
        browser["id"],
        browser["user"],
        "read-only" if browser["is_read_only"] else "full",
        clock(browser["created_at"]),
        clock(browser["last_seen_at"]),
        "yes" if browser["is_connected"] else "no",
        one_line(browser["user_agent"])[:60],
    )


def _has_browser() -> bool:
    """Return True if a browser can be opened for whoever runs this command."""
    if os.environ.get("BROWSER"):
        return True
    is_remote = bool(os.environ.get("SSH_CONNECTION"))
    has_screen = sys.platform == "darwin" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    return has_screen and not is_remote


def _open(url: str) -> bool:
    """Open the address by way of a file that only this user can read: the words of a command are there for every user to see."""
    import webbrowser

    path = _redirecting_file(url)
    try:
        return webbrowser.open(path.as_uri())
    except (webbrowser.Error, OSError):
        return False


def _redirecting_file(url: str) -> Path:
    path = paths.runtime_dir() / "dashboard.html"
    path.unlink(missing_ok=True)
    with open(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
        file.write(f'<!doctype html><meta http-equiv="refresh" content="0; url={url}"><title>hark</title>\n')
    return path
