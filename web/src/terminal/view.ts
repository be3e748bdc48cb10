/**
 * One live terminal: xterm.js at the pane's own size, fed by the daemon's snapshot and the output after it.
 *
 * The size of the letters follows the page; the pane's size never does, unless the human takes it. After a break the stream goes on where it
 * stopped, or a new snapshot replaces everything.
 */
import "@xterm/xterm/css/xterm.css";
import { Unicode11Addon } from "@xterm/addon-unicode11";
import { Terminal, type ITheme } from "@xterm/xterm";
import { signal } from "@preact/signals";
import { addTerminal, removeTerminal, send } from "../state/live";
import type { Attached, Keyboard, TerminalBytes, TerminalFrame } from "../wire/types";
import { silence, withoutFocus } from "./answers";
import { fitLetters } from "./fit";
import { Flow } from "./flow";
import { replaceStyleElements } from "./styles";
import { DARK, LIGHT } from "./theme";

const HISTORY_LINES = 1000;
/** The room below the terminal, and the scrollbar beside the screen. */
const ROOM_BELOW = 28;
const SCROLLBAR = 18;
/** What reading a letter's width gives for common monospace fonts, until the real one is measured. */
const USUAL_RATIO = 0.602;
const USUAL_ROW_RATIO = 1.2;

export interface Facts {
  readonly columns: number;
  readonly rows: number;
  readonly viewers: number;
  readonly keyboard: Keyboard | null;
  readonly sizedBy: string | null;
  readonly isLive: boolean;
  readonly ended: string | null;
  /** Why the daemon refused what the human last asked of the terminal. */
  readonly refusal: string;
  /** How many older lines tmux keeps. */
  readonly history: number;
}

const NO_FACTS: Facts = {
  columns: 0,
  rows: 0,
  viewers: 0,
  keyboard: null,
  sizedBy: null,
  isLive: false,
  ended: null,
  refusal: "",
  history: 0,
};

export class TerminalView {
  readonly facts = signal<Facts>(NO_FACTS);
  readonly terminal: Terminal;
  readonly #number: number;
  readonly #flow = new Flow();
  readonly #dark = matchMedia("(prefers-color-scheme: dark)");
  readonly #observer: ResizeObserver;
  #stream: string | null = null;
  #seq: number | null = null;
  #dropWebgl: (() => void) | null = null;
  #onHistory: ((text: string) => void) | null = null;
  #ratio = USUAL_RATIO;
  #rowRatio = USUAL_ROW_RATIO;

  constructor(
    readonly sessionId: string,
    readonly container: HTMLElement,
  ) {
    replaceStyleElements();
    this.terminal = new Terminal({
      allowProposedApi: true,
      disableStdin: true,
      cursorBlink: false,
      cursorInactiveStyle: "outline",
      scrollback: 5000,
      fontFamily: '"JetBrains Mono", ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace',
      fontSize: 13,
      screenReaderMode: false,
      theme: this.#theme(),
    });
    this.terminal.loadAddon(new Unicode11Addon());
    this.terminal.unicode.activeVersion = "11";
    silence(this.terminal.parser);
    this.terminal.open(container);
    // Tests read the terminal's cells from here.
    Object.defineProperty(container, "terminal", { value: this.terminal, configurable: true });
    this.terminal.onData((data) => this.#typed(withoutFocus(data), false));
    this.terminal.onBinary((data) => this.#typed(data, true));
    this.#dark.addEventListener("change", this.#recolour);
    this.#observer = new ResizeObserver(() => this.#fit());
    this.#observer.observe(container);
    this.#number = addTerminal({
      onFrame: (frame) => this.#onFrame(frame),
      onBytes: (bytes) => this.#onBytes(bytes),
      onOpen: () => this.#attach(),
    });
    this.#attach();
    void this.#useWebgl();
  }

  #attach(): void {
    send({ type: "attach", terminal: this.#number, session: this.sessionId, stream: this.#stream, after: this.#seq, history: HISTORY_LINES });
  }

  #theme(): ITheme {
    return this.#dark.matches ? DARK : LIGHT;
  }

  readonly #recolour = (): void => {
    this.terminal.options.theme = this.#theme();
  };

  #learn(change: Partial<Facts>): void {
    this.facts.value = { ...this.facts.value, ...change };
  }

  #onFrame(frame: TerminalFrame): void {
    switch (frame.type) {
      case "attached":
        this.#attached(frame);
        break;
      case "resized":
        this.#stream = frame.stream;
        this.#resize(frame.columns, frame.rows);
        break;
      case "viewers":
        this.#learn({ viewers: frame.viewers, keyboard: frame.keyboard, sizedBy: frame.sized_by });
        this.#followKeyboard();
        break;
      case "ended":
        this.#learn({ isLive: false, ended: frame.reason });
        break;
      case "history":
        this.#onHistory?.(frame.text);
        this.#onHistory = null;
        break;
      case "refused":
        this.#refused(frame.detail, frame.hint);
    }
  }

  #attached(frame: Attached): void {
    this.#stream = frame.stream;
    if (!frame.is_resumed) this.#seq = null;
    this.#learn({ viewers: frame.viewers, keyboard: frame.keyboard, sizedBy: frame.sized_by, history: frame.history, isLive: true, ended: null });
    this.#resize(frame.columns, frame.rows);
    this.#followKeyboard();
  }

  #resize(columns: number, rows: number): void {
    this.#learn({ columns, rows });
    this.terminal.resize(columns, rows);
    this.#fit();
  }

  #onBytes({ kind, seq, bytes }: TerminalBytes): void {
    if (kind === "snapshot") this.terminal.reset();
    this.#seq = seq;
    this.terminal.write(bytes, () => {
      if (kind === "snapshot" || this.#flow.written(bytes.length)) send({ type: "received", terminal: this.#number, seq });
    });
  }

  #refused(detail: string, hint: string): void {
    this.#learn({ refusal: hint ? `${detail} ${hint}` : detail });
  }

  /** Choose the letters so that the pane fits, with the cell's real width once it was drawn. */
  #fit(): void {
    const { columns } = this.facts.value;
    if (columns === 0 || this.container.clientWidth === 0) return;
    const drawn = this.container.querySelector<HTMLElement>(".xterm-screen")?.offsetWidth ?? 0;
    const size = this.terminal.options.fontSize ?? 13;
    if (drawn > 0) this.#ratio = drawn / this.terminal.cols / size;
    const height = this.container.querySelector<HTMLElement>(".xterm-screen")?.offsetHeight ?? 0;
    if (height > 0) this.#rowRatio = height / this.terminal.rows / size;
    const { fontSize } = fitLetters(this.container.clientWidth - SCROLLBAR, columns, this.#ratio, this.#roomForRow() / this.#rowRatio);
    if (fontSize !== size) this.terminal.options.fontSize = fontSize;
  }

  /** How high a row may be, so that the whole terminal fits the window. */
  #roomForRow(): number {
    return Math.max(0, innerHeight - this.container.getBoundingClientRect().top - scrollY - ROOM_BELOW) / this.facts.value.rows;
  }

  get hasKeyboard(): boolean {
    return this.facts.value.keyboard?.is_you ?? false;
  }

  #followKeyboard(): void {
    this.terminal.options.disableStdin = !this.hasKeyboard;
    this.terminal.options.cursorBlink = this.hasKeyboard;
    if (this.hasKeyboard) this.terminal.focus();
  }

  #typed(data: string, isBinary: boolean): void {
    if (data !== "" && this.hasKeyboard) send({ type: "keys", terminal: this.#number, data, is_binary: isBinary });
  }

  takeKeyboard(): void {
    this.#learn({ refusal: "" });
    send({ type: "take-keyboard", terminal: this.#number });
  }

  leaveKeyboard(): void {
    send({ type: "leave-keyboard", terminal: this.#number });
  }

  /** Give the pane the size that the page has room for; it gets its own size back when the page is left. */
  takeSize(): void {
    this.#learn({ refusal: "" });
    const cell = (this.terminal.options.fontSize ?? 13) * this.#ratio;
    const columns = Math.max(40, Math.floor((this.container.clientWidth - 4) / Math.max(cell, 7.5)));
    const rows = Math.max(10, Math.floor((innerHeight * 0.62) / (Math.max(cell, 7.5) / this.#ratio) / 1.2));
    send({ type: "take-size", terminal: this.#number, columns, rows });
  }

  leaveSize(): void {
    send({ type: "leave-size", terminal: this.#number });
  }

  /** Ask for the oldest lines that tmux keeps, as text with colours. */
  askHistory(lines: number): Promise<string> {
    return new Promise((resolve) => {
      this.#onHistory = resolve;
      send({ type: "history", terminal: this.#number, id: String(Date.now()), before: 0, lines });
    });
  }

  async #useWebgl(): Promise<void> {
    try {
      const { WebglAddon } = await import("@xterm/addon-webgl");
      const addon = new WebglAddon();
      addon.onContextLoss(() => addon.dispose());
      this.terminal.loadAddon(addon);
      this.#dropWebgl = () => releaseContexts(this.container);
      this.#fit();
    } catch {
      this.#dropWebgl = null;
    }
  }

  close(): void {
    this.#observer.disconnect();
    this.#dark.removeEventListener("change", this.#recolour);
    removeTerminal(this.#number);
    this.#dropWebgl?.();
    this.terminal.dispose();
  }
}

/** Give the drawing contexts back to the browser, which allows only a few: disposing of the addon does not. */
function releaseContexts(container: HTMLElement): void {
  for (const canvas of container.querySelectorAll("canvas")) {
    canvas.getContext("webgl2")?.getExtension("WEBGL_lose_context")?.loseContext();
  }
}
