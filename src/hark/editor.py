"""What agents call as $EDITOR. Stdlib only. In this version it always is the human's own editor, arguments intact.

HARK_VISUAL and HARK_EDITOR hold what VISUAL and EDITOR were before hark took their place.
"""

import os
import shlex
import sys


def choose_editor(environment: dict[str, str]) -> list[str]:
    for name in ("HARK_VISUAL", "HARK_EDITOR", "VISUAL", "EDITOR"):
        words = shlex.split(environment.get(name, ""))
        if words and os.path.basename(words[0]) != "hark-editor":
            return words
    return ["vi"]


def main() -> None:
    words = [*choose_editor(dict(os.environ)), *sys.argv[1:]]
    try:
        os.execvp(words[0], words)
    except OSError as failure:
        print(f"hark-editor: {words[0]}: {failure.strerror}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
