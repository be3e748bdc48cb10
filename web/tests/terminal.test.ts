import { describe, expect, it } from "vitest";
import { readBinary } from "../src/wire/binary";
import { withoutFocus } from "../src/terminal/answers";
import { fitLetters, LARGEST, SMALLEST } from "../src/terminal/fit";
import { EVERY, Flow } from "../src/terminal/flow";
import { stripSequences } from "../src/terminal/plain";

function frame(kind: number, terminal: number, seq: bigint, bytes: number[]): ArrayBuffer {
  const buffer = new ArrayBuffer(13 + bytes.length);
  const view = new DataView(buffer);
  view.setUint8(0, kind);
  view.setUint32(1, terminal);
  view.setBigUint64(5, seq);
  new Uint8Array(buffer, 13).set(bytes);
  return buffer;
}

describe("a binary frame", () => {
  it("carries a snapshot or output, for one terminal, up to a position", () => {
    const read = readBinary(frame(1, 7, 2n ** 40n, [104, 105]));

    expect(read).toMatchObject({ kind: "snapshot", terminal: 7, seq: 2 ** 40 });
    expect([...read!.bytes]).toEqual([104, 105]);
    expect(readBinary(frame(2, 1, 0n, []))?.kind).toBe("output");
  });

  it.each([["of an unknown kind", frame(9, 1, 1n, [])], ["that is too short", new ArrayBuffer(12)]])("%s is ignored", (_why, buffer) => {
    expect(readBinary(buffer)).toBeNull();
  });
});

describe("the letters of a terminal", () => {
  it("shrink until the pane's columns fit", () => {
    const { fontSize, scrolls } = fitLetters(800, 120, 0.6);

    expect(fontSize * 0.6 * 120).toBeLessThanOrEqual(800);
    expect(scrolls).toBe(false);
  });

  it("shrink for the height of the window, but stay legible", () => {
    expect(fitLetters(2000, 80, 0.6, 12).fontSize).toBe(12);
    expect(fitLetters(2000, 80, 0.6, 2).fontSize).toBe(11);
  });

  it("do not grow beyond the usual size", () => {
    expect(fitLetters(3000, 80, 0.6).fontSize).toBe(LARGEST);
  });

  it("stay legible on a phone, and the pane scrolls", () => {
    expect(fitLetters(340, 200, 0.6)).toEqual({ fontSize: SMALLEST, scrolls: true });
  });
});

it("reports what was written at least as often as the daemon wants", () => {
  const flow = new Flow();

  expect(flow.written(EVERY - 1)).toBe(false);
  expect(flow.written(1)).toBe(true);
  expect(flow.written(1)).toBe(false);
});

it("never sends reports about the focus as keys", () => {
  expect(withoutFocus("\x1b[I")).toBe("");
  expect(withoutFocus("\x1b[Ols\r")).toBe("ls\r");
  expect(withoutFocus("\x1b[A")).toBe("\x1b[A");
});

it("takes escape sequences out of the scrollback", () => {
  expect(stripSequences("\x1b[1;31mred\x1b[0m\x1b]8;;http://x\x07link\x1b]8;;\x1b\\ \x1b(Bplain\r\n\tend")).toBe("redlink plain\n\tend");
});
