/**
 * The one WebSocket of the page. It says hello with the last event that the page took in, reconnects with growing pauses, and hands frames
 * over in their order. A connection that was revoked is not opened again.
 */
import { readBinary } from "./binary";
import { socketProtocols } from "./key";
import type { ClientFrame, ServerFrame, TerminalBytes } from "./types";

export type Connection = "connecting" | "open" | "waiting" | "signed-out";

export interface Listener {
  /** The last event that was taken in and the daemon that said it; null to get a snapshot. */
  resumeFrom(): { after: number | null; instance: string | null };
  onFrame(frame: ServerFrame): void;
  onBytes(bytes: TerminalBytes): void;
  onConnection(state: Connection): void;
}

const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 10_000;
const PING_EVERY = 20_000;
const PONG_WITHIN = 10_000;
const REVOKED = 4001;

export class LiveSocket {
  #socket: WebSocket | null = null;
  #pause = FIRST_PAUSE;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #pinger: ReturnType<typeof setInterval> | undefined;
  #deadline: ReturnType<typeof setTimeout> | undefined;

  constructor(
    readonly address: string,
    readonly listener: Listener,
  ) {}

  get isOpen(): boolean {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  connect(): void {
    if (this.#socket !== null) return;
    clearTimeout(this.#retry);
    this.listener.onConnection("connecting");
    const socket = new WebSocket(this.address, socketProtocols());
    socket.binaryType = "arraybuffer";
    socket.onopen = () => this.#opened(socket);
    socket.onmessage = (message: MessageEvent<string | ArrayBuffer>) => this.#received(message.data);
    socket.onclose = (closed) => this.#closed(socket, closed.code);
    this.#socket = socket;
  }

  /** Send a frame; false if there is no connection. */
  send(frame: ClientFrame): boolean {
    if (!this.isOpen) return false;
    this.#socket?.send(JSON.stringify(frame));
    return true;
  }

  /** Drop the connection and open a new one at once. */
  reconnect(): void {
    this.#pause = FIRST_PAUSE;
    if (this.#socket === null) this.connect();
    else this.#socket.close();
  }

  #opened(socket: WebSocket): void {
    socket.send(JSON.stringify({ type: "hello", ...this.listener.resumeFrom() } satisfies ClientFrame));
    this.#pinger = setInterval(() => this.#ping(), PING_EVERY);
  }

  #ping(): void {
    if (!this.send({ type: "ping", id: String(Date.now()) })) return;
    clearTimeout(this.#deadline);
    this.#deadline = setTimeout(() => this.#socket?.close(), PONG_WITHIN);
  }

  #received(data: string | ArrayBuffer): void {
    clearTimeout(this.#deadline);
    if (typeof data !== "string") {
      const bytes = readBinary(data);
      if (bytes !== null) this.listener.onBytes(bytes);
      return;
    }
    const frame = JSON.parse(data) as ServerFrame;
    if (frame.type === "welcome") {
      this.#pause = FIRST_PAUSE;
      this.listener.onConnection("open");
    }
    this.listener.onFrame(frame);
  }

  #closed(socket: WebSocket, code: number): void {
    if (this.#socket !== socket) return;
    this.#socket = null;
    clearInterval(this.#pinger);
    clearTimeout(this.#deadline);
    if (code === REVOKED) {
      this.listener.onConnection("signed-out");
      return;
    }
    this.listener.onConnection("waiting");
    this.#retry = setTimeout(() => this.connect(), this.#pause * (0.75 + Math.random() / 2));
    this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE);
  }
}
