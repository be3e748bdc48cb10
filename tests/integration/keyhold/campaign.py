"""Many holds beside a human who types, some of their daemons killed: `python -m tests.integration.keyhold.campaign HOLDS KILLS`."""

import random
import subprocess
import sys
import time

from hark.demo.human import Human
from hark.terminal.tmux.server import TmuxServer
from tests.integration.keyhold.settings import configure, described
from tests.integration.keyhold.stage import AT_ONCE, DEADLINE_S, Recorder, begin, differences
from tests.integration.terminal.connected import connected
from tests.support.terminals import PrivateTmux, clean_environment, wait_until

GAPS_S = (0.0, 0.01)
HOLD_S = 0.4
BATCH = 50


class Campaign:
    def __init__(self, tmux: PrivateTmux, seed: int = 1) -> None:
        configure(tmux)
        self._tmux = tmux
        self._recorder = Recorder(tmux)
        self._dice = random.Random(seed)
        self._typed = b""

    def run(self, holds: int, kills: int) -> dict[str, tuple[str | None, str | None]]:
        """What is different in the human's tmux after so many holds and so many killed daemons. Raises if a key is lost."""
        with Human(self._recorder.pane.socket, self._recorder.pane.pane_id) as human:
            human.wait_attached(DEADLINE_S)
            before = described(self._tmux)
            for start in range(0, holds, BATCH):
                some = range(start, min(start + BATCH, holds))
                connected(self._tmux, lambda server: self._hold(server, human, some))  # noqa: B023
            for _ in range(kills):
                self._kill(human)
                wait_until(
                    lambda: not self._left(before), DEADLINE_S, "tmux to be as before", lambda: self._left(before)
                )
            return self._left(before)

    def _left(self, before: dict[str, str]) -> dict[str, tuple[str | None, str | None]]:
        return differences(before, described(self._tmux))

    async def _hold(self, server: TmuxServer, human: Human, numbers: range) -> None:
        """By a daemon of their own."""
        for number in numbers:
            hold = await begin(server, self._recorder.pane, DEADLINE_S, GAPS_S[number % 2])
            self._type(human, f"{number},")
            await hold.release()
        await self._recorder.wait_for(self._typed)

    def _kill(self, human: Human) -> None:
        """In a hold, or between two of them."""
        pane = self._recorder.pane
        words = [pane.socket, pane.pane_id, str(pane.pid), str(HOLD_S), str(self._dice.choice(GAPS_S)), "again"]
        command = [sys.executable, "-m", "tests.integration.keyhold.victim", *words]
        victim = subprocess.Popen(command, stdout=subprocess.PIPE, env=clean_environment())
        try:
            assert victim.stdout is not None
            assert victim.stdout.readline() == b"held\n"
            self._type(human, "x")
            time.sleep(self._dice.uniform(0, 0.05))
        finally:
            victim.kill()
            victim.communicate()
        self._type(human, "yz")
        wait_until(self._is_all_there, DEADLINE_S, "all keys", lambda: self._recorder.record[-80:])

    def _is_all_there(self) -> bool:
        return self._recorder.record == self._typed

    def _type(self, human: Human, text: str) -> None:
        human.type(text, AT_ONCE)
        self._typed += text.encode()


def main(holds: int, kills: int) -> int:
    with PrivateTmux() as tmux:
        version = tmux.run("display-message", "-p", "#{version}").strip()
        left = Campaign(tmux).run(holds, kills)
    print(f"tmux {version}: {holds} holds, {kills} killed daemons, {len(left)} differences in keys and options")
    for what, (was, now) in left.items():
        print(f"--- {what}\n{was}\n+++\n{now}")
    return 1 if left else 0


if __name__ == "__main__":
    raise SystemExit(main(*map(int, sys.argv[1:3])))
