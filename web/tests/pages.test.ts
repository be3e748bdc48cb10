import { describe, expect, it } from "vitest";
import { iconFor, titleFor } from "../src/alerts/badge";
import { highlight } from "../src/format/highlight";
import { formatAge, formatLatency, formatSpan } from "../src/format/time";
import { CHARTS, columnsOf, sumHolds, type Hour, type Numbers } from "../src/pages/numbers";
import { lastLines } from "../src/parts/screen";
import { makePieces, sumUp } from "../src/parts/turns";
import { DEFAULTS, readPreferences, toggle } from "../src/state/preferences";
import { addressOf, readRoute } from "../src/state/route";
import { neighbour } from "../src/state/selection";
import type { HarkEvent } from "../src/wire/types";
import { makeSession, minutesAgo, NOW } from "./examples";

describe("addresses", () => {
  it.each([
    ["", { page: "queue" }],
    ["#/", { page: "queue" }],
    ["#/sessions/abc", { page: "session", id: "abc" }],
    ["#/sessions/crew%2Fback", { page: "session", id: "crew/back" }],
    ["#/sessions/%E0%A4%A", { page: "session", id: "%E0%A4%A" }],
    ["#/messages/m1", { page: "message", id: "m1" }],
    ["#/search?q=two+words", { page: "search", words: "two words" }],
    ["#/overview", { page: "overview" }],
    ["#/sessions/", { page: "unknown" }],
    ["#/elsewhere", { page: "unknown" }],
  ])("%j", (hash, route) => {
    expect(readRoute(hash)).toEqual(route);
  });

  it("lead back to what they were made from", () => {
    expect(readRoute(addressOf.session("a/b c"))).toEqual({ page: "session", id: "a/b c" });
    expect(readRoute(addressOf.search("50% & more"))).toEqual({ page: "search", words: "50% & more" });
  });
});

it.each([
  [5, "5s"],
  [59.9, "59s"],
  [60, "1m"],
  [3600, "1h"],
  [3660, "1h 1m"],
  [7 * 3600 + 120, "7h"],
  [200_000, "2d"],
  [-3, "0s"],
])("%d seconds read as %s", (seconds, text) => {
  expect(formatSpan(seconds)).toBe(text);
});

it("says nothing about an age that is not known", () => {
  expect(formatAge(null, NOW)).toBe("");
  expect(formatAge("nonsense", NOW)).toBe("");
  expect(formatAge(minutesAgo(2), NOW)).toBe("2m");
});

it("shows short times in milliseconds", () => {
  expect(formatLatency(0.1425)).toBe("143 ms");
  expect(formatLatency(2.34)).toBe("2.3 s");
});

it("the title and the icon show how many sessions wait", () => {
  expect(titleFor(0, "")).toBe("hark");
  expect(titleFor(2, "backend")).toBe("(2) backend · hark");
  expect(iconFor(3)).toContain(">3</text>");
  expect(iconFor(0)).not.toContain("<text");
});

it("marks the words of a search, whatever characters they have", () => {
  expect(highlight("a+b is a+B", "a+b")).toEqual([
    { text: "a+b", isHit: true },
    { text: " is ", isHit: false },
    { text: "a+B", isHit: true },
  ]);
  expect(highlight("plain", "")).toEqual([{ text: "plain", isHit: false }]);
});

describe("the timeline", () => {
  const turn = (minutes: number, phase: string): HarkEvent => ({
    seq: 100 - minutes,
    at: minutesAgo(minutes),
    kind: "turn",
    session_id: "s",
    message_id: null,
    data: { phase },
  });

  it("has a piece for every phase, the last one until now", () => {
    const pieces = makePieces([turn(30, "busy"), turn(20, "idle"), turn(10, "busy")], NOW - 3600_000, NOW);

    expect(pieces.map((piece) => [piece.phase, (piece.to - piece.from) / 60_000])).toEqual([
      ["busy", 10],
      ["idle", 10],
      ["busy", 10],
    ]);
    expect(sumUp(pieces)).toEqual({ turns: 2, seconds: 1200 });
  });

  it("joins equal phases, and cuts what began earlier", () => {
    const pieces = makePieces([turn(90, "busy"), turn(30, "busy")], NOW - 3600_000, NOW);

    expect(pieces).toEqual([{ phase: "busy", from: NOW - 3600_000, to: NOW }]);
  });
});

it("shows the last lines of a screen that are not empty", () => {
  expect(lastLines(["one", "two  ", "", "three", "", "  "], 3)).toEqual(["two", "", "three"]);
  expect(lastLines(["", ""], 3)).toEqual([]);
});

describe("the numbers of the overview", () => {
  const hour: Hour = {
    hour: "2026-01-02T10:00:00Z",
    queued: 5,
    delivered: 4,
    delivery_p50_s: null,
    delivery_p95_s: 2.5,
    turns: 3,
    signals: { completed: 2, needs_input: 1 },
    holds: {},
    failed: 0,
  };

  it("become columns, and nothing is no zero", () => {
    expect(columnsOf(CHARTS[1]!, [hour])).toEqual([[Date.parse(hour.hour) / 1000], [null], [2.5]]);
    expect(columnsOf(CHARTS[3]!, [hour]).slice(1)).toEqual([[3], [2], [1]]);
  });

  it("list the longest holds first", () => {
    const hours = [{ ...hour, holds: { draft: 2 } }, { ...hour, holds: { draft: 1, "copy-mode": 1 } }];

    expect(sumHolds({ hours, hold_seconds: { draft: 3, dialog: 60, busy: 0 } } as unknown as Numbers)).toEqual([
      { reason: "dialog", count: 0, seconds: 60 },
      { reason: "draft", count: 3, seconds: 3 },
      { reason: "copy-mode", count: 1, seconds: 0 },
    ]);
  });
});

it("the selection stays within the list", () => {
  const list = ["a", "b", "c"].map((name) => makeSession({ name }));

  expect(neighbour(list, "a", 1)?.name).toBe("b");
  expect(neighbour(list, "c", 1)?.name).toBe("c");
  expect(neighbour(list, "a", -1)?.name).toBe("a");
  expect(neighbour(list, "gone", 1)?.name).toBe("a");
  expect(neighbour([], null, 1)).toBeNull();
});

it("spoiled preferences are replaced by the defaults", () => {
  expect(readPreferences("{")).toEqual(DEFAULTS);
  expect(readPreferences("null")).toEqual(DEFAULTS);
  expect(readPreferences('{"volume":0.1}')).toEqual({ ...DEFAULTS, volume: 0.1 });
  expect(toggle(["a"], "a")).toEqual([]);
  expect(toggle(["a"], "b")).toEqual(["a", "b"]);
});
