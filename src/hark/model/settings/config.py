"""The settings. HARK_* variables override the settings file, and flags override both."""

import re
from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

from hark.model.errors import HarkError
from hark.model.settings.old_settings import read_sm_send, translate

AGENT_RIGHTS = {
    "spawn": "start other agents",
    "raw": "send text without a header",
    "kill": "end sessions",
    "adopt": "adopt panes",
    "hold": "hold or release messages to other sessions",
    "rename": "rename sessions",
    "read": "read other sessions' messages, screens, events and numbers",
    "answer": "answer what other agents ask",
}
"""The rights that agents may be granted beyond their own session, each with what it lets them do."""


class Config(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    input_poll_interval: float = 5.0
    """Seconds between two checks of a held session when no event asks for a check, in case an event was missed."""
    human_pause: float = 2.0
    """Seconds that a human's terminal must have been quiet before a delivery to an agent whose drafts hark cannot carry."""
    input_stale_timeout: float = 120.0
    """Seconds that a draft must have stood untouched before a carrier that has to find its way through the draft takes it out."""
    default_timeout: float = 0.0
    """Seconds after which hark drops an undelivered message; 0 keeps the message for ever."""
    max_batch_size: int = 10
    """The largest number of messages that go to an agent as one payload."""
    max_attempts: int = 10
    """The number of refusals by the agent after which hark gives a message up; 0 never gives up."""
    max_thread_hops: int = 20
    """The largest number of replies behind each other in a thread; 0 allows any number."""
    max_pair_rate: int = 30
    """The largest number of messages that one session may send another within a minute; 0 allows any number."""
    keep_messages: float = 30 * 86400.0
    """Seconds for which hark keeps messages to which nothing more happens; 0 keeps them for ever."""
    keep_sessions: float = 30 * 86400.0
    """Seconds for which hark keeps sessions that are gone and have no messages on record any more; 0 keeps them for ever."""
    gone_timeout: float = 0.0
    """Seconds after which hark gives up the messages that wait for a session that is gone; 0 lets them wait."""
    restart: str = "no"
    """When hark starts the agents of new sessions again by itself: no, or on-failure."""
    max_restarts: int = 8
    """How often in a row hark starts an agent again that keeps failing, before it gives up; 0 never gives up."""
    restore_notice: str = "none"
    """How hark tells a human that it carried their draft out of the box and back."""
    default_agent: str = ""
    """The kind of agent that `hark new` and `hark spawn` start when nobody names one; empty means the first that is installed."""
    max_text_bytes: int = 1_048_576
    native: bool = True
    """True if hark reaches the agents that it starts by their own API, where they have one."""
    hooks: bool = True
    """True if hark gives hooks to the agents that it starts, for that run only, where the agents allow it."""
    hook_messages: bool = True
    """True if hark hands messages to a busy agent through the agent's own hooks, where these are known to work."""
    signal_namespaces: str = "schmux,hark"
    """The names that markers may have, with commas between them. A marker is written --<[NAME:state:text]>--"""
    notify: str = "needs_input,needs_testing,error,completed"
    """The signals that hark tells people about: state[:session], with commas between them; `*` for all."""
    notify_by: str = ""
    """How hark tells people about signals: bell, osc9, osc777, desktop, webhook, with commas between them; empty tells nobody."""
    notify_quiet: str = ""
    """The hours in which hark tells nobody about signals, such as 22:00-07:00."""
    notify_webhook: str | None = None
    """The address to which hark posts a signal as JSON."""
    infer_url: str | None = None
    """The address of the model service that hark asks what a quiet agent's screen means; None asks nobody."""
    infer_protocol: str = "openai"
    """The protocol of the model service: openai or anthropic."""
    infer_model: str = ""
    infer_key_file: str | None = None
    """The file that holds the key of the model service."""
    infer_after: float = 300.0
    """Seconds without output and without a signal after which hark asks the model service."""
    infer_per_hour: int = 10
    """The largest number of questions to the model service in an hour."""
    rewake: bool = False
    """True if messages wake an idle Claude Code that hark started through a hook that waits beside it, instead of being typed."""
    restart_on_upgrade: bool = True
    """True if a command of a newer hark may restart this daemon, so that the daemon runs the newer version too."""
    agent_rights: str = ""
    """The rights of agents beyond their own session, with commas between them: spawn, raw, kill, adopt, hold, rename, read, answer."""
    answers: bool = False
    """True if what agents ask may be answered from elsewhere: by `hark answer`, by the API, and by the policy."""
    answer_policy: str | None = None
    """The path of a TOML file with rules for what agents ask; None answers nothing by itself."""
    listen: str | None = None
    """The HOST:PORT for HTTP over TCP, on the loopback interface only; None means no TCP."""
    dashboard_port: int = 4275
    """The port on 127.0.0.1 at which `hark dashboard` opens the dashboard; the next free one if it is taken; 0 for any free port."""
    dashboard_hosts: str = ""
    """The names under which a reverse proxy on this machine serves the dashboard, with commas between them: HOST or HOST:PORT."""
    log_level: str = "info"
    log_max_bytes: int = 5_000_000
    tmux: str = "tmux"
    """The tmux program to run."""
    tmux_socket: str | None = None
    """The path of the socket of the tmux server in which `hark new` starts sessions; None means the server called `hark`."""
    tmux_config: str | None = None
    """The configuration file for hark's own tmux server; None means the files that tmux reads by itself."""


# HARK_* variables that are never settings, whatever the settings are called: the variables of every session, which a daemon that
# is started inside a session would take for the user's wish; the variables of commands; the variables of the demo agent.
_OF_SESSIONS = frozenset(
    {"HARK_SESSION", "HARK_TOKEN", "HARK_AGENT_SOCKET", "HARK_HOOKS", "HARK_VISUAL", "HARK_EDITOR"}
)
_OF_COMMANDS = frozenset({"HARK_HOME", "HARK_DEBUG", "HARK_NO_AUTOSTART", "HARK_SERVE_COMMAND"})
NOT_SETTINGS = _OF_SESSIONS | _OF_COMMANDS | {"HARK_DEMO_LOG", "HARK_HOOK_COMMAND"}
_CHOICES = {
    "log_level": ("debug", "info", "warning", "error"),
    "restart": ("no", "on-failure"),
    "restore_notice": ("none", "status-line"),
    "infer_protocol": ("openai", "anthropic"),
}
_TYPES = {float: "a number", int: "a whole number", bool: "true or false"}
_FLOORS = {
    "input_poll_interval": 0.05,
    "human_pause": 0.0,
    "input_stale_timeout": 0.0,
    "default_timeout": 0.0,
    "max_batch_size": 1,
    "max_attempts": 0,
    "max_thread_hops": 0,
    "max_pair_rate": 0,
    "max_restarts": 0,
    "keep_messages": 0.0,
    "keep_sessions": 0.0,
    "gone_timeout": 0.0,
    "max_text_bytes": 1,
    "log_max_bytes": 10_000,
    "infer_after": 1.0,
    "infer_per_hour": 0,
    "dashboard_port": 0,
}


def merge_config(file: Mapping[str, Any], environment: Mapping[str, str], flags: Mapping[str, str]) -> Config:
    names = {field.name for field in msgspec.structs.fields(Config)}
    from_environment = {
        key[5:].lower(): value
        for key, value in environment.items()
        if key.startswith("HARK_") and key not in NOT_SETTINGS and key[5:].lower() in names
    }
    if isinstance(old := file.get("sm_send"), Mapping):
        raise _invalid("config.toml has a table [sm_send], which hark does not read", translate(old, names))
    merged = {**file, **from_environment, **flags}
    for unknown in merged.keys() - names:
        raise _invalid(f"there is no setting {unknown!r}", f"settings are: {', '.join(sorted(names))}")
    try:
        config = msgspec.convert(merged, Config, strict=False)
    except msgspec.ValidationError as wrong:
        raise _invalid(_wrong_value(str(wrong), merged)) from wrong
    for name, choices in _CHOICES.items():
        if getattr(config, name) not in choices:
            raise _invalid(f"{name} must be one of {', '.join(choices)}")
    for name, floor in _FLOORS.items():
        if not getattr(config, name) >= floor:
            raise _invalid(f"{name} must be at least {floor:g}")
    if config.listen is not None:
        parse_listen(config.listen)
    parse_rights(config.agent_rights)
    parse_hosts(config.dashboard_hosts)
    if config.dashboard_port > 65535:
        raise _invalid("dashboard_port must be at most 65535")
    for name in ("infer_url", "notify_webhook"):
        if not re.match(r"https?://", getattr(config, name) or "http://"):
            raise _invalid(f"{name} = {getattr(config, name)!r} is not an address", "write it as https://HOST/PATH")
    return config


def _wrong_value(wrong: str, merged: Mapping[str, Any]) -> str:
    """Say which setting has a value of the wrong type, and which type it must have."""
    types = {field.name: field.type for field in msgspec.structs.fields(Config)}
    name = wrong.rpartition("`$.")[2].rstrip("`")
    return f"{name} = {merged[name]!r} is not {_TYPES.get(types[name], 'a text')}" if name in types else wrong


def check_no_yaml(path: str, text: str) -> None:
    """Refuse settings in config.yaml, which hark would ignore, and say how to write them in config.toml."""
    if (entries := read_sm_send(text)) is not None:
        names = {field.name for field in msgspec.structs.fields(Config)}
        hint = f"{translate(entries, names)}; then remove {path}"
        raise _invalid(f"{path} has a section sm_send, and hark reads config.toml only", hint)


def parse_rights(words: str) -> frozenset[str]:
    rights = frozenset(word.strip() for word in words.split(",") if word.strip())
    if unknown := sorted(rights - AGENT_RIGHTS.keys()):
        raise _invalid(
            f"there is no right {unknown[0]!r} for agents", f"agent_rights may hold: {', '.join(AGENT_RIGHTS)}"
        )
    return rights


def parse_listen(listen: str) -> tuple[str, int]:
    found = re.fullmatch(r"(127(?:\.\d{1,3}){3}|localhost|\[::1\]):(\d{1,5})", listen)
    if not found or int(found[2]) > 65535:
        raise _invalid(
            f"listen = {listen!r} is not a loopback address with a port",
            "write it as 127.0.0.1:7433; for other hosts use ssh",
        )
    return found[1].strip("[]"), int(found[2])


def parse_hosts(words: str) -> frozenset[str]:
    """Return the names of a reverse proxy, in lower case, each with its port if it has one."""
    hosts = frozenset(word.strip().lower() for word in words.split(",") if word.strip())
    for host in sorted(hosts):
        if not re.fullmatch(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?", host):
            raise _invalid(
                f"dashboard_hosts: {host!r} is not a name", "write it as dash.example.org or box.ts.net:8443"
            )
    return hosts


def _invalid(detail: str, hint: str = "see docs/configuration.md") -> HarkError:
    return HarkError("config-invalid", detail, hint)
