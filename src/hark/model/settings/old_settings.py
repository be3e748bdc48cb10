"""Translates the settings of an earlier design, `sm_send:` in config.yaml, into lines of config.toml. Hark shows the translation but
does not use the old settings: a file that is only half understood would be worse than one that is refused."""

import re
from collections.abc import Collection, Mapping

_SECTION = re.compile(r"^sm_send[ \t]*:[ \t]*(?P<flow>\{[^}]*\})?[ \t]*(?:#.*)?$", re.MULTILINE)
_ENTRY = re.compile(r"^[ \t]+(?P<name>\w+)[ \t]*:[ \t]*(?P<value>[^#\n]*)")
_PAIR = re.compile(r"(?P<name>\w+)\s*:\s*(?P<value>[^,}]+)")
LONGEST = 200
"""The largest number of characters of an old setting's name or value that an error repeats."""


def read_sm_send(text: str) -> dict[str, str] | None:
    """Return the entries of the section `sm_send` of a YAML file as they are written; None if there is no such section."""
    section = _SECTION.search(text.replace("\r\n", "\n"))
    if section is None:
        return None
    if flow := section["flow"]:
        return {pair["name"]: pair["value"].strip() for pair in _PAIR.finditer(flow)}
    entries: dict[str, str] = {}
    for line in text.replace("\r\n", "\n")[section.end() :].split("\n")[1:]:
        if entry := _ENTRY.match(line):
            entries[entry["name"]] = entry["value"].strip()
        elif line.strip() and not line.lstrip().startswith("#"):
            break
    return entries


def translate(entries: Mapping[str, object], known: Collection[str]) -> str:
    """Return one line of text that says what to write into config.toml instead of these entries."""
    lines = [f"{name} = {_as_toml(value)}" for name, value in entries.items() if name in known]
    unknown = [name[:LONGEST] for name in entries if name not in known]
    words = (
        f"write these lines at the top of config.toml instead: {' | '.join(lines)}"
        if lines
        else "it has no setting that hark knows"
    )
    return words + (f"; not known: {', '.join(unknown)}" if unknown else "")


def _as_toml(value: object) -> str:
    text = str(value).strip().strip("\"'")[:LONGEST]
    if re.fullmatch(r"[+-]?\d+(\.\d+)?", text):
        return text
    if text.lower() in ("true", "false", "yes", "no", "on", "off"):
        return "true" if text.lower() in ("true", "yes", "on") else "false"
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
