import { beforeEach, describe, expect, it } from "vitest";
import { changeDraft, EMPTY_DRAFT, loadDraft, saveDraft } from "../src/composer/draft";
import { sends, type Pressed } from "../src/composer/keys";
import { readSchedule } from "../src/composer/schedule";
import { callFor } from "../src/composer/sending";

const NOW = new Date(2026, 0, 2, 12, 0, 0);

const enter = (values: Partial<Pressed> = {}): Pressed => ({
  key: "Enter",
  shiftKey: false,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  isComposing: false,
  keyCode: 13,
  ...values,
});

describe("Enter in the composer", () => {
  it.each<[string, Partial<Pressed>, boolean]>([
    ["sends", {}, true],
    ["with Ctrl sends", { ctrlKey: true }, true],
    ["with Shift breaks the line", { shiftKey: true }, false],
    ["with Alt breaks the line", { altKey: true }, false],
    ["that chooses a word of an input method never sends", { isComposing: true }, false],
    ["that Safari reports after the composition never sends", { keyCode: 229 }, false],
    ["of a phone's keyboard, reported as unidentified, never sends", { key: "Unidentified", keyCode: 229 }, false],
    ["is not another key", { key: "a", keyCode: 65 }, false],
  ])("%s", (_why, values, isSending) => {
    expect(sends(enter(values))).toBe(isSending);
  });
});

describe("the time of a message", () => {
  it.each([
    ["", { kind: "now" }],
    ["now", { kind: "now" }],
    ["when idle", { kind: "idle" }],
    ["in 20 min", { kind: "delay", seconds: 1200 }],
    ["20m", { kind: "delay", seconds: 1200 }],
    ["In 1 hour 30 minutes", { kind: "delay", seconds: 5400 }],
    ["in 1 h and 5 min", { kind: "delay", seconds: 3900 }],
    ["in 1.5 h", { kind: "delay", seconds: 5400 }],
    ["at 14:30", { kind: "at", at: new Date(2026, 0, 2, 14, 30) }],
    ["9:00", { kind: "at", at: new Date(2026, 0, 3, 9, 0) }],
    ["tomorrow 14:30", { kind: "at", at: new Date(2026, 0, 3, 14, 30) }],
  ])("%j", (words, schedule) => {
    expect(readSchedule(words, NOW)).toEqual(schedule);
  });

  it.each(["soon", "in 20", "in 0 min", "at 25:00", "in 20 parsecs", "in -5 min", "20 min please", "in 9999 days"])("%j is no time", (words) => {
    expect(readSchedule(words, NOW)).toBeNull();
  });
});

describe("a message", () => {
  const draft = { ...EMPTY_DRAFT, text: "hello\n", mode: "urgent" as const };

  it("is sent with its mode", () => {
    expect(callFor("a/b", draft, { kind: "now" })).toEqual({ path: "/sessions/a%2Fb/send", body: { text: "hello", delivery_mode: "urgent" } });
  });

  it("that waits for an idle agent never interrupts it", () => {
    expect(callFor("s", draft, { kind: "idle" }).body["delivery_mode"]).toBe("sequential");
  });

  it("that is typed as it is says so", () => {
    expect(callFor("s", { ...draft, raw: true }, { kind: "now" }).body["raw"]).toBe(true);
  });

  it("for later goes to the scheduler", () => {
    expect(callFor("s", draft, { kind: "delay", seconds: 60 })).toEqual({
      path: "/scheduler/remind",
      body: { session_id: "s", message: "hello", delay_seconds: 60 },
    });
  });
});

describe("a draft", () => {
  beforeEach(() => localStorage.clear());

  it("survives a reload with the key of the sending that failed", () => {
    const draft = { ...EMPTY_DRAFT, text: "half a thought", key: "k1" };
    saveDraft(localStorage, "s", draft);

    expect(loadDraft(localStorage, "s")).toEqual(draft);
  });

  it("that is changed gets a new key, because it is another message", () => {
    expect(changeDraft({ ...EMPTY_DRAFT, text: "a", key: "k1" }, { text: "ab" }).key).toBe("");
  });

  it("that is empty leaves nothing behind", () => {
    saveDraft(localStorage, "s", { ...EMPTY_DRAFT, text: "a" });
    saveDraft(localStorage, "s", EMPTY_DRAFT);

    expect(localStorage.length).toBe(0);
  });

  it("that was spoiled is empty", () => {
    localStorage.setItem("hark:draft:s", "{");

    expect(loadDraft(localStorage, "s")).toEqual(EMPTY_DRAFT);
  });
});
