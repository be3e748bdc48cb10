import { expect, it } from "vitest";
import { filterSessions } from "../src/attention/filter";
import { makeSession } from "./examples";

const SESSIONS = [
  makeSession({ name: "crew/back", agent: "claude", host: "build-1", phase: "busy", last_line: "Running tests" }),
  makeSession({ name: "crew/front", agent: "codex", host: "local", signal_state: "needs_input", signal_text: "Which colour?" }),
  makeSession({ name: "docs", agent: "gemini", host: "local" }),
];

const ROWS: [string, string[]][] = [
  ["", ["crew/back", "crew/front", "docs"]],
  ["  ", ["crew/back", "crew/front", "docs"]],
  ["crew", ["crew/back", "crew/front"]],
  ["CREW tests", ["crew/back"]],
  ["colour", ["crew/front"]],
  ["host:build", ["crew/back"]],
  ["agent:codex", ["crew/front"]],
  ["is:working", ["crew/back"]],
  ["-crew", ["docs"]],
  ["is:input -host:local", []],
  ["-", ["crew/back", "crew/front", "docs"]],
];

it.each(ROWS)("the filter %j shows %j", (words, names) => {
  expect(filterSessions(SESSIONS, words).map((session) => session.name)).toEqual(names);
});
