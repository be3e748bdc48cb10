/** The page's connection to the daemon, and what the page knows, as signals. */
import { computed, signal } from "@preact/signals";
import { orderSessions } from "../attention/order";
import { keyHeader } from "../wire/key";
import { LiveSocket, type Connection } from "../wire/socket";
import type { ClientFrame, HarkEvent, ServerFrame, Session, TerminalBytes, TerminalFrame } from "../wire/types";
import { EMPTY, take, type World } from "./world";

export const world = signal<World>(EMPTY);
export const connection = signal<Connection>("connecting");
/** The present time, which moves once a second while the page is visible. */
export const clock = signal(Date.now());

export const sessions = computed<Session[]>(() => orderSessions([...world.value.sessions.values()]));
export const isReadOnly = computed(() => world.value.me?.is_read_only ?? false);

export const findSession = (id: string): Session | undefined => world.value.sessions.get(id);

type FrameListener = (frame: ServerFrame) => void;
const frameListeners = new Set<FrameListener>();

/** A terminal on the page: it gets the frames and the bytes that carry its number. */
export interface TerminalListener {
  onFrame(frame: TerminalFrame): void;
  onBytes(bytes: TerminalBytes): void;
  /** The connection is new: attach again. */
  onOpen(): void;
}
const terminals = new Map<number, TerminalListener>();
let lastTerminal = 0;

const TERMINAL_FRAMES: ReadonlySet<string> = new Set(["attached", "viewers", "resized", "ended", "history", "refused"]);

function isTerminalFrame(frame: ServerFrame): frame is TerminalFrame {
  return TERMINAL_FRAMES.has(frame.type) && "terminal" in frame && frame.terminal !== null;
}

function onFrame(frame: ServerFrame): void {
  if (isTerminalFrame(frame)) {
    terminals.get(frame.terminal)?.onFrame(frame);
    return;
  }
  world.value = take(world.value, frame);
  for (const listener of frameListeners) listener(frame);
  if (frame.type === "welcome") for (const terminal of terminals.values()) terminal.onOpen();
}

const address = new URL("live", location.href.replace(/#.*/, ""));
address.protocol = address.protocol === "https:" ? "wss:" : "ws:";

const socket = new LiveSocket(address.href, {
  resumeFrom: () => ({ after: world.value.seq, instance: world.value.instance }),
  onFrame,
  onBytes: (bytes) => terminals.get(bytes.terminal)?.onBytes(bytes),
  onConnection: (state) => {
    connection.value = state;
    if (state === "waiting") void checkSignedIn();
  },
});

/** A refused WebSocket does not say why it was refused; an HTTP call does. */
async function checkSignedIn(): Promise<void> {
  const answer = await fetch("/dashboard/me", { headers: keyHeader() }).catch(() => null);
  if (answer?.status === 401 || answer?.status === 403) connection.value = "signed-out";
}

export const send = (frame: ClientFrame): boolean => socket.send(frame);
export const reconnect = (): void => socket.reconnect();

/** Hear every frame that concerns no terminal; returns what stops it. */
export function listen(listener: FrameListener): () => void {
  frameListeners.add(listener);
  return () => frameListeners.delete(listener);
}

/** Hear the events of one session; returns what stops it. */
export function listenToSession(id: string, onEvent: (event: HarkEvent) => void): () => void {
  return listen((frame) => {
    if (frame.type === "event" && frame.event.session_id === id) onEvent(frame.event);
  });
}

/** Give a terminal its number on this connection. */
export function addTerminal(listener: TerminalListener): number {
  lastTerminal += 1;
  terminals.set(lastTerminal, listener);
  return lastTerminal;
}

export function removeTerminal(terminal: number): void {
  terminals.delete(terminal);
  send({ type: "detach", terminal });
}

export function start(): void {
  socket.connect();
  setInterval(() => {
    if (!document.hidden) clock.value = Date.now();
  }, 1000);
  addEventListener("online", reconnect);
}
