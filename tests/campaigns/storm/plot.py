"""Draws docs/storm.png from docs/storm.json. Runs in an environment of its own, which has matplotlib."""

from __future__ import annotations

import json
import statistics
import sys
from typing import Any

from matplotlib.figure import Figure  # type: ignore[import-not-found]

OURS, THEIRS, PROMPTS = "#1a7f5a", "#b5482a", "#7aa6c2"


def draw(storms: list[dict[str, Any]], path: str) -> None:
    names = [f"{one['protocol']}, {one['agent']}" for one in storms]
    places = list(range(len(storms)))[::-1]
    figure = Figure(figsize=(13, 0.55 * len(storms) + 1.8), layout="constrained")
    shares, times = figure.subplots(1, 2, sharey=True, width_ratios=(3, 2))
    _draw_shares(shares, storms, places)
    _draw_times(times, storms, places)
    shares.set_yticks(places, names)
    figure.suptitle("A person types at 8 to 15 keys a second while messages arrive: what reached the agent's model")
    figure.savefig(path, dpi=110)


def _draw_shares(axes: Any, storms: list[dict[str, Any]], places: list[int]) -> None:
    for one, y in zip(storms, places, strict=True):
        bars = (("exact", "sent", 0.2, _colour(one)), ("prompts_exact", "prompts", -0.2, PROMPTS))
        for part, whole, offset, colour in bars:
            share = 100 * one[part] / max(one[whole], 1)
            axes.barh(y + offset, share, 0.36, color=colour)
            held = f", {one['held']} held" if part == "exact" and one["held"] else ""
            axes.text(share + 1, y + offset, f"{one[part]} of {one[whole]}{held}", va="center", fontsize=8)
    axes.set(xlim=(0, 118), xlabel="% that arrived exactly\nmessages: green, red; the person's prompts: blue")


def _draw_times(axes: Any, storms: list[dict[str, Any]], places: list[int]) -> None:
    for one, y in zip(storms, places, strict=True):
        if one["latencies_s"]:
            ordered = sorted(one["latencies_s"])
            axes.scatter(ordered, [y] * len(ordered), s=9, color=_colour(one), alpha=0.35, linewidths=0)
            axes.scatter(statistics.median(ordered), y, s=70, marker="|", color="black")
    axes.set(xscale="log", xlabel="seconds from sending to the agent's request\nof exact messages; bar: median")
    axes.grid(axis="x", alpha=0.3)


def _colour(storm: dict[str, Any]) -> str:
    return OURS if storm["is_ours"] else THEIRS


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        draw(json.load(file)["storms"], sys.argv[2])
