/** The dialogs of the page: the keys, and a message to a session. */
import { useEffect, useRef } from "preact/hooks";
import type { ComponentChildren, JSX } from "preact";
import { Composer } from "../composer/composer";
import { composeTo, isHelpOpen, KEYS } from "../state/keyboard";
import { findSession } from "../state/live";

function Dialog({ title, onClose, children }: { title: string; onClose: () => void; children: ComponentChildren }): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
    dialog.current?.querySelector<HTMLElement>("textarea")?.focus();
  }, []);
  return (
    <dialog ref={dialog} aria-label={title} onClose={onClose}>
      <header>
        <h1>{title}</h1>
        <button class="plain" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </header>
      <div class="body">{children}</div>
    </dialog>
  );
}

export function Dialogs(): JSX.Element | null {
  const session = composeTo.value === null ? undefined : findSession(composeTo.value);
  if (session !== undefined) {
    const close = (): void => void (composeTo.value = null);
    return (
      <Dialog title={`Message to ${session.name}`} onClose={close}>
        <Composer session={session} onSent={close} />
      </Dialog>
    );
  }
  if (!isHelpOpen.value) return null;
  return (
    <Dialog title="Keys" onClose={() => (isHelpOpen.value = false)}>
      <dl class="keys">
        {KEYS.map(({ keys, does }) => [
          <dt key={keys}>
            {keys.split("  ").map((key) => (
              <kbd key={key}>{key}</kbd>
            ))}
          </dt>,
          <dd key={does}>{does}</dd>,
        ])}
      </dl>
    </Dialog>
  );
}
