"""The core of the daemon: what almost every part of it works with."""

from dataclasses import dataclass
from pathlib import Path

from hark.agents.kinds import Kinds
from hark.daemon.bus import Bus
from hark.daemon.outbox import Outbox
from hark.daemon.panes import Panes
from hark.daemon.process.clock import Clock
from hark.daemon.registry.sessions import Sessions
from hark.daemon.session.live import LiveSessions
from hark.model.settings.config import Config
from hark.store.contract import Store


@dataclass(frozen=True, kw_only=True)
class Core:
    """A part takes the core and, beside it, only the parts that it has to do with in particular."""

    config: Config
    kinds: Kinds
    store: Store
    bus: Bus
    outbox: Outbox
    panes: Panes
    sessions: Sessions
    live: LiveSessions
    clock: Clock
    texts: Path
    """The directory of the texts that are too long to be typed."""
