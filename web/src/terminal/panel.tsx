/** The terminal of a session, with what a human can do with it. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { JSX } from "preact";
import { isReadOnly } from "../state/live";
import type { Session } from "../wire/types";
import { stripSequences } from "./plain";
import type { TerminalView } from "./view";

function useTerminal(session: Session): [JSX.Element, TerminalView | null] {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState<TerminalView | null>(null);
  useEffect(() => {
    let opened: TerminalView | null = null;
    let isWanted = true;
    void import("./view").then(({ TerminalView }) => {
      if (!isWanted || box.current === null) return;
      opened = new TerminalView(session.id, box.current);
      setView(opened);
    });
    return () => {
      isWanted = false;
      opened?.close();
    };
  }, [session.id]);
  return [<div class="terminal-box" ref={box} role="region" aria-label={`Terminal of ${session.name}`} tabIndex={0} />, view];
}

function Controls({ view, onHistory }: { view: TerminalView; onHistory: () => void }): JSX.Element {
  const { keyboard, sizedBy, refusal, ended } = view.facts.value;
  const hasKeyboard = keyboard?.is_you ?? false;
  if (isReadOnly.value || ended !== null) return <button onClick={onHistory}>Scrollback</button>;
  return (
    <>
      {refusal !== "" && (
        <span class="muted" role="alert">
          {refusal}
        </span>
      )}
      <button onClick={onHistory}>Scrollback</button>
      <button aria-pressed={sizedBy !== null} onClick={() => (sizedBy === null ? view.takeSize() : view.leaveSize())}>
        {sizedBy === null ? "Take size" : "Give size back"}
      </button>
      <button aria-pressed={hasKeyboard} onClick={() => (hasKeyboard ? view.leaveKeyboard() : view.takeKeyboard())}>
        {hasKeyboard ? "Give keyboard back" : "Take the keyboard"}
      </button>
    </>
  );
}

function KeyboardNote({ view }: { view: TerminalView }): JSX.Element | null {
  const { keyboard } = view.facts.value;
  if (keyboard === null) return null;
  return (
    <p class="keyboard-note" role="status">
      {keyboard.is_you ? (
        <>
          You have the keyboard: every key goes to the agent. <kbd>Ctrl</kbd>+<kbd>Shift</kbd>+<kbd>Escape</kbd> or <kbd>Escape</kbd> three times gives it back.
        </>
      ) : (
        `${keyboard.user} has the keyboard in another browser.`
      )}
    </p>
  );
}

/** The most lines that the daemon sends at once. */
const HISTORY = 5_000;
const ESCAPES = 3;
const WITHIN = 800;

/** The way out of the terminal: Ctrl+Shift+Escape, or Escape three times in a row, gives the keyboard back. */
function useEscape(view: TerminalView | null): void {
  useEffect(() => {
    let pressed: number[] = [];
    const onKey = (event: KeyboardEvent): void => {
      if (view === null || !view.hasKeyboard || event.key !== "Escape" || event.isComposing) return;
      const now = performance.now();
      pressed = [...pressed.filter((at) => now - at < WITHIN), now];
      if (!(event.ctrlKey && event.shiftKey) && pressed.length < ESCAPES) return;
      pressed = [];
      event.preventDefault();
      event.stopPropagation();
      view.leaveKeyboard();
    };
    addEventListener("keydown", onKey, { capture: true });
    return () => removeEventListener("keydown", onKey, { capture: true });
  }, [view]);
}

export function TerminalPanel({ session }: { session: Session }): JSX.Element {
  const [box, view] = useTerminal(session);
  const [history, setHistory] = useState<string | null>(null);
  useEscape(view);
  const facts = view?.facts.value;
  const askHistory = (): void => {
    if (history !== null) setHistory(null);
    else void view?.askHistory(HISTORY).then((text) => setHistory(stripSequences(text)));
  };
  return (
    <section class={`panel terminal${facts?.keyboard?.is_you ? " has-keyboard" : ""}`} aria-label="Terminal">
      <div class="terminal-bar">
        <span class="facts">
          {facts === undefined || facts.columns === 0 ? "Connecting to the terminal" : `${facts.columns}×${facts.rows}`}
          {facts !== undefined && facts.viewers > 1 && ` · ${facts.viewers} viewers`}
          {facts?.ended && ` · ended: ${facts.ended}`}
        </span>
        {view !== null && <Controls view={view} onHistory={askHistory} />}
      </div>
      {view !== null && <KeyboardNote view={view} />}
      {history !== null && (
        <pre class="screen history" tabIndex={0} aria-label="Scrollback">
          {history}
        </pre>
      )}
      {box}
    </section>
  );
}
