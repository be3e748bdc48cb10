"""An editor whose daemon dies over the question ends as one that failed: the agent then keeps its draft as it is."""

import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

EDITOR = str(Path(sys.executable).with_name("hark-editor"))


def test_it_fails_and_changes_nothing(tmp_path: Path) -> None:
    home, draft = tmp_path / "h", tmp_path / "draft.md"
    (home / "run").mkdir(parents=True, mode=0o700)
    draft.write_text("half a thought  ")
    with socket.socket(socket.AF_UNIX) as daemon:
        daemon.bind(str(home / "run/hark.sock"))
        (home / "run/hark.sock").chmod(0o600)
        daemon.listen()

        def die() -> None:
            with daemon.accept()[0] as asked:
                asked.recv(65536)

        dying = threading.Thread(target=die)
        dying.start()
        environment = {**os.environ, "HARK_HOME": str(home), "HARK_SESSION": "s1", "HARK_EDITOR": "true"}
        ended = subprocess.run([EDITOR, str(draft)], env=environment, check=False, timeout=60)
        dying.join()

    assert ended.returncode == 1
    assert draft.read_text() == "half a thought  "
