"""The entry of `hark`. A status line runs `hark status-line` every second, so that command starts without the command line: it imports
nothing but the standard library, and hardly any of that. Every other command, and any option, goes to `hark.cli.main`."""

import sys


def main() -> int:
    if sys.argv[1:] == ["status-line"]:
        from hark.inside.status_line import main as print_segment

        return print_segment()
    from hark.cli.main import main as run_command

    return run_command()


if __name__ == "__main__":
    sys.exit(main())
