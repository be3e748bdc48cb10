/** Keeps xterm.js from answering the agent's questions about the terminal: tmux has answered them already. */
import type { IFunctionIdentifier, IParser } from "@xterm/xterm";

const QUESTIONS: readonly IFunctionIdentifier[] = [
  { final: "c" },
  { prefix: ">", final: "c" },
  { prefix: "=", final: "c" },
  { final: "n" },
  { prefix: "?", final: "n" },
  { prefix: ">", final: "q" },
  { final: "t" },
  { intermediates: "$", final: "p" },
  { prefix: "?", intermediates: "$", final: "p" },
  { prefix: "?", final: "u" },
  { prefix: ">", final: "u" },
  { prefix: "<", final: "u" },
  { prefix: "=", final: "u" },
];

/** The colours that a program may set or ask for. */
const COLOURS = [4, 10, 11, 12];

export function silence(parser: IParser): void {
  for (const question of QUESTIONS) parser.registerCsiHandler(question, () => true);
  parser.registerDcsHandler({ intermediates: "$", final: "q" }, () => true);
  for (const colour of COLOURS) parser.registerOscHandler(colour, (data) => data.includes("?"));
  // A program may not write to the human's clipboard through the page.
  parser.registerOscHandler(52, () => true);
}

/** The focus reports, which xterm.js sends when the page gets or loses the focus: tmux tells the agent about the focus itself. */
const FOCUS = /\x1b\[[IO]/g;

/** Return what a human did; empty if the data only reports the focus. */
export const withoutFocus = (data: string): string => data.replaceAll(FOCUS, "");
