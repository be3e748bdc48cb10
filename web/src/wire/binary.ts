/** Reads the binary frames of terminals: kind, terminal, position of the stream after the frame, bytes. */
import type { TerminalBytes } from "./types";

const HEADER = 13;
const KINDS: Readonly<Record<number, TerminalBytes["kind"]>> = { 1: "snapshot", 2: "output" };

/** Return what the frame says; null if it is no frame of a terminal. */
export function readBinary(buffer: ArrayBuffer): TerminalBytes | null {
  if (buffer.byteLength < HEADER) return null;
  const view = new DataView(buffer);
  const kind = KINDS[view.getUint8(0)];
  if (kind === undefined) return null;
  return { kind, terminal: view.getUint32(1), seq: Number(view.getBigUint64(5)), bytes: new Uint8Array(buffer, HEADER) };
}
